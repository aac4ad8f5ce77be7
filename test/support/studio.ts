import { createHash } from 'node:crypto';
import type { ImageOptions } from '../../sandbox/gateway/studio/image.ts';
import { openStudio, type Studio } from '../../sandbox/gateway/studio/index.ts';
import { even } from '../../sandbox/gateway/studio/size.ts';

const MAX_BYTES = 64 * 1024 * 1024;
/** Drawing a grid in full size takes most of a second of CPU time, and no test checks its details. */
const MAX_SIDE = 512;
/** No test distinguishes previews by their progress, so one of each is enough. */
const PREVIEW_FINISHED = 0.3;

/** A cache of results by their inputs; the oldest result is dropped if there is no more room. */
class Memory<Made extends { readonly bytes: Uint8Array }> {
  readonly #made = new Map<string, Made>();
  #bytes = 0;

  async once(asked: unknown, files: readonly Uint8Array[], make: () => Promise<Made>): Promise<Made> {
    const digests = files.map((file) => createHash('sha1').update(file).digest('hex'));
    const name = JSON.stringify([asked, digests]);
    const there = this.#made.get(name);
    if (there) return there;
    const made = await make();
    this.#put(name, made);
    return made;
  }

  #put(name: string, made: Made): void {
    if (this.#made.has(name)) return;
    this.#made.set(name, made);
    this.#bytes += made.bytes.length;
    for (const [oldest, { bytes }] of this.#made) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#made.delete(oldest);
      this.#bytes -= bytes.length;
    }
  }
}

const images = new Memory<Awaited<ReturnType<Studio['drawImage']>>>();
const videos = new Memory<Awaited<ReturnType<Studio['shoot']>>>();
const sounds = new Memory<Awaited<ReturnType<Studio['compose']>>>();

/**
 * One pool for all tests of a process, because a worker for videos or songs takes half a second of CPU time to start.
 */
let shared: Studio | undefined;
const real = (): Studio => {
  shared ??= openStudio();
  return shared;
};

/**
 * The real studio, which creates each distinct result once per process, because tests order the same few images
 * repeatedly.
 */
export function thriftyStudio(): Studio {
  let working = 0;
  const counted = <Made>(making: Promise<Made>): Promise<Made> => {
    working++;
    return making.finally(() => working--);
  };
  return {
    drawImage(scene, given) {
      const { references = [], ...options } = smaller(given);
      return images.once(['picture', scene, options], references, () => real().drawImage(scene, smaller(given)));
    },
    drawGrid(scenes, given) {
      const { references = [], ...options } = smaller(given);
      return images.once(['grid', scenes, options], references, () => real().drawGrid(scenes, smaller(given)));
    },
    drawEdit(before, after, mask, given) {
      const { references = [], ...options } = asDrawn(given);
      return images.once(['edit', before, after, options], [mask, ...references], () =>
        real().drawEdit(before, after, mask, asDrawn(given)),
      );
    },
    shoot(scene, given) {
      const { references = [], ...options } = given;
      return videos.once([scene, options], references, () => counted(real().shoot(scene, given)));
    },
    compose: (...asked) => sounds.once(asked, [], () => counted(real().compose(...asked))),
    async close() {
      // A video or song that is still being made is no longer needed, and the next test would have to wait for it.
      if (working === 0) return;
      const left = shared;
      shared = undefined;
      await left?.close();
    },
  };
}

/** A thrifty studio that knows a single scene and a single song: for runs whose results are not looked at. */
export function oneSceneStudio(): Studio {
  const studio = thriftyStudio();
  type Scene = NonNullable<Parameters<Studio['drawImage']>[0]>;
  let scene: Scene | undefined;
  let song: Parameters<Studio['compose']> | undefined;
  const one = (given: Scene): Scene => {
    scene ??= given;
    return scene;
  };
  return {
    ...studio,
    drawImage: (given, options) => studio.drawImage(one(given), { ...options, references: [] }),
    drawGrid: (scenes, options) => studio.drawGrid(scenes.map(one), { ...options, references: [] }),
    shoot: (given, options) => studio.shoot(one(given), { ...options, references: [] }),
    compose: (...asked) => {
      song ??= asked;
      return studio.compose(...song);
    },
  };
}

function asDrawn<Options extends ImageOptions>(options: Options): Options {
  const { finished = 1 } = options;
  return finished >= 1 ? options : { ...options, finished: PREVIEW_FINISHED };
}

function smaller(options: ImageOptions): ImageOptions {
  const { width, height } = options;
  const scale = Math.min(1, MAX_SIDE / Math.max(width, height));
  return asDrawn({ ...options, width: even(width * scale), height: even(height * scale) });
}
