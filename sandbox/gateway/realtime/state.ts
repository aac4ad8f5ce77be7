import type { Clock } from '../../../src/lib/clock.ts';
import type { Model } from '../catalogue.ts';
import type { FaultBook } from '../faults.ts';
import type { KeyGrant } from '../keys.ts';
import type { Pace } from '../pace.ts';
import type { Settings as GatewaySettings } from '../settings.ts';
import type { UsageBook } from '../usage-book.ts';
import type { Conversation } from './conversation.ts';
import type { Dialect } from './dialect.ts';
import type { Moment, RealtimeFault } from './fault.ts';
import type { Line } from './line.ts';
import type { Settings } from './settings.ts';
import type { Stroke } from './strokes.ts';

/** What a session has of its gateway, whose rooms know its sessions in turn. */
export interface Rooms {
  readonly settings: GatewaySettings;
  readonly faults: FaultBook;
  readonly usage: UsageBook;
  readonly writing: Set<object>;
  readonly pace: Pace;
  readonly clock: Clock;
}

/** What the answers and the transcripts of a session know of it. */
export interface SessionState {
  readonly conversationId: string;
  readonly dialect: Dialect;
  readonly line: Line;
  readonly parts: Rooms;
  readonly grant: KeyGrant;
  readonly model: Model;
  readonly freshId: (prefix: string) => string;
  readonly conversation: Conversation;
  readonly settings: Settings;
  faultAt(moment: Moment): RealtimeFault | undefined;
  suffer(what: Extract<Stroke, { does: unknown }>['does']): void;
  /** Tells observers that its state has changed. */
  changed(): void;
}
