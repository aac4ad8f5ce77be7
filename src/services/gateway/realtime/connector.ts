import { isRecord } from '../../../lib/exact-json.ts';
import { errorOf, statusOf } from '../error-responses.ts';
import { type GatewayError, withEffect } from '../errors.ts';
import type { GatewayHttp } from '../http.ts';
import { asText } from '../read/places.ts';
import type { RealtimeSettings } from './events.ts';
import { type Ear, Line, lost } from './line.ts';
import type { Memory } from './memory.ts';
import { blamed, type Dialect, type Dialects, type EventNames, type Frame, sessionOf } from './wire.ts';

/** What all that is said in one session shares. */
export interface Surroundings {
  readonly http: GatewayHttp;
  readonly names: EventNames;
  readonly memory: Memory;
  /** Responses that have ended: what is still told of them is nobody's business. */
  readonly past: Set<string>;
}

/** Makes connections of one session: opened, set as it is to be, and told the conversation so far. */
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

  /** Whether sounds are written down; a gateway may have refused to. */
  get writesDown(): boolean {
    return this.#settings.transcriber !== undefined;
  }

  /** A new connection, and the gateway's id of it. */
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

  /** The settings as far as the gateway takes them, in the dialect in which it does. */
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
        http.tools.log.info({ model: this.#settings.model }, 'The gateway writes nothing down of what it hears.');
      } else if (other) dialect = other;
      else throw this.#refusal(error);
    }
  }

  /** The event that is waited for, or the refusal of ours; any other error ends the attempt. */
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
    // Who names a field has understood what was asked.
    const status = asText(error.param) === undefined ? statusOf(error) : 400;
    return withEffect(this.#around.http.errorIn({ error }, status), false);
  }
}

function isAboutTranscriber({ param }: Record<string, unknown>): boolean {
  return asText(param)?.includes('transcription') ?? false;
}

const OF_SESSIONS = new Set(['session.created', 'session.updated', 'error']);

/** What a gateway says while a session is made: asked for in order, with a limit of time. */
class Inbox implements Ear {
  readonly #frames: Frame[] = [];
  #why: GatewayError | undefined;
  #wake: (() => void) | undefined;

  hear(frame: Frame): void {
    // Nobody will ask for anything else.
    if (!OF_SESSIONS.has(frame.type)) return;
    this.#frames.push(frame);
    this.#wake?.();
  }

  lose(why: GatewayError): void {
    this.#why = why;
    this.#wake?.();
  }

  /** The next event of this type, or the next error; others are passed over. */
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
