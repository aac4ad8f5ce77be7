export { dataUri, type FileContent, readChunks as piecesOf } from './content.ts';
export { MediaError, type MediaErrorKind } from './files/errors.ts';
export { type FetchedFile as Fetched, type Media, openMedia } from './files/media.ts';
export type { SourceType } from './images/provenance.ts';
export type { MediaType, VideoFacts } from './media-types.ts';
