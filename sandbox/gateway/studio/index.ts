import { drawEdit, drawGrid, drawImage } from './image.ts';
import { referencesOf } from './reference.ts';
import type { Scene } from './scene.ts';
import { roundToEven, type Size } from './size.ts';
import type { SoundJob } from './sound.worker.ts';
import type { VideoJob } from './video.worker.ts';
import { StudioWorker } from './workshop.ts';

export { describeImages } from './describe.ts';
export { lyricsOf } from './lyrics.ts';
export { pan as panned, type Scene, sceneOf, variationOf as relative, zoomOut as zoomedOut } from './scene.ts';
export { shortenPrompt } from './shorten.ts';
export { aspectOf, type Size, sizeOf } from './size.ts';

interface VideoOptions extends Size {
  seconds: number;
  references?: readonly Buffer[];
}

interface MediaFile<Mime> {
  bytes: Buffer;
  mime: Mime;
  seconds: number;
}

export interface Studio {
  drawImage: typeof drawImage;
  drawGrid: typeof drawGrid;
  drawEdit: typeof drawEdit;
  drawVideo(scene: Scene, options: VideoOptions): Promise<MediaFile<'video/mp4'> & Size>;
  compose(prompt: string, seed: number, seconds: number): Promise<MediaFile<'audio/wav'>>;
  close(): Promise<void>;
}

const MAX_VIDEO_SECONDS = 60;
/** The limit of H.264 at a level that every browser decodes. */
const MAX_VIDEO_SIDE = 4096;
/** Enough for slow camera moves to look smooth, at half the encoding time of 24 frames. */
const FRAMES_PER_SECOND = 12;
const MAX_AUDIO_SECONDS = 240;
/** The duration of the chime alone. */
const MIN_AUDIO_SECONDS = 2;

/** Images are drawn on libuv's threads; videos and audio have a worker each, so a song does not wait for a video. */
export function createStudio(): Studio {
  const videos = new StudioWorker<VideoJob, Uint8Array<ArrayBuffer>>(new URL('./video.worker.ts', import.meta.url));
  const songs = new StudioWorker<SoundJob, Uint8Array<ArrayBuffer>>(new URL('./sound.worker.ts', import.meta.url));
  return {
    drawImage,
    drawGrid,
    drawEdit,
    drawVideo: async (scene, options) => {
      const requestedSeconds = Math.min(MAX_VIDEO_SECONDS, options.seconds > 0 ? options.seconds : 1);
      const seconds = Math.max(1, Math.round(requestedSeconds * FRAMES_PER_SECOND)) / FRAMES_PER_SECOND;
      const width = Math.min(MAX_VIDEO_SIDE, roundToEven(options.width));
      const height = Math.min(MAX_VIDEO_SIDE, roundToEven(options.height));
      const references = await referencesOf(options.references);
      const job = { scene, width, height, seconds, framesPerSecond: FRAMES_PER_SECOND, references };
      return { bytes: Buffer.from((await videos.run(job)).buffer), mime: 'video/mp4', width, height, seconds };
    },
    compose: async (prompt, seed, requestedSeconds) => {
      const seconds = Math.min(
        MAX_AUDIO_SECONDS,
        Math.max(MIN_AUDIO_SECONDS, Number.isFinite(requestedSeconds) ? requestedSeconds : 0),
      );
      return { bytes: Buffer.from((await songs.run({ prompt, seed, seconds })).buffer), mime: 'audio/wav', seconds };
    },
    close: async () => {
      await Promise.all([videos.close(), songs.close()]);
    },
  };
}
