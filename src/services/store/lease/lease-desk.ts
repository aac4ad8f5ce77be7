/** Somebody else's lease, as a newcomer sees it. */
export interface Held {
  /** Changes with every renewal, so that a holder who lives can be told from one who died. */
  mark: string;
  endsInMs: number;
}

/** Where a server keeps the lease of a store, by its own clock. */
export interface LeaseDesk {
  /** The fencing number, which grows with every holder; or who holds it. */
  take(holder: string, ms: number): Promise<number | Held>;
  /** false: it has run out, or is another's. */
  renew(holder: string, ms: number): Promise<boolean>;
  giveBack(holder: string): Promise<void>;
}
