const MIB = 1024 * 1024;

/** Patience and appetite. */
export interface MediaLimits {
  /** The most bytes of one file. */
  readonly fileBytes: number;
  /** The most bytes of all files that are held or being fetched at the same time. */
  readonly memoryBytes: number;
  readonly redirects: number;
  /** Connections to one host. */
  readonly connections: number;
  readonly connectMs: number;
  /** Until an answer begins: some gateways fetch the file from elsewhere first. */
  readonly headersMs: number;
  /** Between two pieces of a file. */
  readonly pieceMs: number;
  /** From the asking to the last byte, waiting for memory included. */
  readonly overallMs: number;
  /** The most pixels of one picture, all frames of an animation counted. */
  readonly pixels: number;
  /** How many pictures are worked on at the same time. */
  readonly picturesAtOnce: number;
}

export const defaultLimits: MediaLimits = {
  // Discord takes far less; what is larger can at best be shown as a preview or a link.
  fileBytes: 100 * MIB,
  memoryBytes: 256 * MIB,
  redirects: 3,
  connections: 8,
  connectMs: 5_000,
  headersMs: 30_000,
  pieceMs: 20_000,
  overallMs: 5 * 60_000,
  // A grid of four 4K pictures has 67 million; decoded, this many are 400 MB.
  pixels: 100_000_000,
  picturesAtOnce: 1,
};
