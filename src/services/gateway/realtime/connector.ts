import { addAbortListener } from 'node:events';
import { timerFor } from '../../../lib/clock.ts';
import { isRecord } from '../../../lib/exact-json.ts';
import { errorInEvent, statusOfError } from '../error-responses.ts';
import { type GatewayError, withTakenEffect } from '../errors.ts';
import type { GatewayHttp } from '../http.ts';
import { asText } from '../places.ts';
import type { EarlierTurn, RealtimeSettings } from '../realtime-events.ts';
import { type ConnectionListener, connectionError, RealtimeConnection } from './connection.ts';
import {
  causingEventId,
  type Dialect,
  type DialectDetector,
  type EventIds,
  type RealtimeFrame,
  toSessionPayload,
} from './wire.ts';

/** Shared by all parts of one session. */
export interface SessionContext {
  readonly http: GatewayHttp;
  readonly eventIds: EventIds;
  readonly history: () => Promise<readonly EarlierTurn[]>;
  /** The ids of ended responses, so that later events about them are ignored. */
  readonly endedResponses: Set<string>;
}

/** The limit for a whole set-up. Each event has a limit of its own, but errors about other events may arrive without end. */
const SETUP_TIMEOUT_MS = 60_000;

/** Opens the connections of one session, and applies its settings. */
export class Connector {
  readonly #context: SessionContext;
  readonly #dialects: DialectDetector;
  readonly #headers: Readonly<Record<string, string>>;
  #settings: RealtimeSettings;

  constructor(context: SessionContext, dialects: DialectDetector, settings: RealtimeSettings, isBeta: boolean) {
    this.#context = context;
    this.#dialects = dialects;
    this.#settings = settings;
    this.#headers = isBeta ? { 'OpenAI-Beta': 'realtime=v1' } : {};
  }

  /** Whether audio is transcribed; false once the gateway has refused to transcribe it. */
  get isTranscribed(): boolean {
    return this.#settings.transcriber !== undefined;
  }

  /** Opens a new connection, and returns it with the gateway's session id. */
  async connect(signal: AbortSignal): Promise<{ connection: RealtimeConnection; id: string }> {
    const { http, eventIds } = this.#context;
    const query = { model: this.#settings.model };
    const socket = await http.socket({ path: '/v1/realtime', query, headers: this.#headers, signal });
    const eventReader = new SetupEventReader();
    const connection = new RealtimeConnection(socket, http.parts.clock, eventReader);
    const fail = (reason: 'aborted' | 'silent'): void => {
      connection.close();
      eventReader.onLost(connectionError(reason));
    };
    using _timer = timerFor(http.parts.clock, SETUP_TIMEOUT_MS, () => fail('silent'));
    using _listener = addAbortListener(signal, () => fail('aborted'));
    try {
      if (signal.aborted) throw connectionError('aborted');
      const { session } = (await this.#awaitEvent(eventReader, 'session.created', undefined)).body;
      await this.#applySettings(connection, eventReader, this.#dialects.choose(session));
      return { connection, id: (isRecord(session) ? asText(session.id) : undefined) ?? eventIds.nextId() };
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Sends the settings, and changes the settings or the dialect until the gateway accepts them. */
  async #applySettings(
    connection: RealtimeConnection,
    eventReader: SetupEventReader,
    initialDialect: Dialect,
  ): Promise<void> {
    const { http, eventIds } = this.#context;
    let dialect = initialDialect;
    for (;;) {
      const event = eventIds.createEvent('session.update', { session: toSessionPayload(dialect, this.#settings) });
      await connection.send(event);
      const { type, body } = await this.#awaitEvent(eventReader, 'session.updated', event.event_id);
      if (type === 'session.updated') {
        this.#dialects.confirm(dialect);
        connection.dialect = dialect;
        return;
      }
      const error = errorInEvent(body);
      const alternative = this.#dialects.alternativeAfter(error, dialect);
      if (this.isTranscribed && asText(error.param)?.includes('transcription')) {
        this.#settings = { ...this.#settings, transcriber: undefined };
        http.parts.log.info({ model: this.#settings.model }, 'The gateway refused to transcribe audio.');
      } else if (alternative) dialect = alternative;
      else throw this.#refusal(error);
    }
  }

  /** Waits for the expected event, or the refusal of our event; any other error ends the attempt. */
  async #awaitEvent(eventReader: SetupEventReader, type: string, eventId: string | undefined): Promise<RealtimeFrame> {
    for (;;) {
      const frame = await eventReader.next(type, this.#context.http);
      if (frame.type === type) return frame;
      const error = errorInEvent(frame.body);
      if (eventId === undefined) throw this.#refusal(error);
      if ((causingEventId(error) ?? eventId) === eventId) return frame;
    }
  }

  #refusal(error: Record<string, unknown>): GatewayError {
    // A gateway that names a field has understood the request, so the error counts as a 400.
    const status = asText(error.param) === undefined ? statusOfError(error) : 400;
    return withTakenEffect(this.#context.http.parseError({ error }, status), false);
  }
}

const SETUP_EVENTS = new Set(['session.created', 'session.updated', 'error']);

/** Reads the events of a session that is being set up, in order and with a time limit. */
class SetupEventReader implements ConnectionListener {
  readonly #frames: RealtimeFrame[] = [];
  #error: GatewayError | undefined;
  #wake: (() => void) | undefined;

  onFrame(frame: RealtimeFrame): void {
    if (!SETUP_EVENTS.has(frame.type)) return;
    this.#frames.push(frame);
    this.#wake?.();
  }

  onLost(error: GatewayError): void {
    this.#error = error;
    this.#wake?.();
  }

  /** Waits for the next event of this type, or the next error; skips others. */
  async next(type: string, { limits, parts }: GatewayHttp): Promise<RealtimeFrame> {
    let timeoutError: GatewayError | undefined;
    using _timer = timerFor(parts.clock, limits.readMs, () => {
      timeoutError = connectionError('silent');
      this.#wake?.();
    });
    for (;;) {
      const frame = this.#frames.shift();
      if (frame?.type === type || frame?.type === 'error') return frame;
      if (frame) continue;
      const error = this.#error ?? timeoutError;
      if (error) throw error;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }
}
