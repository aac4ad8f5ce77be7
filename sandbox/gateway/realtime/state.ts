import type { Clock } from '../../clock.ts';
import type { Model } from '../catalogue.ts';
import type { FaultQueue } from '../faults.ts';
import type { KeyGrant } from '../keys.ts';
import type { Pace } from '../pace.ts';
import type { Settings as GatewaySettings } from '../settings.ts';
import type { UsageLedger } from '../usage-ledger.ts';
import type { ClientSocket } from './client-socket.ts';
import type { Conversation } from './conversation.ts';
import type { Dialect } from './dialect.ts';
import type { FaultTiming, RealtimeFault } from './fault.ts';
import type { ReplyStep } from './reply-steps.ts';
import type { Settings } from './settings.ts';

/** The parts of the gateway that a session uses; a separate type avoids an import cycle. */
export interface SessionParts {
  readonly settings: GatewaySettings;
  readonly faults: FaultQueue;
  readonly usage: UsageLedger;
  readonly openStreams: Set<object>;
  readonly pace: Pace;
  readonly clock: Clock;
}

/** The part of a session that replies and transcripts use. */
export interface SessionState {
  readonly conversationId: string;
  readonly dialect: Dialect;
  readonly client: ClientSocket;
  readonly parts: SessionParts;
  readonly grant: KeyGrant;
  readonly model: Model;
  readonly createId: (prefix: string) => string;
  readonly conversation: Conversation;
  readonly settings: Settings;
  faultAt(timing: FaultTiming): RealtimeFault | undefined;
  endBy(effect: Extract<ReplyStep, { effect: unknown }>['effect']): void;
  /** Notifies observers that the session's state has changed. */
  notifyChange(): void;
}
