import type { Model } from '../catalogue.ts';
import type { KeyGrant } from '../keys.ts';
import type { Body } from '../wire/view.ts';
import { Conversation } from './conversation.ts';
import { Detector } from './detector.ts';
import type { Dialect } from './dialect.ts';
import type { Moment, RealtimeFault } from './fault.ts';
import { InputBuffer } from './input-buffer.ts';
import { itemBody } from './item.ts';
import type { Line } from './line.ts';
import { errorEvent } from './refusal.ts';
import { type Settings, sessionBody, usualSettings } from './settings.ts';
import type { Rooms, SessionState } from './state.ts';
import { Transcripts } from './transcripts.ts';
import { Turns } from './turns.ts';

type Given = Pick<Session, 'line' | 'parts' | 'grant' | 'model' | 'freshId' | 'changed'>;

const MINUTE = 60_000;

/** A conversation over one socket, from the first word to the last. */
export class Session implements SessionState {
  readonly id: string;
  readonly conversationId: string;
  readonly dialect: Dialect;
  readonly line: Line;
  readonly parts: Rooms;
  readonly grant: KeyGrant;
  readonly model: Model;
  readonly freshId: (prefix: string) => string;
  readonly changed: () => void;
  readonly conversation = new Conversation();
  readonly buffer = new InputBuffer();
  readonly detector = new Detector();
  readonly transcripts: Transcripts;
  readonly turns: Turns;
  settings: Settings = usualSettings;
  /** What the client sent, newest last; sound is only counted. */
  readonly heard: unknown[] = [];
  readonly openedAt: number;
  readonly #expiresAt: number;
  #cancelLimit: () => void = () => undefined;
  #isOver = false;

  constructor({ line, parts, grant, model, freshId, changed }: Given) {
    this.line = line;
    this.parts = parts;
    this.grant = grant;
    this.model = model;
    this.freshId = freshId;
    this.changed = changed;
    this.id = freshId('sess');
    this.conversationId = freshId('conv');
    this.dialect = parts.settings.quirks.realtimeDialect;
    this.openedAt = parts.clock.now();
    this.#expiresAt = this.openedAt + parts.settings.quirks.realtimeMinutes * MINUTE;
    this.transcripts = new Transcripts(this);
    this.turns = new Turns(this);
  }

  get items(): readonly Body[] {
    return this.conversation.items.map((item) => itemBody(item, this.dialect));
  }

  /** Nothing more comes of it, though its connection may still stand. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get body(): Body {
    const head = { id: this.id, model: this.model.id, expiresAt: Math.floor(this.#expiresAt / 1000) };
    return sessionBody(head, this.settings, this.dialect);
  }

  open(): void {
    // The hour is the clock's own: a conversation is not shorter where jobs are quicker.
    this.#cancelLimit = this.parts.clock.after(this.#expiresAt - this.parts.clock.now(), () => this.expire());
    const fault = this.faultAt('open');
    if (fault) {
      this.suffer(fault.how === 'drop-open' ? 'drop' : 'hang');
      return;
    }
    this.line.tell({ type: 'session.created', session: this.body });
    const conversation = { id: this.conversationId, object: 'realtime.conversation' };
    this.line.tell({ type: 'conversation.created', conversation });
  }

  /** A refusal of something strikes those alone who ask for it. */
  faultAt(moment: Moment, asksForTranscripts = false): RealtimeFault | undefined {
    const occasion = { method: 'GET', path: '/v1/realtime', kind: 'realtime' };
    return this.parts.faults.forRealtime(occasion, moment, asksForTranscripts);
  }

  suffer(what: Parameters<SessionState['suffer']>[0]): void {
    switch (what) {
      case 'drop':
        this.cut();
        break;
      case 'hang':
        this.hang();
        break;
      case 'expire':
        this.expire();
        break;
      case 'close':
        this.#leave('trouble', 'internal error');
        break;
    }
  }

  cut(): void {
    this.closed();
    this.line.drop();
  }

  hang(): void {
    this.closed();
    this.line.hang();
  }

  expire(): void {
    const { realtimeMinutes } = this.parts.settings.quirks;
    const words = `Your session hit the maximum duration of ${realtimeMinutes} minutes.`;
    this.line.tell(errorEvent(words, { code: 'session_expired' }));
    this.#leave('expired', 'session expired');
  }

  /** Nothing more comes of it. */
  closed(): void {
    this.#isOver = true;
    this.#cancelLimit();
    this.turns.stop();
    this.transcripts.stop();
    this.changed();
  }

  #leave(reason: 'expired' | 'trouble', why: string): void {
    this.closed();
    this.line.close(reason, why);
  }
}
