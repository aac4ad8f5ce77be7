import { lookup } from 'node:dns/promises';
import { tmpdir } from 'node:os';
import { BufferReclaimer } from '../../lib/buffer-reclaimer.ts';
import { type Clock, systemClock, timerFor } from '../../lib/clock.ts';
import { expecting } from '../../lib/expecting.ts';
import { CapacityPool, KeyedLimiter } from './capacity.ts';
import { decodeBase64, type FileContent, hashOf, memoryContent, readChunks, readWhole, withReader } from './content.ts';
import { download } from './download/download.ts';
import { openPrivateFiles, type PrivateFile, type PrivateFiles } from './download/private-files.ts';
import { type FileStorage, type HeldFile, receiveFile } from './download/receive-file.ts';
import { damagedFileError, MediaError } from './errors.ts';
import { ImageProcessor } from './files/image-processor.ts';
import { recogniseContent, videoFacts } from './files/recognise.ts';
import {
  defaultMediaLimits,
  type MediaLimits,
  type MediaParts,
  type MediaSettings,
  type StoredResultCheck,
} from './files/settings.ts';
import type { Fingerprint } from './fingerprint.ts';
import { Hosts, type UrlSource } from './hosts.ts';
import type { FitResult } from './images/fit.ts';
import type { ImageFacts } from './images/image-editor.ts';
import type { DrawnMask, MaskSide, MaskSize } from './images/mask.ts';
import { MAX_MARK_BYTES, type Provenance } from './images/provenance.ts';
import { type MediaType, mediaTypes } from './media-types.ts';
import { cleanRecording, markVideo } from './videos/clean.ts';
import { isTruncatedFile } from './videos/mp4.ts';

type MediaSource = { readonly address: string } | { readonly base64: string };

/** A file in memory or on disk. It counts towards the shared capacity until it is released. */
export type FetchedFile = FileContent & { readonly type: MediaType; release(): void };

/** A file that was reduced to the limit, if possible. Releasing the file releases all memory that was claimed for it. */
type FittedFile =
  | ({ readonly how: Exclude<FitResult['how'], 'none'>; readonly lostManifest?: boolean } & FetchedFile)
  | { readonly how: 'none' };

interface FetchOptions {
  signal?: AbortSignal | undefined;
  max?: number | undefined;
  /** A time limit that is shorter than the general one. */
  timeoutMs?: number | undefined;
  /** The member who gave the URL. Such files are fetched without the API key, never from the operator's network, and only a few at the same time. */
  givenBy?: string | undefined;
}
type Abortable = Pick<FetchOptions, 'signal'>;

type ImageInput = Buffer | FileContent;

/** The longest that a delivery waits for the perceptual hash of its image. */
const MAX_PERCEPTUAL_HASH_MS = 10_000;

type TypedFile = Omit<Extract<FitResult, { bytes: Buffer }>, 'how'>;

export class Media {
  readonly #clock: Clock;
  readonly #log: MediaParts['log'];
  readonly #limits: MediaLimits;
  readonly #files: PrivateFiles;
  readonly #results: FileSource;
  readonly #memberFiles: FileSource;
  readonly #memberLimiter: KeyedLimiter;
  readonly #isStoredResult: StoredResultCheck;
  readonly #images: ImageProcessor;
  readonly videoFacts = videoFacts;
  readonly readWhole = readWhole;
  readonly #closing = new AbortController();

  constructor(settings: MediaSettings, parts: MediaParts, limits: MediaLimits) {
    const {
      log,
      clock = systemClock,
      temporaryFolder = tmpdir(),
      isStoredResult = async () => false,
      resolve = (name) => lookup(name, { all: true }),
    } = parts;
    this.#log = log;
    this.#clock = clock;
    this.#limits = limits;
    this.#files = openPrivateFiles({ clock, log, parent: temporaryFolder });
    const shared = {
      files: this.#files,
      memory: { freeBytes: limits.memoryBytes },
      reclaimer: new BufferReclaimer(),
      maxBytesInMemory: limits.inMemoryBytes,
    };
    const createSource = (urlSource: UrlSource, bytes: number): FileSource => {
      const max = Math.min(limits.fileBytes, bytes);
      const storage = { capacity: new CapacityPool(bytes, max), ...shared };
      return { max, storage, hosts: new Hosts(settings, limits, resolve, urlSource) };
    };
    this.#results = createSource('results', limits.resultsBytes);
    this.#memberFiles = createSource('given', limits.memberFilesBytes);
    this.#isStoredResult = isStoredResult;
    this.#memberLimiter = new KeyedLimiter(limits.fetchesPerMember);
    this.#images = new ImageProcessor(parts.process, limits.pixels);
  }

  async fetch(source: MediaSource, options: FetchOptions = {}): Promise<FetchedFile> {
    return await recogniseFile(await this.#receive(source, options));
  }

  /** Fetches a file that need not be an image, video or audio. */
  async fetchDocument(address: string, options: FetchOptions = {}): Promise<FileContent & { release(): void }> {
    const { content, release } = await this.#receive({ address }, options);
    return { ...content, release };
  }

  async #receive(source: MediaSource, { givenBy, ...options }: FetchOptions): Promise<HeldFile> {
    const { storage, hosts, ...fileSource } = givenBy === undefined ? this.#results : this.#memberFiles;
    const max = Math.min(options.max ?? Number.POSITIVE_INFINITY, fileSource.max);
    return await this.#withTimeout(options, async (signal) => {
      if ('base64' in source) return await receiveFile(decodeBase64(source.base64, max), storage, { max, signal });
      const isStoredResult = async () => givenBy !== undefined && this.#isStoredResult(source.address, givenBy);
      const downloadOptions = { hosts, storage, limits: this.#limits, clock: this.#clock, max, isStoredResult, signal };
      const get = () => download(source.address, downloadOptions);
      return await (givenBy === undefined ? get() : this.#memberLimiter.run(givenBy, signal, get));
    });
  }

  async #withTimeout<T>(options: FetchOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { timeoutMs = Number.POSITIVE_INFINITY, signal } = options;
    const timeoutController = new AbortController();
    const onTimeout = () => timeoutController.abort(new MediaError('timeout', 'The file took too long to arrive.'));
    using _timer = timerFor(this.#clock, Math.min(timeoutMs, this.#limits.overallMs), onTimeout);
    return await this.#withSignals([signal, timeoutController.signal], work);
  }

  async fit({ bytes, type }: TypedFile, maxBytes: number, options: Abortable = {}): Promise<FitResult> {
    if (type.kind !== 'image') return bytes.length <= maxBytes ? { how: 'as-is', bytes, type } : { how: 'none' };
    const fitted = await this.#fitImage(memoryContent(bytes), maxBytes, options, {});
    if (fitted.how === 'none') return fitted;
    const { output, lostManifest: _, ...rest } = fitted;
    return { ...rest, bytes: output ? await readWhole(output) : bytes };
  }

  #fitImage(
    content: FileContent,
    maxBytes: number,
    { signal: callerSignal }: Abortable,
    fitOptions: { into?: string | undefined; provenance?: Provenance | undefined },
  ) {
    return this.#withSignals([callerSignal], (signal) =>
      this.#images.fit(content, maxBytes, { signal, ...fitOptions }),
    );
  }

  /** Reduces a fetched file to the limit. Releases the original unless its memory passes to the returned file. */
  async fitFetchedFile(
    fetched: FetchedFile,
    maxBytes: number,
    { provenance, ...options }: Abortable & { provenance?: Provenance | undefined } = {},
  ): Promise<FittedFile> {
    const unchanged: FittedFile = { how: 'as-is', ...fetched };
    let isReturned = false;
    let outputFile: PrivateFile | undefined;
    try {
      if (fetched.type.kind !== 'image') {
        if (fetched.size > maxBytes) return { how: 'none' };
        const prepared = provenance ? await prepareVideo(fetched, maxBytes, provenance) : fetched;
        isReturned = true;
        return { how: 'as-is', ...prepared };
      }
      // A re-encoded file is rarely larger than the original, so it goes to disk only if the original is there.
      if (fetched.path !== undefined) outputFile = await this.#files.create();
      const fitted = await this.#fitImage(fetched, maxBytes, options, { into: outputFile?.path, provenance });
      if (fitted.how === 'none') return fitted;
      const { how, type, output, lostManifest } = fitted;
      isReturned = output === undefined;
      if (output === undefined) return unchanged;
      // The result takes up memory just as a fetched file does, so the original's memory is released first.
      fetched.release();
      const { content, release } = await this.#withTimeout(options, (signal) =>
        receiveFile(readChunks(output), this.#results.storage, { max: Number.POSITIVE_INFINITY, signal }),
      );
      return { how, type, ...content, release, ...(lostManifest && { lostManifest }) };
    } finally {
      if (!isReturned) fetched.release();
      await outputFile?.remove();
    }
  }

  async checkImage(image: ImageInput) {
    return await this.#withSignals([], (signal) => this.#images.check(contentOf(image), signal));
  }

  async imageFacts(image: ImageInput): Promise<ImageFacts> {
    return await this.#withSignals([], (signal) => this.#images.measure(contentOf(image), signal));
  }

  /** Computes the fingerprints by which a file is recognised. An image that cannot be decoded in time has no perceptual hash. */
  async fingerprint(file: FileContent & { readonly type: MediaType }): Promise<Fingerprint> {
    const hash = await hashOf(file);
    if (file.type.kind !== 'image') return { hash };
    const perceptualHash = await this.#withTimeout({ timeoutMs: MAX_PERCEPTUAL_HASH_MS }, (signal) =>
      this.#images.perceptualHashOf(file, signal),
    ).catch(expecting(MediaError, () => undefined));
    return { hash, ...(perceptualHash !== undefined && { likeness: perceptualHash }) };
  }

  /** Creates a PNG of the image's size: white where the image is to be changed, black elsewhere. */
  async createSideMask(side: MaskSide, size: MaskSize): Promise<Buffer> {
    return await this.#withSignals([], (signal) => this.#images.createSideMask(side, size, signal));
  }

  async readDrawnMask(image: ImageInput): Promise<DrawnMask> {
    return await this.#withSignals([], (signal) => this.#images.readDrawnMask(contentOf(image), signal));
  }

  /** Ends everything that is running, and refuses everything from then on. */
  async close(): Promise<void> {
    const message = 'Files are no longer fetched: the bot is stopping.';
    this.#closing.abort(new MediaError('unreachable', message, { code: 'closed' }));
    await Promise.all([this.#results.hosts.close(), this.#memberFiles.hosts.close()]);
    await this.#files.close();
  }

  /** Combines all signals that can end the work early. The signal's reason becomes the error, even if another failure came first. */
  async #withSignals<T>(signals: readonly (AbortSignal | undefined)[], work: (signal: AbortSignal) => Promise<T>) {
    const signal = AbortSignal.any([...signals.filter((one) => one !== undefined), this.#closing.signal]);
    try {
      signal.throwIfAborted();
      return await work(signal);
    } catch (error) {
      const cause: unknown = signal.aborted ? signal.reason : error;
      if (cause instanceof MediaError) {
        if (cause.kind === 'forbidden-address') this.#log.warn({ kind: cause.kind }, 'A file was not fetched.');
        throw cause;
      }
      if (!signal.aborted) throw error;
      throw new MediaError('unreachable', 'The file is no longer needed.', { code: 'aborted', cause });
    }
  }
}

export function openMedia(settings: MediaSettings, parts: MediaParts, limits: Partial<MediaLimits> = {}): Media {
  return new Media(settings, parts, { ...defaultMediaLimits, ...limits });
}

/** Strips the metadata from a video or audio result and adds a mark, as far as the format allows. */
async function prepareVideo(fetched: FetchedFile, maxBytes: number, { sourceType: defaultSourceType }: Provenance) {
  const { type, release } = fetched;
  const { content, isSealed, lostManifest, sourceType = defaultSourceType } = await cleanRecording(fetched, type);
  const canBeMarked = type === mediaTypes.mp4 && !isSealed && content.size + MAX_MARK_BYTES <= maxBytes;
  const marked = defaultSourceType && sourceType && canBeMarked ? await markVideo(content, sourceType) : content;
  return { ...marked, type, release, ...(lostManifest && { lostManifest }) };
}

/** Files from members and results from the gateway have separate memory and connections. */
interface FileSource {
  readonly max: number;
  readonly storage: FileStorage;
  readonly hosts: Hosts;
}

async function recogniseFile({ content, release }: HeldFile): Promise<FetchedFile> {
  try {
    return await withReader(content, async (reader) => {
      const type = await recogniseContent(reader);
      if (!type)
        throw new MediaError('not-media', 'The fetched file is not an image, video or audio file that can be shown.');
      if (await isTruncatedFile(reader, type)) throw damagedFileError();
      return { ...content, type, release };
    });
  } catch (error) {
    release();
    throw error;
  }
}

const contentOf = (image: ImageInput): FileContent => (Buffer.isBuffer(image) ? memoryContent(image) : image);
