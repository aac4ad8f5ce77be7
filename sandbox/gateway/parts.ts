import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../src/lib/clock.ts';
import type { PlainFault } from './fault.ts';
import type { FaultBook } from './faults.ts';
import type { Files } from './files.ts';
import type { HeardBook, NoteHeard } from './heard.ts';
import type { Idempotency } from './idempotency.ts';
import type { JobBook } from './job-book.ts';
import type { KeyGrant, KeyRing } from './keys.ts';
import type { Pace } from './pace.ts';
import type { Random } from './random.ts';
import type { RealtimeBook } from './realtime/book.ts';
import type { Settings } from './settings.ts';
import type { Tally } from './tally.ts';
import type { UsageBook } from './usage-book.ts';

/** What the routes share. */
export interface Parts {
  readonly settings: Settings;
  readonly keys: KeyRing;
  readonly jobs: JobBook;
  readonly tally: Tally;
  readonly usage: UsageBook;
  readonly faults: FaultBook;
  readonly files: Files;
  readonly heard: HeardBook;
  readonly idempotency: Idempotency;
  /** Answers whose stream has not ended. */
  readonly writing: Set<object>;
  readonly realtime: RealtimeBook;
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
    fault: { readonly does: PlainFault; readonly onlyIfTaken: boolean } | null;
    noteHeard: NoteHeard | null;
  }
  interface FastifyContextConfig {
    /** The kind of job a submit makes, for faults that ask for it. */
    kind?: string;
    /** Takes multipart/form-data beside JSON. */
    forms?: boolean;
    isPublic?: boolean;
  }
}
