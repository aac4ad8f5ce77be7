import { mislabelledFile, padFile } from './altered-files.ts';
import { FileCache, type GeneratedFile } from './file-cache.ts';
import { flaggedColour, plainImage } from './flagged-images.ts';
import type { Job } from './job.ts';
import type { Recipe, Result } from './job-details.ts';
import type { ReferenceImages } from './reference-images.ts';
import { type Studio, sizeOf } from './studio/index.ts';

const CACHE_BYTES = 256 * 1024 * 1024;
const PREVIEW_SIDE = 512;
/** 640 × 360 for 6 seconds. Larger videos are generated when they are first downloaded. */
const MAX_EARLY_VIDEO_PIXELS = 640 * 360 * 6;

/** Result files, generated when they are first downloaded, and then cached. */
export class Files {
  readonly #studio: Studio;
  readonly #referenceImages: ReferenceImages;
  readonly #baseUrl: () => string;
  readonly #generatedFiles = new FileCache(CACHE_BYTES);
  readonly #uploads = new FileCache(CACHE_BYTES);
  readonly #inProgress = new Map<string, Promise<GeneratedFile>>();

  constructor(studio: Studio, referenceImages: ReferenceImages, baseUrl: () => string) {
    this.#studio = studio;
    this.#referenceImages = referenceImages;
    this.#baseUrl = baseUrl;
  }

  urlOf(job: Job, name: string): string {
    return `${this.#baseUrl()}/files/${job.id}/${name}`;
  }

  /** The preview image of a running image task. */
  previewName(job: Job): string {
    return `preview-${job.progress}.webp`;
  }

  storeUpload(jobId: string, name: string, file: GeneratedFile): void {
    this.#uploads.put(`${jobId}/${name}`, file);
  }

  deleteFiles(job: Job): void {
    for (const cache of [this.#generatedFiles, this.#uploads]) cache.deleteAll(`${job.id}/`);
  }

  /** Returns undefined if the file does not exist or is not finished. */
  async load(job: Job, name: string): Promise<GeneratedFile | undefined> {
    const preview = /^preview-(\d{1,3})\.webp$/.exec(name);
    if (preview) return await this.#preview(job, name, Number(preview[1]) / 100);
    const result = job.details.results.find((one) => one.name === name);
    if (job.state !== 'succeeded' || job.orders.withoutMedia || !result) return undefined;
    if (result.recipe.make === 'copy') return this.#uploads.get(`${job.id}/${name}`);
    if (job.orders.pretends) return mislabelledFile(job.orders.pretends, mimeOf(name));
    return await this.#result(job, result);
  }

  /** Videos take a long time to generate, so generation of a small one starts together with its job. */
  startEarly(job: Job): void {
    if (job.orders.withoutMedia || job.orders.pretends) return;
    for (const result of job.details.results) {
      const { recipe } = result;
      if (recipe.make !== 'video' || recipe.width * recipe.height * recipe.seconds > MAX_EARLY_VIDEO_PIXELS) continue;
      // A failure is reported by the download, which tries again.
      this.#result(job, result).catch(() => undefined);
      return;
    }
  }

  async #result(job: Job, result: Result): Promise<GeneratedFile> {
    return await this.#cached(`${job.id}/${result.name}`, async () => {
      const file = await this.#generate(job, result.recipe);
      return job.orders.paddedTo ? { ...file, bytes: padFile(file.bytes, file.mime, job.orders.paddedTo) } : file;
    });
  }

  async #preview(job: Job, name: string, completion: number): Promise<GeneratedFile | undefined> {
    const recipe = job.details.results[0]?.recipe;
    if (job.state === 'queued' || job.state === 'needs-input' || !recipe || !('width' in recipe)) return undefined;
    const { width, height } = sizeOf(recipe.width / recipe.height, PREVIEW_SIDE);
    return await this.#cached(`${job.id}/${name}`, async () => {
      const references = [...this.#referenceImages.imagesFor(job)];
      const options = { width, height, format: 'webp', references, finished: Math.min(1, completion) } as const;
      if (recipe.make === 'grid') return await this.#studio.drawGrid(recipe.scenes, options);
      return await this.#studio.drawImage(recipe.make === 'edit' ? recipe.after : recipe.scene, options);
    });
  }

  async #cached(name: string, generate: () => Promise<GeneratedFile>): Promise<GeneratedFile> {
    const cached = this.#generatedFiles.get(name);
    if (cached) return cached;
    const running = this.#inProgress.get(name);
    if (running !== undefined) return await running;
    const generation = generate();
    this.#inProgress.set(name, generation);
    try {
      const { bytes, mime } = await generation;
      this.#generatedFiles.put(name, { bytes, mime });
      return { bytes, mime };
    } finally {
      this.#inProgress.delete(name);
    }
  }

  async #generate(job: Job, recipe: Recipe): Promise<GeneratedFile> {
    const references = [...this.#referenceImages.imagesFor(job)];
    const colour = flaggedColour(job.prompt);
    if (colour && 'width' in recipe && recipe.make !== 'video') {
      const format = 'format' in recipe ? (recipe.format ?? 'png') : 'png';
      return { bytes: await plainImage(colour, sizeOfRecipe(recipe), format), mime: `image/${format}` };
    }
    switch (recipe.make) {
      case 'image':
        return await this.#studio.drawImage(recipe.scene, {
          ...sizeOfRecipe(recipe),
          format: recipe.format,
          references,
        });
      case 'grid':
        return await this.#studio.drawGrid(recipe.scenes, { ...sizeOfRecipe(recipe), references });
      case 'edit': {
        const mask = job.details.family === 'imgx' ? job.details.mask : undefined;
        const options = { ...sizeOfRecipe(recipe), references };
        if (!mask) return await this.#studio.drawImage(recipe.after, options);
        return await this.#studio.drawEdit(recipe.before, recipe.after, mask, options);
      }
      case 'video':
        return await this.#studio.drawVideo(recipe.scene, {
          ...sizeOfRecipe(recipe),
          seconds: recipe.seconds,
          references,
        });
      case 'song':
        return await this.#studio.compose(recipe.prompt, recipe.seed, recipe.seconds);
      case 'copy':
        throw new Error('An uploaded file cannot be generated.');
    }
  }
}

const sizeOfRecipe = ({ width, height }: { width: number; height: number }) => ({ width, height });

const MIME_TYPES = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  mp4: 'video/mp4',
  wav: 'audio/wav',
} as const;
const extensionOf = (name: string) => name.slice(name.lastIndexOf('.') + 1);
const mimeOf = (name: string): string =>
  MIME_TYPES[extensionOf(name) as keyof typeof MIME_TYPES] ?? 'application/octet-stream';
export const extensionFor = (mime: string): string =>
  Object.entries(MIME_TYPES).find(([, one]) => one === mime)?.[0] ?? 'bin';
