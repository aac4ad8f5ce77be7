import { isRecord } from '../../../lib/exact-json.ts';
import { errorOf, statusOf } from '../error-responses.ts';
import { type GatewayError, withEffect } from '../errors.ts';
import type { GatewayHttp } from '../http.ts';
import { asText } from '../read/places.ts';
import type { RealtimeSettings } from './events.ts';
import { type Ear, Line, lost } from './line.ts';
import type { Memory } from './memory.ts';
import { blamed, type Dialect, type Dialects, type EventNames, type Frame, sessionOf } from './wire.ts';

/** Shared by all parts of one session. */
export interface Surroundings {
  readonly http: GatewayHttp;
  readonly names: EventNames;
  readonly memory: Memory;
  /** Ended responses: later events about them are ignored. */
  readonly past: Set<string>;
}

/** Opens the connections of one session, applies its settings and replays the conversation so far. */
export class Connector {
  readonly #around: Surroundings;
  readonly #dialects: Dialects;
  readonly #headers: Readonly<Record<string, string>>;
  #settings: RealtimeSettings;

  constructor(around: Surroundings, dialects: Dialects, settings: RealtimeSettings, isBeta: boolean) {
    this.#around = around;
    this.#dialects = dialects;
    this.#settings = settings;
    this.#headers = isBeta ? { 'OpenAI-Beta': 'realtime=v1' } : {};
  }

  /** Whether audio is transcribed; a gateway may have refused it. */
  get writesDown(): boolean {
    return this.#settings.transcriber !== undefined;
  }

  /** A new connection, and the gateway's session id. */
  async connect(signal: AbortSignal): Promise<{ line: Line; id: string }> {
    const { http, memory, names } = this.#around;
    const query = { model: this.#settings.model };
    const socket = await http.socket({ path: '/v1/realtime', query, headers: this.#headers, signal });
    const { host } = http.baseUrl;
    const inbox = new Inbox();
    const line = new Line(socket, host, http.tools.clock, inbox);
    const leave = (): void => {
      line.close();
      inbox.lose(lost('aborted', host));
    };
    signal.addEventListener('abort', leave);
    try {
      if (signal.aborted) throw lost('aborted', host);
      const { session } = (await this.#next(inbox, 'session.created', undefined)).body;
      const dialect = await this.#set(line, inbox, this.#dialects.choose(session));
      for (const item of memory.items(dialect)) await line.send(names.event('conversation.item.create', { item }));
      return { line, id: (isRecord(session) ? asText(session.id) : undefined) ?? names.fresh() };
    } catch (error) {
      line.close();
      throw error;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Sends the settings, as far as the gateway accepts them, in the dialect that it accepts. */
  async #set(line: Line, inbox: Inbox, start: Dialect): Promise<Dialect> {
    const { http, names } = this.#around;
    let dialect = start;
    for (;;) {
      const event = names.event('session.update', { session: sessionOf(dialect, this.#settings) });
      await line.send(event);
      const { type, body } = await this.#next(inbox, 'session.updated', event.event_id);
      if (type === 'session.updated') {
        this.#dialects.taken(dialect);
        return dialect;
      }
      const error = errorOf(body);
      const other = this.#dialects.otherAfter(error, dialect);
      if (this.writesDown && isAboutTranscriber(error)) {
        this.#settings = { ...this.#settings, transcriber: undefined };
        http.tools.log.info({ model: this.#settings.model }, 'The gateway refused to transcribe audio.');
      } else if (other) dialect = other;
      else throw this.#refusal(error);
    }
  }

  /** The expected event, or the refusal of our event; any other error ends the attempt. */
  async #next(inbox: Inbox, wanted: string, asked: string | undefined): Promise<Frame> {
    for (;;) {
      const frame = await inbox.next(wanted, this.#around.http);
      if (frame.type === wanted) return frame;
      const error = errorOf(frame.body);
      if (asked === undefined) throw this.#refusal(error);
      if ((blamed(error) ?? asked) === asked) return frame;
    }
  }

  #refusal(error: Record<string, unknown>): GatewayError {
    // A gateway that names a field has understood the request.
    const status = asText(error.param) === undefined ? statusOf(error) : 400;
    return withEffect(this.#around.http.errorIn({ error }, status), false);
  }
}

function isAboutTranscriber({ param }: Record<string, unknown>): boolean {
  return asText(param)?.includes('transcription') ?? false;
}

const OF_SESSIONS = new Set(['session.created', 'session.updated', 'error']);

/** Events of a session that is being set up, read in order with a time limit. */
class Inbox implements Ear {
  readonly #frames: Frame[] = [];
  #why: GatewayError | undefined;
  #wake: (() => void) | undefined;

  hear(frame: Frame): void {
    if (!OF_SESSIONS.has(frame.type)) return;
    this.#frames.push(frame);
    this.#wake?.();
  }

  lose(why: GatewayError): void {
    this.#why = why;
    this.#wake?.();
  }

  /** The next event of this type, or the next error; skips others. */
  async next(wanted: string, { limits, tools, baseUrl }: GatewayHttp): Promise<Frame> {
    let late: GatewayError | undefined;
    const cancel = tools.clock.after(limits.readMs, () => {
      late = lost('silent', baseUrl.host);
      this.#wake?.();
    });
    try {
      for (;;) {
        const frame = this.#frames.shift();
        if (frame?.type === wanted || frame?.type === 'error') return frame;
        if (frame) continue;
        const why = this.#why ?? late;
        if (why) throw why;
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
    } finally {
      cancel();
    }
  }
}
