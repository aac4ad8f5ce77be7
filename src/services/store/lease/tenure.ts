import type { StoreError } from '../store-error.ts';

/** The store cannot be reached at the moment. */
export interface StoreTrouble {
  since: number;
  reason: string;
}

/** That this store is ours: one bot at a time may act on it. */
export interface Tenure {
  /** Throws where another bot may have taken over: called before everything that somebody outside could notice. */
  mustBeOurs(): void;
  /** It has come to its end although nobody here gave it back. */
  readonly lost: Promise<StoreError>;
  /** undefined: the store answers. */
  trouble(): StoreTrouble | undefined;
}

/** Of a store that the system itself keeps for this process, until it ends. */
export const soleTenure: Tenure = {
  mustBeOurs: () => undefined,
  lost: Promise.withResolvers<StoreError>().promise,
  trouble: () => undefined,
};
