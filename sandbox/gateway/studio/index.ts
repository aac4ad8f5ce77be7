export { describePictures } from './describe.ts';
export { lyricsOf } from './lyrics.ts';
export { panned, relative, type Scene, sceneOf, zoomedOut } from './scene.ts';
export { shortenPrompt } from './shorten.ts';
export { aspectOf, type Size, sizeOf } from './size.ts';
export { openStudio, type Studio } from './studio.ts';
