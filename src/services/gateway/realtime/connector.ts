import { isRecord } from '../../../lib/exact-json.ts';
import type { GatewayError } from '../errors.ts';
import type { GatewayHttp } from '../http.ts';
import { asText } from '../read/values.ts';
import { errorOf, statusOf } from '../responses/failure.ts';
import type { Dialect, Dialects } from './dialect.ts';
import type { RealtimeSettings } from './events.ts';
import { lost, ofSaid } from './failures.ts';
import { blamed, type Frame } from './frames.ts';
import { Inbox } from './inbox.ts';
import { Line } from './line.ts';
import type { Memory } from './memory.ts';
import { type EventNames, sessionOf } from './wire.ts';

const PATH = '/v1/realtime';

interface Connection {
  line: Line;
  /** The gateway's id of it. */
  id: string;
}

/** Makes connections of one session: opened, set as it is to be, and told the conversation so far. */
export class Connector {
  readonly #http: GatewayHttp;
  readonly #dialects: Dialects;
  readonly #names: EventNames;
  readonly #isBeta: boolean;
  #settings: RealtimeSettings;

  constructor(http: GatewayHttp, dialects: Dialects, names: EventNames, settings: RealtimeSettings, isBeta: boolean) {
    this.#http = http;
    this.#dialects = dialects;
    this.#names = names;
    this.#settings = settings;
    this.#isBeta = isBeta;
  }

  /** Whether sounds are written down; a gateway may have refused to. */
  get writesDown(): boolean {
    return this.#settings.transcriber !== undefined;
  }

  async connect(memory: Memory, signal: AbortSignal): Promise<Connection> {
    const socket = await this.#http.socket({
      path: PATH,
      query: { model: this.#settings.model },
      headers: this.#isBeta ? { 'OpenAI-Beta': 'realtime=v1' } : {},
      signal,
    });
    const { host } = this.#http.baseUrl;
    const inbox = new Inbox(this.#http.tools.clock);
    const line = new Line(socket, host, this.#http.tools.clock, inbox);
    const leave = (): void => {
      line.close();
      inbox.lose(lost('aborted', host));
    };
    signal.addEventListener('abort', leave);
    try {
      if (signal.aborted) throw lost('aborted', host);
      const { session } = (await this.#next(inbox, 'session.created', undefined)).body;
      const dialect = await this.#set(line, inbox, this.#dialects.choose(session));
      for (const item of memory.items(dialect)) {
        await line.send(this.#names.event('conversation.item.create', { item }));
      }
      return { line, id: (isRecord(session) ? asText(session.id) : undefined) ?? this.#names.fresh() };
    } catch (error) {
      line.close();
      throw error;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** The settings as far as the gateway takes them, in the dialect in which it does. */
  async #set(line: Line, inbox: Inbox, start: Dialect): Promise<Dialect> {
    let dialect = start;
    for (;;) {
      const event = this.#names.event('session.update', { session: sessionOf(dialect, this.#settings) });
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
        this.#http.tools.log.info({ model: this.#settings.model }, 'The gateway writes nothing down of what it hears.');
      } else if (other) dialect = other;
      else throw this.#refusal(error);
    }
  }

  /** The event that is waited for, or the refusal of ours; any other error ends the attempt. */
  async #next(inbox: Inbox, wanted: string, asked: string | undefined): Promise<Frame> {
    for (;;) {
      const frame = await inbox.next(
        [wanted, 'error'],
        this.#http.limits.readMs,
        lost('silent', this.#http.baseUrl.host),
      );
      if (frame.type === wanted) return frame;
      const error = errorOf(frame.body);
      if (asked === undefined) throw this.#refusal(error);
      if ((blamed(error) ?? asked) === asked) return frame;
    }
  }

  #refusal(error: Record<string, unknown>): GatewayError {
    // Who names a field has understood what was asked.
    const status = asText(error.param) === undefined ? statusOf(error) : 400;
    return ofSaid(this.#http.errorIn({ error }, status), false);
  }
}

function isAboutTranscriber({ param }: Record<string, unknown>): boolean {
  return asText(param)?.includes('transcription') ?? false;
}
