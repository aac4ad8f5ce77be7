import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../src/lib/clock.ts';
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

/** What the routes share. */
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
  /** Answers whose stream has not ended. */
  readonly writing: Set<object>;
  readonly realtime: LiveSessions;
  readonly pace: Pace;
  /** The pace's own, for what is as long at any speed. */
  readonly clock: Clock;
  readonly random: Random;
  readonly url: () => string;
}

export type Routes = (server: FastifyInstance, parts: Parts) => void;

declare module 'fastify' {
  interface FastifyRequest {
    grant: KeyGrant;
    /** Spoils the answer when it leaves (`fault-answers.ts`). */
    fault: { readonly effect: PlainFault; readonly onlyIfAccepted: boolean } | null;
    updateRecord: UpdateRecord | null;
  }
  interface FastifyContextConfig {
    /** The kind of job a submit makes, for faults that ask for it. */
    kind?: string;
    /** Takes multipart/form-data beside JSON. */
    acceptsForms?: boolean;
    isPublic?: boolean;
  }
}
