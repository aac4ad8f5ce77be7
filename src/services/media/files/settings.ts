import type { Clock } from '../../../lib/clock.ts';
import type { MediaProcess } from '../media-process.ts';

export interface MediaSettings {
  /** Scheme, host and port of the gateway. It is allowed at any address for results, and is the only origin that gets the API key. */
  readonly gatewayOrigin: string;
  readonly apiKey: string;
  /** Allows private addresses, for a file host in the operator's network. Applies to URLs from the gateway, never to those from members. */
  readonly allowPrivate: boolean;
  /** Further origins that are allowed at any address but never get the API key, such as the file host of an embedded Discord. */
  readonly extraOrigins?: readonly string[];
}

export type ResolveHost = (name: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/** Whether a URL that a member gave is the one of a result that the member may use. */
export type StoredResultCheck = (address: string, memberId: string) => Promise<boolean>;

export interface MediaParts {
  readonly log: { warn(facts: object, message: string): void };
  readonly clock?: Clock;
  readonly process: MediaProcess;
  readonly resolve?: ResolveHost;
  /** Without it, no URL from a member reaches a gateway in a private network. */
  readonly isStoredResult?: StoredResultCheck;
  /** The parent of the folder for temporary files. */
  readonly temporaryFolder?: string;
}

const MIB = 1024 * 1024;

export const defaultMediaLimits = {
  /** The size limit of a file. Discord accepts far less, so a larger file could at best be shown as a preview or a link. */
  fileBytes: 100 * MIB,
  /**
   * The limit for files in the bot's memory; the rest is stored on disk. It is half of the bot's 48 MiB; the other half is for a file that
   * is needed as a whole.
   */
  memoryBytes: 24 * MIB,
  /** Larger files are stored on disk. Memory outside the heap is freed late: with results of 2 MB in memory, the bot used a quarter more. */
  inMemoryBytes: MIB,
  /** The limit for all results that are held or being fetched at the same time, in memory and on disk. */
  resultsBytes: 512 * MIB,
  /** The same limit for files from members. They have their own capacity, so that no member's link can delay a result. */
  memberFilesBytes: 256 * MIB,
  fetchesPerMember: 2,
  redirects: 3,
  /** Connections to one host. */
  connections: 8,
  connectMs: 5_000,
  /** The wait for the start of a response. Some gateways fetch the file from elsewhere first. */
  headersMs: 30_000,
  /** The longest pause between two chunks of a file. */
  chunkMs: 20_000,
  /** If a host sends fewer bytes per second for `paceMs`, the download fails. Even a slow mobile connection is faster. */
  minBytesPerSecond: 8 * 1024,
  paceMs: 10_000,
  /** The limit for the whole fetch, from the call to the last byte, including the wait for capacity. */
  overallMs: 5 * 60_000,
  /** The limit for one image, including all frames of an animation. A grid of four 4K images has 67 million pixels. */
  pixels: 100_000_000,
};

export type MediaLimits = Readonly<typeof defaultMediaLimits>;
