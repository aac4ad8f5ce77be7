import { z } from 'zod';
import { JobLost } from '../media-process/job-lost.ts';
import type { Job } from '../media-process/jobs.ts';
import type { MediaProcess } from '../media-process/media-process.ts';
import { type FileContent, inMemory, wholeOf } from './content.ts';
import { damaged, MediaError } from './errors.ts';
import type { CheckedPicture } from './pictures/checked-picture.ts';
import type { PictureFacts } from './pictures/facts.ts';
import type { DrawnMask, MaskSide, MaskSize } from './pictures/mask.ts';
import { type MediaType, mediaTypes } from './recognise/types.ts';

export interface CheckedImage extends CheckedPicture {
  readonly dataUri: string;
}

const type = z.enum(['png', 'jpg', 'webp', 'gif', 'avif']).transform((extension) => typeOf[extension]);
const typeOf = {
  png: mediaTypes.png,
  jpg: mediaTypes.jpeg,
  webp: mediaTypes.webp,
  gif: mediaTypes.gif,
  avif: mediaTypes.avif,
} as const satisfies Record<string, MediaType>;

/** Nothing is made of a file that stays as it is. */
export type FittedImage =
  | {
      readonly how: 'as-is' | 're-encoded' | 'preview';
      readonly type: MediaType;
      readonly made: FileContent | undefined;
    }
  | { readonly how: 'none' };

const size = z.int().positive();
const isUnchanged = z.boolean();
const fitFacts = z.union([
  z.object({ how: z.literal('none') }),
  z.object({
    how: z.enum(['as-is', 're-encoded', 'preview']),
    extension: type,
    isUnchanged,
    fileBytes: size.optional(),
  }),
]);
const checkFacts = z.object({ extension: type, isUnchanged });
const measureFacts = z.object({ width: size, height: size, frames: size });
const maskFacts = z.object({ marks: z.enum(['a part', 'nothing', 'everything', 'unclear']) });
const noFacts = z.object({});

/** What is done with images, as jobs of the media process. */
export class ImageJobs {
  readonly #process: MediaProcess;
  readonly #mostPixels: number;

  constructor(process: MediaProcess, mostPixels: number) {
    this.#process = process;
    this.#mostPixels = mostPixels;
  }

  /** `into`: a private file for what is large. */
  async fit(image: FileContent, mostBytes: number, signal: AbortSignal, into?: string): Promise<FittedImage> {
    const job = { do: 'fit', mostBytes, mostPixels: this.#mostPixels } as const;
    const { facts, bytes } = await this.#run(job, fitFacts, image, signal, into);
    if (facts.how === 'none') return facts;
    const { how, extension, isUnchanged, fileBytes } = facts;
    const isFile = fileBytes !== undefined && into !== undefined;
    const made = isFile ? { size: fileBytes, path: into } : inMemory(bytes);
    return { how, type: extension, made: isUnchanged ? undefined : made };
  }

  async check(image: FileContent, signal: AbortSignal): Promise<CheckedImage> {
    const job = { do: 'check', mostPixels: this.#mostPixels } as const;
    const { facts, bytes } = await this.#run(job, checkFacts, image, signal);
    const { extension: type, isUnchanged } = facts;
    const clean = isUnchanged ? await wholeOf(image) : bytes;
    return { bytes: clean, type, dataUri: `data:${type.mime};base64,${clean.toString('base64')}` };
  }

  async measure(image: FileContent, signal: AbortSignal): Promise<PictureFacts> {
    const job = { do: 'measure', mostPixels: this.#mostPixels } as const;
    return (await this.#run(job, measureFacts, image, signal)).facts;
  }

  async sideMask(side: MaskSide, size: MaskSize, signal: AbortSignal): Promise<Buffer> {
    const job = { do: 'side-mask', side, size, mostPixels: this.#mostPixels } as const;
    return (await this.#run(job, noFacts, undefined, signal)).bytes;
  }

  async drawnMask(drawn: FileContent, signal: AbortSignal): Promise<DrawnMask> {
    const job = { do: 'drawn-mask', mostPixels: this.#mostPixels } as const;
    const { facts, bytes } = await this.#run(job, maskFacts, drawn, signal);
    return facts.marks === 'a part' ? { marks: facts.marks, bytes } : { marks: facts.marks };
  }

  async #run<Facts>(
    job: Job,
    facts: z.ZodType<Facts>,
    input: FileContent | undefined,
    signal: AbortSignal,
    into?: string,
  ) {
    try {
      return await this.#process.run(job, facts, { input, into, signal });
    } catch (error) {
      throw error instanceof JobLost ? mediaError(error) : error;
    }
  }
}

function mediaError(lost: JobLost): MediaError {
  switch (lost.reason) {
    case 'memory':
    case 'time':
      return new MediaError('too-large', 'The image takes more memory or time to be decoded than it may.', {
        cause: lost,
      });
    case 'closed':
      return new MediaError('unreachable', 'The bot is stopping.', { code: 'closed', cause: lost });
    case 'busy':
      return new MediaError('unreachable', 'Too many images are waiting already.', { cause: lost });
    case 'died':
      return damaged(lost);
  }
}
