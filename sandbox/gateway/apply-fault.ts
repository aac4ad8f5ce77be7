import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { ApiError } from './api-error.ts';
import type { PlainFault } from './fault.ts';
import type { Profile } from './quirks.ts';
import { type ErrorFamily, errorBody } from './wire/errors.ts';

const DRIP_BYTES = 8;
const DRIP_INTERVAL_MS = 1_000;

export interface FaultContext {
  readonly clock: Clock;
  readonly profile: Profile;
  readonly family: ErrorFamily;
}

/** A new promise for each request, because a shared one that never settles would keep everything that awaits it in memory. */
const hangForever = () => new Promise<never>(() => undefined);

/** Called before the response is sent; returns the payload to send instead. */
export function applyFault(
  fault: PlainFault,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  context: FaultContext,
): unknown {
  switch (fault.type) {
    case 'status':
      return statusResponse(fault, reply, context);
    case 'empty':
      reply.code(200).header('content-length', 0);
      return '';
    case 'hang':
      return hangForever();
    case 'reset':
      request.raw.socket.resetAndDestroy();
      return hangForever();
    case 'error-in-200':
      return json(reply, 200, errorIn200(fault.as ?? 'error'));
    case 'redirect':
      reply
        .code(fault.status ?? 307)
        .header('location', encodeURI(fault.to))
        .header('content-length', 0);
      return '';
    case 'body':
      return json(reply, fault.status ?? 200, fault.body);
    case 'truncated':
      return truncatedBody(fault.how ?? 'half', request, reply, bytesOf(payload));
    case 'drip': {
      const bytes = bytesOf(payload);
      reply.header('content-length', bytes.length);
      return drip(bytes, fault.bytes ?? DRIP_BYTES, fault.everyMs ?? DRIP_INTERVAL_MS, context.clock);
    }
  }
}

/** Whether the fault replaces the handler, so the request has no effect. */
export const replacesHandler = (fault: { type: string }) =>
  fault.type !== 'truncated' && fault.type !== 'drip' && fault.type !== 'accepted-then';

function statusResponse(
  fault: Extract<PlainFault, { type: 'status' }>,
  reply: FastifyReply,
  context: FaultContext,
): string {
  const { status, as = 'json', retryAfter } = fault;
  if (retryAfter !== undefined) {
    const date = new Date(context.clock.now() + retryAfter * 1000).toUTCString();
    reply.header('retry-after', fault.retryAfterDate ? date : String(retryAfter));
  }
  if (as === 'html') {
    const page = `<html>\r\n<head><title>${status} Trouble</title></head>\r\n<body>\r\n<center><h1>${status} Trouble</h1></center>\r\n<hr><center>sandbox</center>\r\n</body>\r\n</html>\r\n`;
    reply.code(status).header('content-type', 'text/html').header('content-length', Buffer.byteLength(page));
    return page;
  }
  if (as === 'empty') {
    reply.code(status).header('content-length', 0).removeHeader('content-type');
    return '';
  }
  const error = new ApiError(fault.message ?? `This request was set to fail with status ${status}.`, {
    status,
    code: fault.code ?? 'ordered_fault',
    ...(status === 429 ? { imgxCode: 30 } : {}),
  });
  return json(reply, status, errorBody(error, context.profile, context.family).body);
}

function json(reply: FastifyReply, status: number, body: unknown): string {
  const text = JSON.stringify(body);
  reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .header('content-length', Buffer.byteLength(text));
  return text;
}

const errorIn200 = (format: 'error' | 'success-false') =>
  format === 'error'
    ? {
        error: {
          message: 'The upstream load is saturated.',
          type: 'upstream_error',
          param: '',
          code: 'do_request_failed',
        },
      }
    : { success: false, message: 'The upstream load is saturated.' };

function truncatedBody(
  truncation: 'half' | 'lying' | 'cut',
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: Buffer,
): unknown {
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  if (truncation === 'half') {
    reply.header('content-length', half.length);
    return half;
  }
  if (truncation === 'lying') reply.header('content-length', bytes.length);
  else reply.removeHeader('content-length');
  return Readable.from(
    (async function* () {
      yield half;
      // The first half has to be sent before the socket is destroyed; otherwise the client would receive nothing but a reset.
      await new Promise((resolve) => setImmediate(resolve));
      request.raw.socket.destroy();
      await hangForever();
    })(),
  );
}

function drip(bytes: Buffer, size: number, everyMs: number, clock: Clock): Readable {
  let offset = 0;
  let cancel: () => void = () => undefined;
  return new Readable({
    read() {
      const pushChunk = () => {
        const chunk = bytes.subarray(offset, offset + size);
        offset += size;
        this.push(chunk.length > 0 ? chunk : null);
      };
      if (offset === 0) pushChunk();
      else cancel = clock.after(everyMs, pushChunk);
    },
    destroy(error, done) {
      cancel();
      done(error);
    },
  });
}

const bytesOf = (payload: unknown): Buffer =>
  Buffer.isBuffer(payload) ? payload : Buffer.from(typeof payload === 'string' ? payload : '');
