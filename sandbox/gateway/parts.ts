import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.ts';
import type { PlainFault } from './fault.ts';
import type { FaultQueue } from './faults.ts';
import type { Files } from './files.ts';
import type { Idempotency } from './idempotency.ts';
import type { JobStore } from './job-store.ts';
import type { KeyGrant, KeyStore } from './keys.ts';
import type { Pace } from './pace.ts';
import type { Random } from './random.ts';
import type { LiveSessions } from './realtime/live-sessions.ts';
import type { RequestLog, UpdateRecord } from './request-log.ts';
import type { Settings } from './settings.ts';
import type { Tally } from './tally.ts';
import type { UsageLedger } from './usage-ledger.ts';

/** The services that the routes share. */
export interface Parts {
  readonly settings: Settings;
  readonly keys: KeyStore;
  readonly jobs: JobStore;
  readonly tally: Tally;
  readonly usage: UsageLedger;
  readonly faults: FaultQueue;
  readonly files: Files;
  readonly requestLog: RequestLog;
  readonly idempotency: Idempotency;
  /** The responses that are still being streamed. */
  readonly openStreams: Set<object>;
  readonly realtime: LiveSessions;
  readonly pace: Pace;
  /** The clock behind `pace`, for durations that do not depend on the speed. */
  readonly clock: Clock;
  readonly random: Random;
  readonly url: () => string;
}

export type Routes = (server: FastifyInstance, parts: Parts) => void;

declare module 'fastify' {
  interface FastifyRequest {
    grant: KeyGrant;
    /** Altered when the response is sent (`apply-fault.ts`). */
    fault: { readonly effect: PlainFault; readonly onlyIfAccepted: boolean } | null;
    updateRecord: UpdateRecord | null;
  }
  interface FastifyContextConfig {
    /** The kind of job that a submit creates, for faults limited to it. */
    kind?: string;
    /** Accepts multipart/form-data in addition to JSON. */
    acceptsForms?: boolean;
    isPublic?: boolean;
  }
}
