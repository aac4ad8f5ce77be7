import { z } from 'zod';
import { dataUri, type FileContent, memoryContent, readWhole } from '../content.ts';
import { damagedFileError, MediaError } from '../errors.ts';
import type { ImageFacts } from '../images/image-editor.ts';
import type { DrawnMask, MaskSide, MaskSize } from '../images/mask.ts';
import { MAX_MARK_BYTES, markImage, type Provenance, plainTypeOf } from '../images/provenance.ts';
import type { MediaProcess } from '../media-process.ts';
import { mediaTypes } from '../media-types.ts';
import { type Job, JobLost } from '../process/jobs.ts';

const { png, jpeg: jpg, webp, gif, avif } = mediaTypes;
const types = { png, jpg, webp, gif, avif };
const extension = z.enum(['png', 'jpg', 'webp', 'gif', 'avif']).transform((name) => types[name]);

const size = z.int().positive();
const isUnchanged = z.boolean();
const fitFacts = z.union([
  z.object({ how: z.literal('none') }),
  z.object({
    how: z.enum(['as-is', 're-encoded', 'preview']),
    extension,
    isUnchanged,
    fileBytes: size.optional(),
    lostManifest: z.boolean(),
  }),
]);
const checkFacts = z.object({ extension, isUnchanged });
const measureFacts = z.object({ width: size, height: size, frames: size });
const likenessFacts = z.object({
  likeness: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
});
const maskFacts = z.object({ marks: z.enum(['a part', 'nothing', 'everything', 'unclear']) });

interface FitOptions {
  signal: AbortSignal;
  /** A private file for a large result. */
  into?: string | undefined;
  /** Only set for results. */
  provenance?: Provenance | undefined;
}

export class ImageProcessor {
  readonly #process: MediaProcess;
  readonly #limits: { readonly maxPixels: number };

  constructor(process: MediaProcess, maxPixels: number) {
    this.#process = process;
    this.#limits = { maxPixels };
  }

  async fit(input: FileContent, maxBytes: number, { signal, into, provenance }: FitOptions) {
    const sourceType = provenance?.sourceType;
    const finalSize = input.size + (sourceType ? MAX_MARK_BYTES : 0);
    const type = finalSize <= maxBytes && input.bytes && plainTypeOf(input.bytes, this.#limits.maxPixels);
    if (type) {
      const output = sourceType && memoryContent(markImage(input.bytes, type, sourceType));
      return { how: 'as-is' as const, type, lostManifest: false, output };
    }
    const job: Job = { do: 'fit', maxBytes, ...this.#limits, provenance };
    const { facts, bytes } = await this.#run(job, fitFacts, { input, signal, into });
    if (facts.how === 'none') return facts;
    const { how, extension, isUnchanged, fileBytes, lostManifest } = facts;
    const isFile = fileBytes !== undefined && into !== undefined;
    const output = isFile ? { size: fileBytes, path: into } : memoryContent(bytes);
    return { how, type: extension, lostManifest, output: isUnchanged ? undefined : output };
  }

  async check(input: FileContent, signal: AbortSignal) {
    const { facts, bytes } = await this.#run({ do: 'check', ...this.#limits }, checkFacts, { input, signal });
    const { extension: type, isUnchanged } = facts;
    const cleanBytes = isUnchanged ? await readWhole(input) : bytes;
    return { bytes: cleanBytes, type, dataUri: dataUri(type.mime, cleanBytes) };
  }

  async measure(input: FileContent, signal: AbortSignal): Promise<ImageFacts> {
    return (await this.#run({ do: 'measure', ...this.#limits }, measureFacts, { input, signal })).facts;
  }

  /** Computes the perceptual hash; undefined if the image has nothing by which it could be recognised. */
  async perceptualHashOf(input: FileContent, signal: AbortSignal): Promise<string | undefined> {
    const job: Job = { do: 'likeness', ...this.#limits };
    return (await this.#run(job, likenessFacts, { input, signal })).facts.likeness;
  }

  async createSideMask(side: MaskSide, size: MaskSize, signal: AbortSignal): Promise<Buffer> {
    return (await this.#run({ do: 'side-mask', side, size, ...this.#limits }, z.object({}), { signal })).bytes;
  }

  async readDrawnMask(input: FileContent, signal: AbortSignal): Promise<DrawnMask> {
    const { facts, bytes } = await this.#run({ do: 'drawn-mask', ...this.#limits }, maskFacts, { input, signal });
    return facts.marks === 'a part' ? { marks: facts.marks, bytes } : { marks: facts.marks };
  }

  async #run<Facts>(job: Job, facts: z.ZodType<Facts>, options: Parameters<MediaProcess['run']>[2]) {
    try {
      return await this.#process.run(job, facts, options);
    } catch (error) {
      throw error instanceof JobLost ? mediaError(error) : error;
    }
  }
}

function mediaError(jobLost: JobLost): MediaError {
  switch (jobLost.reason) {
    case 'memory':
    case 'time':
      return new MediaError('too-large', 'Decoding the image takes too much memory or time.', { cause: jobLost });
    case 'closed':
      return new MediaError('unreachable', 'The bot is stopping.', { code: 'closed', cause: jobLost });
    case 'busy':
      return new MediaError('unreachable', 'Too many images are already waiting.', { cause: jobLost });
    case 'died':
      return damagedFileError(jobLost);
  }
}
