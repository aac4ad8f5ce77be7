export { dataUri, type FileContent, piecesOf } from './content.ts';
export { MediaError, type MediaErrorKind } from './errors.ts';
export { type Fetched, type Media, type MediaSource, openMedia } from './media.ts';
export type { FilmFacts, MediaType } from './media-types.ts';
