import { decoded, measured } from './base64.ts';
import { Downloads, type Held } from './download/download.ts';
import { Hosts } from './download/hosts.ts';
import { Room } from './download/room.ts';
import { damaged, MediaError } from './errors.ts';
import { type FilmFacts, filmFacts } from './films/facts.ts';
import { defaultLimits, type MediaLimits } from './limits.ts';
import { type CheckedPicture, checkedPicture } from './pictures/checked-picture.ts';
import { examined, type PictureFacts } from './pictures/facts.ts';
import { type Fitted, fitPicture } from './pictures/fit-picture.ts';
import { type DrawnMask, drawnMask, type MaskSide, type MaskSize, sideMask } from './pictures/mask.ts';
import { Workbench } from './pictures/workbench.ts';
import { recognise } from './recognise/recognise.ts';
import type { MediaType } from './recognise/types.ts';
import { isCutShort } from './recognise/whole.ts';
import { defaultTools, type MediaSettings, type MediaTools } from './settings.ts';

export type MediaSource = { readonly address: string } | { readonly base64: string };

/** A file in memory, which counts against everybody's room until it is released. */
export interface Fetched {
  readonly bytes: Buffer;
  readonly type: MediaType;
  release(): void;
}

interface Interruptible {
  signal?: AbortSignal | undefined;
}

interface FetchOptions extends Interruptible {
  /** The most bytes that are of use. */
  most?: number | undefined;
  /** Shorter than everybody's. */
  patienceMs?: number | undefined;
  /** For an address that a member gave: nobody reaches with the bot's key what the key alone may see. */
  withoutKey?: boolean | undefined;
}

type File = Pick<Fetched, 'bytes' | 'type'>;

export interface Media {
  /** Fetches and recognises one result. */
  fetch(source: MediaSource, options?: FetchOptions): Promise<Fetched>;
  /** Fetches a file that need be no picture, film or sound. */
  document(address: string, options?: FetchOptions): Promise<Omit<Fetched, 'type'>>;
  /** Makes it small enough for an upload, or says that it cannot be. */
  fit(fetched: File, mostBytes: number, options?: Interruptible): Promise<Fitted>;
  /** A member's picture, fit to be sent to the gateway. */
  checkedPicture(bytes: Buffer, options?: Interruptible): Promise<CheckedPicture>;
  imageFacts(bytes: Buffer): Promise<PictureFacts>;
  filmFacts(bytes: Buffer): FilmFacts;
  /** A PNG as large as the picture, white where it is to be changed and black elsewhere. */
  sideMask(side: MaskSide, size: MaskSize, options?: Interruptible): Promise<Buffer>;
  /** The same from what a member has drawn. */
  drawnMask(bytes: Buffer, options?: Interruptible): Promise<DrawnMask>;
  /** Ends what is under way; afterwards everything is refused. */
  close(): Promise<void>;
}

export function openMedia(settings: MediaSettings, tools: MediaTools, limits: Partial<MediaLimits> = {}): Media {
  return new OpenMedia(settings, { ...defaultTools, ...tools }, { ...defaultLimits, ...limits });
}

class OpenMedia implements Media {
  readonly #tools: Required<MediaTools>;
  readonly #limits: MediaLimits;
  readonly #hosts: Hosts;
  readonly #keylessHosts: Hosts;
  readonly #room: Room;
  readonly #downloads: Downloads;
  readonly #keylessDownloads: Downloads;
  readonly #bench: Workbench;
  readonly #closing = new AbortController();

  constructor(settings: MediaSettings, tools: Required<MediaTools>, limits: MediaLimits) {
    this.#tools = tools;
    this.#limits = { ...limits, fileBytes: Math.min(limits.fileBytes, limits.memoryBytes) };
    const { apiKey: _, ...keyless } = settings;
    this.#hosts = new Hosts(settings, limits, tools.resolve);
    this.#keylessHosts = new Hosts(keyless, limits, tools.resolve);
    this.#room = new Room(limits.memoryBytes, this.#limits.fileBytes);
    this.#downloads = new Downloads(this.#hosts, this.#room, limits);
    this.#keylessDownloads = new Downloads(this.#keylessHosts, this.#room, limits);
    this.#bench = new Workbench(limits);
  }

  async fetch(source: MediaSource, options: FetchOptions = {}): Promise<Fetched> {
    return fetchedFrom(await this.#held(source, options));
  }

  async document(address: string, options: FetchOptions = {}): Promise<Omit<Fetched, 'type'>> {
    const { bytes, claim } = await this.#held({ address }, options);
    return { bytes, release: () => claim.release() };
  }

  async #held(source: MediaSource, options: FetchOptions): Promise<Held> {
    const most = Math.min(options.most ?? Number.POSITIVE_INFINITY, this.#limits.fileBytes);
    const late = new AbortController();
    const patienceMs = Math.min(options.patienceMs ?? Number.POSITIVE_INFINITY, this.#limits.overallMs);
    const downloads = options.withoutKey ? this.#keylessDownloads : this.#downloads;
    const stop = this.#tools.clock.after(patienceMs, () => late.abort(tookTooLong()));
    try {
      return await this.#interruptible([options.signal, late.signal], async (signal) => {
        return await ('address' in source
          ? downloads.get(source.address, { most, signal })
          : this.#decode(source.base64, most, signal));
      });
    } finally {
      stop();
    }
  }

  async fit({ bytes, type }: File, mostBytes: number, options: Interruptible = {}): Promise<Fitted> {
    if (type.kind !== 'image') return bytes.length <= mostBytes ? { how: 'as-is', bytes, type } : { how: 'none' };
    return await this.#interruptible([options.signal], async (signal) => {
      return await fitPicture(await examined(bytes, this.#limits.pixels), mostBytes, this.#bench, signal);
    });
  }

  async checkedPicture(bytes: Buffer, options: Interruptible = {}): Promise<CheckedPicture> {
    return await this.#interruptible([options.signal], (signal) => checkedPicture(bytes, this.#bench, signal));
  }

  async imageFacts(bytes: Buffer): Promise<PictureFacts> {
    const { width, height, frames } = await examined(bytes, this.#limits.pixels);
    return { width, height, frames };
  }

  filmFacts(bytes: Buffer): FilmFacts {
    return filmFacts(bytes);
  }

  async sideMask(side: MaskSide, size: MaskSize, options: Interruptible = {}): Promise<Buffer> {
    return await this.#interruptible([options.signal], (signal) => sideMask(side, size, this.#bench, signal));
  }

  async drawnMask(bytes: Buffer, options: Interruptible = {}): Promise<DrawnMask> {
    return await this.#interruptible([options.signal], (signal) => drawnMask(bytes, this.#bench, signal));
  }

  async close(): Promise<void> {
    this.#closing.abort(
      new MediaError('unreachable', 'Files are no longer fetched: the bot is stopping.', { code: 'closed' }),
    );
    await Promise.all([this.#hosts.close(), this.#keylessHosts.close(), this.#bench.close()]);
  }

  async #decode(base64: string, most: number, signal: AbortSignal): Promise<Held> {
    const encoded = measured(base64, most);
    const claim = this.#room.claim({ grows: false });
    await claim.take(encoded.bytes, signal);
    try {
      return { bytes: decoded(encoded), claim };
    } catch (error) {
      claim.release();
      throw error;
    }
  }

  /** One signal for everything that can end the work early; what ended it is then the error, whatever broke first. */
  async #interruptible<T>(
    signals: readonly (AbortSignal | undefined)[],
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const signal = AbortSignal.any([...signals.filter((one) => one !== undefined), this.#closing.signal]);
    try {
      signal.throwIfAborted();
      return await work(signal);
    } catch (error) {
      const cause: unknown = signal.aborted ? signal.reason : error;
      if (cause instanceof MediaError) {
        if (cause.kind === 'forbidden-address')
          this.#tools.log.warn({ reason: cause.message }, 'a file was not fetched');
        throw cause;
      }
      if (!signal.aborted) throw error;
      throw new MediaError('unreachable', 'The file is no longer wanted.', { code: 'aborted', cause });
    }
  }
}

function fetchedFrom({ bytes, claim }: Held): Fetched {
  const type = recognise(bytes);
  if (type && !isCutShort(bytes, type)) return { bytes, type, release: () => claim.release() };
  claim.release();
  if (type) throw damaged();
  throw new MediaError('not-media', 'What was fetched is no picture, film or sound that can be shown.');
}

function tookTooLong(): MediaError {
  return new MediaError('timeout', 'The file took too long to arrive.');
}
