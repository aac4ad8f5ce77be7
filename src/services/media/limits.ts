const MIB = 1024 * 1024;

/** Patience and appetite. */
export interface MediaLimits {
  /** The most bytes of one file. */
  readonly fileBytes: number;
  /** The most file bytes that are held in the bot's own memory; what has no room there lies on the disk. */
  readonly memoryBytes: number;
  /** A larger file lies on the disk. */
  readonly inMemoryBytes: number;
  /** The most bytes of all results that are held or being fetched at the same time, wherever they lie. */
  readonly resultsBytes: number;
  /** The same for files that members gave: they have room of their own, so that no link of theirs keeps a result waiting. */
  readonly givenBytes: number;
  /** How many files that one member gave are fetched at the same time. */
  readonly fetchesOfMember: number;
  readonly redirects: number;
  /** Connections to one host. */
  readonly connections: number;
  readonly connectMs: number;
  /** Until an answer begins: some gateways fetch the file from elsewhere first. */
  readonly headersMs: number;
  /** Between two pieces of a file. */
  readonly pieceMs: number;
  /** A host that brings less than so many bytes a second for so long is given up. */
  readonly leastPerSecond: number;
  readonly paceMs: number;
  /** From the asking to the last byte, waiting for room included. */
  readonly overallMs: number;
  /** The most pixels of one picture, all frames of an animation counted. */
  readonly pixels: number;
}

export const defaultLimits: MediaLimits = {
  // Discord takes far less; what is larger can at best be shown as a preview or a link.
  fileBytes: 100 * MIB,
  // Half of the 48 MiB of file bytes that the bot may have in its memory: the other half is for a file that is needed whole.
  memoryBytes: 24 * MIB,
  // What lies outside of the heap is given back late: with results of two megabytes in memory the bot grew by a quarter more.
  inMemoryBytes: MIB,
  resultsBytes: 512 * MIB,
  givenBytes: 256 * MIB,
  fetchesOfMember: 2,
  redirects: 3,
  connections: 8,
  connectMs: 5_000,
  headersMs: 30_000,
  pieceMs: 20_000,
  // A telephone on a bad day brings more.
  leastPerSecond: 8 * 1024,
  paceMs: 10_000,
  overallMs: 5 * 60_000,
  // A grid of four 4K pictures has 67 million.
  pixels: 100_000_000,
};
