import type { Model } from '../catalogue.ts';
import type { KeyGrant } from '../keys.ts';
import type { Body } from '../wire/view.ts';
import type { ClientSocket } from './client-socket.ts';
import { Conversation } from './conversation.ts';
import { Detector } from './detector.ts';
import type { Dialect } from './dialect.ts';
import { errorEvent } from './event-error.ts';
import type { FaultTiming, RealtimeFault } from './fault.ts';
import { InputBuffer } from './input-buffer.ts';
import { itemBody } from './item.ts';
import { defaultSettings, type Settings, sessionBody } from './settings.ts';
import type { SessionParts, SessionState } from './state.ts';
import { Transcripts } from './transcripts.ts';
import { Turns } from './turns.ts';

type SessionOptions = Pick<Session, 'client' | 'parts' | 'grant' | 'model' | 'createId' | 'notifyChange'>;

const MINUTE_MS = 60_000;

/** A live session over one WebSocket. */
export class Session implements SessionState {
  readonly id: string;
  readonly conversationId: string;
  readonly dialect: Dialect;
  readonly client: ClientSocket;
  readonly parts: SessionParts;
  readonly grant: KeyGrant;
  readonly model: Model;
  readonly createId: (prefix: string) => string;
  readonly notifyChange: () => void;
  readonly conversation = new Conversation();
  readonly buffer = new InputBuffer();
  readonly detector = new Detector();
  readonly transcripts: Transcripts;
  readonly turns: Turns;
  settings: Settings = defaultSettings;
  /** The events that the client sent, newest last; long strings are shortened. */
  readonly receivedEvents: unknown[] = [];
  readonly openedAt: number;
  readonly #expiresAt: number;
  #cancelLimit: () => void = () => undefined;
  #isOver = false;

  constructor({ client, parts, grant, model, createId, notifyChange }: SessionOptions) {
    this.client = client;
    this.parts = parts;
    this.grant = grant;
    this.model = model;
    this.createId = createId;
    this.notifyChange = notifyChange;
    this.id = createId('sess');
    this.conversationId = createId('conv');
    this.dialect = parts.settings.quirks.realtimeDialect;
    this.openedAt = parts.clock.now();
    this.#expiresAt = this.openedAt + parts.settings.quirks.realtimeMinutes * MINUTE_MS;
    this.transcripts = new Transcripts(this);
    this.turns = new Turns(this);
  }

  get items(): readonly Body[] {
    return this.conversation.items.map((item) => itemBody(item, this.dialect));
  }

  /** Whether the session has ended; its connection may still be open. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get body(): Body {
    const identity = { id: this.id, model: this.model.id, expiresAt: Math.floor(this.#expiresAt / 1000) };
    return sessionBody(identity, this.settings, this.dialect);
  }

  open(): void {
    // The time limit does not depend on the gateway's speed.
    this.#cancelLimit = this.parts.clock.after(this.#expiresAt - this.parts.clock.now(), () => this.expire());
    const fault = this.faultAt('open');
    if (fault) {
      this.endBy(fault.how === 'drop-open' ? 'drop' : 'hang');
      return;
    }
    this.client.send({ type: 'session.created', session: this.body });
    const conversation = { id: this.conversationId, object: 'realtime.conversation' };
    this.client.send({ type: 'conversation.created', conversation });
  }

  /** A fault that refuses transcription applies only if transcripts are requested. */
  faultAt(timing: FaultTiming, requestsTranscripts = false): RealtimeFault | undefined {
    const requestFacts = { method: 'GET', path: '/v1/realtime', kind: 'realtime' };
    return this.parts.faults.takeForRealtime(requestFacts, timing, requestsTranscripts);
  }

  endBy(effect: Parameters<SessionState['endBy']>[0]): void {
    switch (effect) {
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
        this.#closeClient('trouble', 'internal error');
        break;
    }
  }

  cut(): void {
    this.end();
    this.client.drop();
  }

  hang(): void {
    this.end();
    this.client.hang();
  }

  expire(): void {
    const { realtimeMinutes } = this.parts.settings.quirks;
    const message = `Your session hit the maximum duration of ${realtimeMinutes} minutes.`;
    this.client.send(errorEvent(message, { code: 'session_expired' }));
    this.#closeClient('expired', 'session expired');
  }

  /** Ends the session without closing its connection. */
  end(): void {
    this.#isOver = true;
    this.#cancelLimit();
    this.turns.stop();
    this.transcripts.stop();
    this.notifyChange();
  }

  #closeClient(reason: 'expired' | 'trouble', closeMessage: string): void {
    this.end();
    this.client.close(reason, closeMessage);
  }
}
