import { Dispatcher } from 'undici';

export interface ScriptedRequest {
  path: string;
  /** Undefined for a read. */
  body: unknown;
}

export type Reply = { status?: number; body: unknown } | 'reset' | 'hang';

/**
 * The gateway's side of the client's door, without a socket: the first reply whose path matches is used, once. It is for
 * tests of what the bot does with replies; what a gateway may send is tested with the embedded one.
 */
export class ScriptedGateway extends Dispatcher {
  readonly url = 'https://gateway.test';
  readonly requests: ScriptedRequest[] = [];
  #replies: { path: RegExp; reply: Reply; isRepeated: boolean }[] = [];

  /** The replies to the next requests whose paths match, in order. */
  reply(path: RegExp, ...replies: Reply[]): void {
    this.#replies.push(...replies.map((reply) => ({ path, reply, isRepeated: false })));
  }

  /** The reply to all further requests whose paths match. */
  replyAlways(path: RegExp, reply: Reply): void {
    this.#replies.push({ path, reply, isRepeated: true });
  }

  /** How many requests had a path that matches. */
  count(path: RegExp): number {
    return this.requests.filter((request) => path.test(request.path)).length;
  }

  override dispatch({ path, body }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandlers): boolean {
    this.requests.push({ path, body: typeof body === 'string' ? JSON.parse(body) : body });
    const next = this.#replies.find((one) => one.path.test(path));
    if (!next) throw new Error(`No reply is scripted for ${path}.`);
    if (!next.isRepeated) this.#replies = this.#replies.filter((one) => one !== next);
    handler.onConnect?.((reason) => handler.onError?.(reason ?? new Error('The request was aborted.')));
    queueMicrotask(() => send(next.reply, handler));
    return true;
  }
}

function send(reply: Reply, handler: Dispatcher.DispatchHandlers): void {
  if (reply === 'hang') return;
  if (reply === 'reset') {
    handler.onError?.(Object.assign(new Error('The connection was reset.'), { code: 'ECONNRESET' }));
    return;
  }
  const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
  const headers = ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(text))];
  handler.onHeaders?.(
    reply.status ?? 200,
    headers.map((word) => Buffer.from(word)),
    () => undefined,
    '',
  );
  handler.onData?.(Buffer.from(text));
  handler.onComplete?.([]);
}
