import type { Clock } from '../../lib/clock.ts';
import type { MediaProcess } from '../media-process/media-process.ts';

export interface MediaSettings {
  /** Scheme, host and port of the gateway: allowed at any address, and the only origin that gets the key. */
  readonly gatewayOrigin: string;
  readonly apiKey: string;
  /** For a file host in the operator's network: applies to addresses from the gateway, never to those from members. */
  readonly allowPrivate: boolean;
  /** Further origins that are allowed at any address, but never get the key: the file host of an embedded Discord. */
  readonly extraOrigins?: readonly string[];
}

export type ResolveHost = (name: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

export interface MediaParts {
  readonly log: { warn(facts: object, sentence: string): void };
  readonly clock?: Clock;
  /** Where files are decoded. Without one, `Media` starts its own. */
  readonly process?: MediaProcess;
  readonly resolve?: ResolveHost;
  /** The parent of the folder for temporary files. */
  readonly temporaryFolder?: string;
}

const MIB = 1024 * 1024;

export const defaultLimits = {
  /** The limit for one file. Discord accepts far less; a larger one can at best be shown as a preview or a link. */
  fileBytes: 100 * MIB,
  /** For files in the bot's memory; the rest goes to disk. Half of the bot's 48 MiB: the other half is for a file needed whole. */
  memoryBytes: 24 * MIB,
  /** Larger files go to disk. Memory outside the heap is given back late: with 2 MB results in it the bot grew by a quarter. */
  inMemoryBytes: MIB,
  /** The limit for all results that are held or being fetched at the same time, in memory and on disk. */
  resultsBytes: 512 * MIB,
  /** The same limit for files from members: they have their own room, so no member's link delays a result. */
  memberFilesBytes: 256 * MIB,
  /** Concurrent fetches of files from one member. */
  fetchesPerMember: 2,
  redirects: 3,
  /** Connections to one host. */
  connections: 8,
  connectMs: 5_000,
  /** Until a response begins: some gateways fetch the file from elsewhere first. */
  headersMs: 30_000,
  /** Between two chunks of a file. */
  chunkMs: 20_000,
  /** A host that sends fewer bytes per second for `paceMs` is given up. Even a slow mobile connection is faster. */
  leastBytesPerSecond: 8 * 1024,
  paceMs: 10_000,
  /** From the call to the last byte, including the wait for room. */
  overallMs: 5 * 60_000,
  /** For one image, all frames of an animation counted. A grid of four 4K images has 67 million pixels. */
  pixels: 100_000_000,
};

export type MediaLimits = Readonly<typeof defaultLimits>;
