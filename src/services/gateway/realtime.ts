import type { GatewayHttp } from './http.ts';
import { Connector } from './realtime/connector.ts';
import {
  type EarlierTurn,
  earlierTurns,
  type RealtimeSession,
  type RealtimeSettings,
  realtimeSettings,
} from './realtime/events.ts';
import { Memory } from './realtime/memory.ts';
import { Session } from './realtime/session.ts';
import { Dialects, EventNames } from './realtime/wire.ts';
import { checked } from './schemas.ts';
import type { GatewaySettings } from './settings.ts';

interface OpenOptions {
  /** The conversation so far, if this session continues one. */
  earlier?: readonly EarlierTurn[] | undefined;
  /** Until the session is open. */
  signal?: AbortSignal | undefined;
}

/** Live conversations (4.10). */
export class Realtime {
  readonly #http: GatewayHttp;
  readonly #isBeta: boolean;
  readonly #dialects = new Dialects();
  readonly #sessions = new Set<Session>();

  constructor(http: GatewayHttp, settings: Pick<GatewaySettings, 'realtimeBeta'>) {
    this.#http = http;
    this.#isBeta = settings.realtimeBeta;
  }

  /** Resolves when the gateway has accepted the settings; a refusal is thrown. */
  async open(settings: RealtimeSettings, { earlier = [], signal }: OpenOptions = {}): Promise<RealtimeSession> {
    const wanted = checked(realtimeSettings, settings);
    const memory = new Memory(checked(earlierTurns, earlier));
    const names = new EventNames(this.#http.tools.random);
    const around = { http: this.#http, names, memory, past: new Set<string>() };
    const connector = new Connector(around, this.#dialects, wanted, this.#isBeta);
    const session = new Session(around, connector, () => this.#sessions.delete(session));
    this.#sessions.add(session);
    await session.open(signal);
    return session;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.close()));
  }
}
