import { createHash } from 'node:crypto';
import type { ImageOptions } from '../../sandbox/gateway/studio/image.ts';
import { createStudio, type Studio } from '../../sandbox/gateway/studio/index.ts';
import { roundToEven, type Size } from '../../sandbox/gateway/studio/size.ts';

const MAX_BYTES = 64 * 1024 * 1024;
/** Drawing a grid in full size takes most of a second of CPU time, and no test checks its details. */
const MAX_IMAGE_SIDE = 128;
/** The size and duration of the videos that tests request in their own size; encoding larger ones takes seconds of CPU time. */
const MAX_VIDEO_SIDE = 160;
const MAX_VIDEO_SECONDS = 1;
/** A second of a song takes 30 ms of CPU time. */
const MAX_SONG_SECONDS = 2;
/** No test distinguishes previews by their progress, so one of each is enough. */
const PREVIEW_PROGRESS = 0.3;

/** A cache of results by their inputs; the oldest results are dropped when the cache is full. */
class ResultCache<Result extends { readonly bytes: Uint8Array }> {
  readonly #results = new Map<string, Result>();
  #bytes = 0;

  async getOrCreate(inputs: unknown, files: readonly Uint8Array[], make: () => Promise<Result>): Promise<Result> {
    const digests = files.map((file) => createHash('sha1').update(file).digest('hex'));
    const name = JSON.stringify([inputs, digests]);
    const cached = this.#results.get(name);
    if (cached) return cached;
    const result = await make();
    this.#store(name, result);
    return result;
  }

  #store(name: string, result: Result): void {
    if (this.#results.has(name)) return;
    this.#results.set(name, result);
    this.#bytes += result.bytes.length;
    for (const [oldest, { bytes }] of this.#results) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#results.delete(oldest);
      this.#bytes -= bytes.length;
    }
  }
}

const images = new ResultCache<Awaited<ReturnType<Studio['drawImage']>>>();
const videos = new ResultCache<Awaited<ReturnType<Studio['drawVideo']>>>();
const sounds = new ResultCache<Awaited<ReturnType<Studio['compose']>>>();

/**
 * One pool for all tests of a process, because a worker for videos or songs takes half a second of CPU time to start.
 */
let studioInstance: Studio | undefined;
const sharedStudio = (): Studio => {
  studioInstance ??= createStudio();
  return studioInstance;
};

/**
 * The real studio, which creates each distinct result once per process, because tests order the same few images
 * repeatedly.
 */
export function cachingStudio(): Studio {
  let activeJobs = 0;
  const countJob = <Result>(job: Promise<Result>): Promise<Result> => {
    activeJobs++;
    return job.finally(() => activeJobs--);
  };
  return {
    drawImage(scene, requested) {
      const { references = [], ...options } = shrink(requested);
      return images.getOrCreate(['picture', scene, options], references, () =>
        sharedStudio().drawImage(scene, shrink(requested)),
      );
    },
    drawGrid(scenes, requested) {
      const { references = [], ...options } = shrink(requested);
      return images.getOrCreate(['grid', scenes, options], references, () =>
        sharedStudio().drawGrid(scenes, shrink(requested)),
      );
    },
    drawEdit(before, after, mask, requested) {
      const { references = [], ...options } = withFixedProgress(requested);
      return images.getOrCreate(['edit', before, after, options], [mask, ...references], () =>
        sharedStudio().drawEdit(before, after, mask, withFixedProgress(requested)),
      );
    },
    drawVideo(scene, requested) {
      const seconds = Math.min(requested.seconds, MAX_VIDEO_SECONDS);
      const { references = [], ...options } = { ...requested, ...smallSize(requested, MAX_VIDEO_SIDE), seconds };
      return videos.getOrCreate([scene, options], references, () =>
        countJob(sharedStudio().drawVideo(scene, { ...options, references })),
      );
    },
    compose(prompt, seed, requestedSeconds) {
      const seconds = Math.min(requestedSeconds, MAX_SONG_SECONDS);
      return sounds.getOrCreate([prompt, seed, seconds], [], () =>
        countJob(sharedStudio().compose(prompt, seed, seconds)),
      );
    },
    async close() {
      // A video or song that is still being made is no longer needed, and the next test would have to wait for it.
      if (activeJobs === 0) return;
      const busyStudio = studioInstance;
      studioInstance = undefined;
      await busyStudio?.close();
    },
  };
}

/** A caching studio that creates only one scene and one song, for runs that do not check the results. */
export function singleSceneStudio(): Studio {
  const studio = cachingStudio();
  type Scene = NonNullable<Parameters<Studio['drawImage']>[0]>;
  let scene: Scene | undefined;
  let song: Parameters<Studio['compose']> | undefined;
  const firstScene = (requested: Scene): Scene => {
    scene ??= requested;
    return scene;
  };
  return {
    ...studio,
    drawImage: (requested, options) => studio.drawImage(firstScene(requested), { ...options, references: [] }),
    drawGrid: (scenes, options) => studio.drawGrid(scenes.map(firstScene), { ...options, references: [] }),
    drawVideo: (requested, options) => studio.drawVideo(firstScene(requested), { ...options, references: [] }),
    compose: (...inputs) => {
      song ??= inputs;
      return studio.compose(...song);
    },
  };
}

function withFixedProgress<Options extends ImageOptions>(options: Options): Options {
  const { finished = 1 } = options;
  return finished >= 1 ? options : { ...options, finished: PREVIEW_PROGRESS };
}

const shrink = (options: ImageOptions): ImageOptions =>
  withFixedProgress({ ...options, ...smallSize(options, MAX_IMAGE_SIDE) });

function smallSize({ width, height }: Size, maxSide: number): Size {
  const scale = Math.min(1, maxSide / Math.max(width, height));
  return { width: roundToEven(width * scale), height: roundToEven(height * scale) };
}
