export { type FileContent, piecesOf } from './content.ts';
export { MediaError, type MediaErrorKind } from './errors.ts';
export type { FilmFacts } from './films/sensible.ts';
export { type Fetched, type Media, type MediaSource, openMedia } from './media.ts';
export type { MediaType } from './recognise/types.ts';
