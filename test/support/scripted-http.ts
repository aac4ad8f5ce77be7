import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Dispatcher } from 'undici';

export interface ScriptedRequest {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  /** Parsed if it is JSON; text if it is an upload; undefined for a read. */
  body: unknown;
}

export type Reply = { status?: number; body?: unknown } | 'reset' | 'hang';

/** The reply, or what the other side does when the request arrives. */
type Script = Reply | ((request: ScriptedRequest) => Reply | Promise<Reply>);

/**
 * The other side of an HTTP client, without a socket: the first reply is used whose pattern matches the method and the
 * path, such as `POST /v1/images`; replies for one request come before those for all. It is for tests of what the bot
 * does with replies; what a gateway or Discord may send is tested with the embedded ones.
 */
export class ScriptedHttp extends Dispatcher {
  readonly url: string;
  readonly requests: ScriptedRequest[] = [];
  #scripts: { pattern: RegExp; script: Script; isRepeated: boolean }[] = [];

  constructor(url: string) {
    super();
    this.url = url;
  }

  /** The replies to the next requests that match, in order. */
  reply(pattern: RegExp, ...scripts: Script[]): void {
    this.#scripts.push(...scripts.map((script) => ({ pattern, script, isRepeated: false })));
  }

  /** The reply to all further requests that match. */
  replyAlways(pattern: RegExp, script: Script): void {
    this.#scripts.push({ pattern, script, isRepeated: true });
  }

  /** The requests that match, in order. */
  requestsTo(pattern: RegExp): ScriptedRequest[] {
    return this.requests.filter((request) => pattern.test(nameOf(request)));
  }

  /** How many requests matched. */
  count(pattern: RegExp): number {
    return this.requestsTo(pattern).length;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandlers): boolean {
    const { method, path, headers } = options;
    let isAborted = false;
    handler.onConnect?.((reason) => {
      isAborted = true;
      handler.onError?.(reason ?? new Error('The request was aborted.'));
    });
    if (isAborted) return true;
    const request: ScriptedRequest = {
      method,
      path: decodeURIComponent(path),
      headers: headersIn(headers),
      body: undefined,
    };
    this.requests.push(request);
    const matching = this.#scripts.filter(({ pattern }) => pattern.test(nameOf(request)));
    const next = matching.find(({ isRepeated }) => !isRepeated) ?? matching.at(-1);
    if (!next) throw new Error(`No reply is scripted for ${nameOf(request)}.`);
    if (!next.isRepeated) this.#scripts = this.#scripts.filter((one) => one !== next);
    const answer = async (): Promise<void> => {
      request.body = await bodyIn(options.body);
      const reply = typeof next.script === 'function' ? await next.script(request) : next.script;
      if (!isAborted) send(reply, handler);
    };
    answer().catch((error: Error) => handler.onError?.(error));
    return true;
  }
}

const nameOf = ({ method, path }: ScriptedRequest): string => `${method} ${path}`;

function headersIn(headers: Dispatcher.DispatchOptions['headers']): Record<string, string> {
  const words = Array.isArray(headers) ? headers : Object.entries(headers ?? {}).flat();
  const pairs = Array.from({ length: words.length / 2 }, (_, index) => [words[2 * index], words[2 * index + 1]]);
  return Object.fromEntries(pairs.map(([name, value]) => [String(name).toLowerCase(), String(value)]));
}

async function bodyIn(body: unknown): Promise<unknown> {
  if (body instanceof Readable) return text(body);
  return typeof body === 'string' ? JSON.parse(body) : body;
}

function send(reply: Reply, handler: Dispatcher.DispatchHandlers): void {
  if (reply === 'hang') return;
  if (reply === 'reset') {
    handler.onError?.(Object.assign(new Error('The connection was reset.'), { code: 'ECONNRESET' }));
    return;
  }
  const { status = 200, body } = reply;
  const content = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  const type = body === undefined ? [] : ['content-type', 'application/json'];
  const headers = [...type, 'content-length', String(Buffer.byteLength(content))];
  handler.onHeaders?.(
    status,
    headers.map((word) => Buffer.from(word)),
    () => undefined,
    '',
  );
  handler.onData?.(Buffer.from(content));
  handler.onComplete?.([]);
}
