import type { GatewayHttp } from '../http.ts';
import type { Memory } from './memory.ts';
import type { EventNames } from './wire.ts';

/** What all that is said in one session shares. */
export interface Surroundings {
  readonly http: GatewayHttp;
  readonly names: EventNames;
  readonly memory: Memory;
  /** Responses that have ended: what is still told of them is nobody's business. */
  readonly past: Set<string>;
}
