export { describePictures } from './describe.ts';
export type { Film } from './film.ts';
export { lyricsOf } from './lyrics.ts';
export type { Picture, PictureOptions } from './picture.ts';
export { panned, relative, type Scene, sceneOf, zoomedOut } from './scene.ts';
export { shortenPrompt } from './shorten.ts';
export { aspectOf, type Size, sizeOf } from './size.ts';
export type { Sound } from './sound.ts';
export { openStudio, type Studio } from './studio.ts';
