import { lookup } from 'node:dns/promises';
import { tmpdir } from 'node:os';
import { type Clock, systemClock } from '../../lib/clock.ts';
import type { MediaProcess } from '../media-process/media-process.ts';
import type { Resolve } from './addresses/guard.ts';

export interface MediaSettings {
  /** Scheme, host and port of the gateway: allowed wherever it is, and the only place that ever sees the key. */
  readonly gatewayOrigin: string;
  readonly apiKey: string;
  /** For a file host in one's own network: holds for addresses that the gateway has named, never for those that members give. */
  readonly allowPrivate: boolean;
  /** Further origins that are allowed wherever they are, but never see the key: where an embedded Discord keeps its files. */
  readonly alsoAllowed?: readonly string[];
}

/** What the room needs from outside. */
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

export const defaultTools = {
  clock: systemClock,
  temporary: tmpdir(),
  resolve: (name: string) => lookup(name, { all: true }),
} as const satisfies Omit<MediaTools, 'log' | 'process'>;
