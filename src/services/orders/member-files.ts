import type { PlainLog } from '../../lib/log.ts';
import type { Pcm } from '../../lib/pcm.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { AudioService } from '../media/audio.ts';
import { type FileContent, readChunks } from '../media/content.ts';
import { MediaError } from '../media/errors.ts';
import type { FetchedFile, Media } from '../media/media.ts';
import type { Materials, Reference } from '../tasks/materials.ts';

export interface MemberFilesParts {
  media: Media;
  sounds: AudioService;
  log: PlainLog;
  memberId: string;
}

/** A file that a request names. The medium is set for references; other files are images. */
interface NamedFile {
  address: string;
  name: string;
  medium?: Medium;
}

export const MB = 1_000_000;
/** The specification gives no limit. A model does not see more detail in a larger image. */
const MAX_IMAGE_BYTES = 20 * MB;
/** The member is waiting, and a slow host must not hold up the requests of others. */
export const FETCH_LIMIT_MS = 60_000;
/** More text than any model can read. */
const MAX_DOCUMENT_BYTES = 10 * MB;
/** Four 4K images have 67 million pixels; hardly any reference image is larger. */
const MAX_IMAGE_PIXELS = 80_000_000;

/** Enough for a detailed video of 15 seconds. Discord does not accept larger files from most members. */
const MAX_VIDEO_BYTES = 100 * MB;

/** Five minutes of uncompressed stereo speech. */
const MAX_AUDIO_BYTES = 60 * MB;
/** No utterance is longer than this, and models cannot process more. */
const MAX_AUDIO_SECONDS = 5 * 60;

export const megabytesOf = (bytes: number): number => bytes / MB;

type Medium = Reference['medium'];

/** Fetches files from members, without the API key. Files are released after use, even after a failure. */
export class MemberFiles {
  readonly #parts: MemberFilesParts;

  constructor(parts: MemberFilesParts) {
    this.#parts = parts;
  }

  async withFile<T>(source: NamedFile, work: (file: FetchedFile) => Promise<T>): Promise<T> {
    const { address, medium = 'image' } = source;
    try {
      const file = await this.#parts.media.fetch({ address }, this.#options(limitOf(medium)));
      return await withRelease(file, async () => {
        const { kind } = file.type;
        if (medium !== 'any' && kind !== medium) throw new MediaError('not-media', `The file is of the kind ${kind}.`);
        if (kind === 'image' && file.size > MAX_IMAGE_BYTES) throw imageTooLarge(source.name);
        return await work(file);
      });
    } catch (error) {
      throw error instanceof Refusal ? error : refusalOf(this.toExpectedError(error), source);
    }
  }

  /** Decodes the image completely and removes its metadata. */
  async checkImage(file: FileContent) {
    const { width, height, frames } = await this.#parts.media.imageFacts(file);
    if (width * height * frames > MAX_IMAGE_PIXELS) {
      throw new MediaError('too-large', `The image has more than ${MAX_IMAGE_PIXELS / 1e6} million pixels.`);
    }
    return await this.#parts.media.checkImage(file);
  }

  /** Reads files one at a time, each as a PDF or as plain text. */
  async readDocuments(sources: readonly NamedFile[]): Promise<ReadDocument[]> {
    return await Array.fromAsync(sources, (one) => {
      const { name } = one;
      const tooLarge = new Refusal('refusals.documentTooLarge', { name, megabytes: megabytesOf(MAX_DOCUMENT_BYTES) });
      return this.#withContent(one, MAX_DOCUMENT_BYTES, tooLarge, (file) => readDocument(name, file));
    });
  }

  /** Reads a member's recording. The format is determined by the bytes, and not by the name. */
  readAudio(source: NamedFile): Promise<Pcm> {
    const tooLarge = new Refusal('refusals.fileTooLarge', {
      name: source.name,
      megabytes: megabytesOf(MAX_AUDIO_BYTES),
    });
    const work = (file: FileContent): Promise<Pcm> =>
      this.#parts.sounds.decode(file, { maxSeconds: MAX_AUDIO_SECONDS });
    return this.#withContent(source, MAX_AUDIO_BYTES, tooLarge, work);
  }

  async #withContent<T>(
    { address, name }: NamedFile,
    max: number,
    tooLarge: Refusal,
    work: (file: FileContent) => Promise<T>,
  ): Promise<T> {
    try {
      const file = await this.#parts.media.fetchDocument(address, this.#options(max));
      return await withRelease(file, () => work(file));
    } catch (error) {
      if (error instanceof Refusal) throw error;
      const { kind } = this.toExpectedError(error);
      if (kind === 'too-large') throw tooLarge;
      if (kind === 'expired') throw new Refusal('refusals.documentGone', { name });
      throw new Refusal('refusals.imageUnreachable', { name });
    }
  }

  #options(max: number) {
    return { max, timeoutMs: FETCH_LIMIT_MS, givenBy: this.#parts.memberId };
  }

  /** Failures of a file are expected and become a refusal; only the log contains the cause. */
  toExpectedError(error: unknown): MediaError {
    if (!(error instanceof MediaError)) throw error;
    if (error.code === 'closed') throw new Refusal('refusals.stopping');
    this.#parts.log.info({ kind: error.kind }, 'A file of a request could not be used.');
    return error;
  }
}

export async function withRelease<T>(file: { release(): void }, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    file.release();
  }
}

const limitOf = (medium: Medium): number => (medium === 'image' ? MAX_IMAGE_BYTES : MAX_VIDEO_BYTES);

const imageTooLarge = (name: string): Refusal =>
  new Refusal('refusals.imageTooLarge', { name, megabytes: megabytesOf(MAX_IMAGE_BYTES) });

function refusalOf({ kind }: MediaError, source: NamedFile): Refusal {
  const { name, medium = 'image' } = source;
  const megabytes = megabytesOf(limitOf(medium));
  switch (kind) {
    case 'not-media':
    case 'damaged':
      if (medium === 'video') return new Refusal('refusals.videoInvalid', { name });
      if (medium === 'audio') return new Refusal('refusals.audioInvalid', { name });
      if (medium === 'any') return new Refusal('refusals.mediaInvalid', { name });
      return new Refusal('refusals.imageInvalid', { name });
    case 'too-large':
      if (medium === 'image') return imageTooLarge(name);
      return new Refusal('refusals.fileTooLarge', { name, megabytes });
    case 'expired':
      return new Refusal('refusals.imageGone', { name });
    case 'forbidden-address':
      // Files that only the bot can fetch may be uploaded instead.
      if (source.medium === undefined) return new Refusal('refusals.imageUnreachable', { name });
      return new Refusal('refusals.referenceNotPublic', { name });
    case 'unreachable':
    case 'timeout':
      return new Refusal('refusals.imageUnreachable', { name });
  }
}

type ReadDocument = NonNullable<Materials['documents']>[number];

const PDF_SIGNATURE = '%PDF-';
const PDF_HEAD_BYTES = 1024;
/** A multiple of three bytes, so the base64 chunks can be joined. */
const CHUNK_BYTES = 3 * 64 * 1024;

/** The type is determined by the bytes, never by the name. Documents are read in chunks, so that a large file does not block the event loop. */
async function readDocument(name: string, content: FileContent): Promise<ReadDocument> {
  if (content.size === 0) throw new Refusal('refusals.documentEmpty', { name });
  if (await isPdf(content)) {
    const base64 = await Array.fromAsync(readChunks(content, CHUNK_BYTES), (chunk) => chunk.toString('base64'));
    return { name, data: `data:application/pdf;base64,${base64.join('')}` };
  }
  const text = await readText(content);
  if (text === undefined) throw new Refusal('refusals.documentUnreadable', { name });
  if (!/\S/.test(text)) throw new Refusal('refusals.documentEmpty', { name });
  return { name, text };
}

async function isPdf(content: FileContent): Promise<boolean> {
  for await (const head of readChunks(content, PDF_HEAD_BYTES)) return head.includes(PDF_SIGNATURE);
  return false;
}

async function readText(content: FileContent): Promise<string | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const chunks: string[] = [];
  try {
    for await (const chunk of readChunks(content, CHUNK_BYTES)) {
      // Text contains no NUL; nearly every other file does.
      if (chunk.includes(0)) return undefined;
      chunks.push(decoder.decode(chunk, { stream: true }));
    }
    chunks.push(decoder.decode());
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
  return chunks.join('');
}
