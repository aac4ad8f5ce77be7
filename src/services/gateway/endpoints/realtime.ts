import { Resource } from '../http.ts';
import { Connector, type SessionContext } from '../realtime/connector.ts';
import { DialectDetector, EventIds } from '../realtime/wire.ts';
import { type EarlierTurn, type RealtimeSettings, realtimeSettings } from '../realtime-events.ts';
import { RealtimeSession } from '../realtime-session.ts';
import { validate } from '../schemas.ts';

interface OpenOptions {
  /** Returns the conversation so far. Called before the first utterance on each connection. */
  history?: (() => Promise<readonly EarlierTurn[]>) | undefined;
  /** Aborts the opening of the session, and has no effect after that. */
  signal?: AbortSignal | undefined;
}

/** Live conversations (4.10). */
export class Realtime extends Resource {
  readonly #dialects = new DialectDetector();
  readonly #sessions = new Set<RealtimeSession>();

  /** Resolves when the gateway has accepted the settings; a refusal is thrown. */
  async open(
    settings: RealtimeSettings,
    { history = async () => [], signal }: OpenOptions = {},
  ): Promise<RealtimeSession> {
    const checkedSettings = validate(realtimeSettings, settings);
    const eventIds = new EventIds(this.http.parts.random);
    const context: SessionContext = { http: this.http, eventIds, history, endedResponses: new Set<string>() };
    const connector = new Connector(context, this.#dialects, checkedSettings, this.http.settings.realtimeBeta);
    const session = new RealtimeSession(context, connector, () => this.#sessions.delete(session));
    this.#sessions.add(session);
    await session.open(signal);
    return session;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.close()));
  }
}
