/** What a job is given. */
export interface Work {
  /** The file, or nothing. */
  readonly bytes: Buffer<ArrayBuffer>;
  readonly signal: AbortSignal;
  /** Waits until there is so much memory; what it returns gives it back. */
  claim(bytes: number, signal: AbortSignal): Promise<() => void>;
}

/** No body where there is nothing to send, or the file stays as it came. */
export interface Done {
  readonly facts: object;
  readonly body?: Uint8Array;
}
