import type { Clock } from '../../lib/clock.ts';
import type { MediaProcess } from '../media-process/media-process.ts';
import type { Resolve } from './addresses.ts';

export interface MediaSettings {
  /** Scheme, host and port of the gateway: allowed wherever it is, and the only place that ever sees the key. */
  readonly gatewayOrigin: string;
  readonly apiKey: string;
  /** For a file host in one's own network: holds for addresses that the gateway has named, never for those that members give. */
  readonly allowPrivate: boolean;
  /** Further origins that are allowed wherever they are, but never see the key: where an embedded Discord keeps its files. */
  readonly alsoAllowed?: readonly string[];
}

export interface MediaTools {
  readonly log: { warn(facts: object, sentence: string): void };
  readonly clock?: Clock;
  /** Where files are decoded. Without one it has one of its own. */
  readonly process?: MediaProcess;
  /** What DNS says about a host that is not the gateway. */
  readonly resolve?: Resolve;
  /** Where temporary files are kept, in a folder of their own. */
  readonly temporary?: string;
}

const MIB = 1024 * 1024;

/** Patience and appetite. */
export const defaultLimits = {
  /** The most bytes of one file. Discord takes far less; what is larger can at best be shown as a preview or a link. */
  fileBytes: 100 * MIB,
  /**
   * The most file bytes that are held in the bot's own memory; what has no room there lies on the disk. Half of the 48 MiB that the
   * bot may have: the other half is for a file that is needed whole.
   */
  memoryBytes: 24 * MIB,
  /**
   * A larger file lies on the disk. What lies outside of the heap is given back late: with results of two megabytes in memory the
   * bot grew by a quarter more.
   */
  inMemoryBytes: MIB,
  /** The most bytes of all results that are held or being fetched at the same time, wherever they lie. */
  resultsBytes: 512 * MIB,
  /** The same for files that members gave: they have room of their own, so that no link of theirs keeps a result waiting. */
  givenBytes: 256 * MIB,
  /** How many files that one member gave are fetched at the same time. */
  fetchesOfMember: 2,
  redirects: 3,
  /** To one host. */
  connections: 8,
  connectMs: 5_000,
  /** Until an answer begins: some gateways fetch the file from elsewhere first. */
  headersMs: 30_000,
  /** Between two pieces of a file. */
  pieceMs: 20_000,
  /** A host that brings less than so many bytes a second for so long is given up. A telephone on a bad day brings more. */
  leastPerSecond: 8 * 1024,
  paceMs: 10_000,
  /** From the asking to the last byte, waiting for room included. */
  overallMs: 5 * 60_000,
  /** The most pixels of one picture, all frames of an animation counted. A grid of four 4K pictures has 67 million. */
  pixels: 100_000_000,
};

export type MediaLimits = Readonly<typeof defaultLimits>;
