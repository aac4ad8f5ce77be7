/** Small facts that the processes of a cluster share. A claim expires unless its holder renews it. */
export interface SharedFacts {
  /**
   * Returns true if the caller has the claim now: it was free, had expired, or was already the caller's (and is renewed). `endedHolder`: one whose
   * process has certainly ended, whose claim may be taken.
   */
  claim(name: string, holder: string, ms: number, endedHolder?: string): Promise<boolean>;
  /** Releases a claim; has no effect if it belongs to another holder. */
  release(name: string, holder: string): Promise<void>;
  /** The live claims whose names have this prefix, with their holders. */
  claims(prefix: string): Promise<ReadonlyMap<string, string>>;
  read(name: string): Promise<string | undefined>;
  /** Writes only while `holder` has `claim`; otherwise changes nothing and returns false. */
  write(name: string, text: string, held: { claim: string; holder: string }): Promise<boolean>;
  /** Writes only if `name` still has the expected text (undefined if it did not exist); otherwise changes nothing and returns false. */
  replace(name: string, expected: string | undefined, newText: string): Promise<boolean>;
  /** Keeps an entry in a list for this time, which starts again if the entry is added again. */
  add(list: string, entry: string, ms: number): Promise<void>;
  /** The entries that were added after a time by the server's clock, in order, and the time of this query. */
  addedSince(list: string, since: number): Promise<{ entries: readonly string[]; at: number }>;
  close(): Promise<void>;
}
