import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fileFactsOf, type RequestPayload, readPayload } from './body.ts';
import type { BucketRequest } from './buckets.ts';
import type { DiscordFault } from './faults.ts';
import type { Parts } from './parts.ts';
import { badJson, notFound, Refusal, rateLimitRefusal, unauthorized } from './refusal.ts';
import type { RequestUpdater } from './request-log.ts';

declare module 'fastify' {
  interface FastifyRequest {
    payload: RequestPayload;
    discordFault: DiscordFault | null;
    discordRecord: RequestUpdater | null;
  }
  interface FastifyContextConfig {
    /** Accessible without a token. */
    isPublic?: boolean;
  }
}

export const API_PREFIX = '/api/v10';

/** Hooks for every REST request: recording, authentication, rate limits and injected faults. */
export function addRequestHooks(api: FastifyInstance, parts: Parts): void {
  const { requestLog, clock, buckets, faults } = parts;
  api.decorateRequest('discordFault', null);
  api.decorateRequest('discordRecord', null);

  api.addHook('onRequest', async (request) => {
    const { authorization } = request.headers;
    const auth = authorization === undefined ? 'none' : 'bot';
    const { method } = request;
    const requestFacts = { method, route: routeOf(request), path: pathOf(request), auth } as const;
    request.payload = { body: undefined, files: [] };
    request.discordRecord = requestLog.add({ at: clock.now(), ...requestFacts, body: undefined, files: [], status: 0 });
    const blockedSeconds = buckets.blockedSeconds();
    if (blockedSeconds !== undefined) throw blockedRefusal(blockedSeconds);
    if (request.is404 || isPublic(request)) return;
    if (authorization !== `Bot ${parts.token}` || parts.account.isTokenReset) throw unauthorized();
  });

  api.addHook('preHandler', async (request, reply) => {
    request.payload = await readPayload(request);
    const { body, files } = request.payload;
    request.discordRecord?.update({ body, files: fileFactsOf(files).map(({ name, bytes }) => ({ name, bytes })) });
    if (request.is404) return;
    const { headers, exceeded } = buckets.consume(bucketRequestOf(request));
    reply.headers(headers);
    if (exceeded) throw rateLimitRefusal(exceeded.scope, exceeded.retryAfter);
    const fault = faults.takeMatching({ method: request.method, route: routeOf(request), path: pathOf(request) });
    if (fault) await applyFault(fault, request, parts);
  });

  api.addHook('onSend', async (request, _, payload) => {
    const { discordFault: fault } = request;
    request.discordFault = null;
    if (fault?.type === 'reset') request.raw.socket.destroy();
    if (fault?.type === 'reset' || fault?.type === 'hang') return await new Promise<never>(() => undefined);
    if (typeof payload === 'string') request.discordRecord?.update({ responseText: payload });
    return payload;
  });

  api.addHook('onResponse', async (request, reply) => {
    const { statusCode } = reply;
    request.discordRecord?.update({ status: statusCode });
    const isShared = reply.getHeader('x-ratelimit-scope') === 'shared';
    if (statusCode === 401 || statusCode === 403 || (statusCode === 429 && !isShared)) buckets.recordInvalidRequest();
    parts.watch.notify();
  });

  api.setErrorHandler((error, request, reply) => {
    const refusal = asRefusal(error);
    const { violations } = refusal.detail;
    if (violations) request.discordRecord?.update({ violations });
    return sendRefusal(refusal, reply);
  });
  api.setNotFoundHandler((_, reply) => sendRefusal(notFound(), reply));
}

const routeOf = (request: FastifyRequest) => (request.routeOptions.url ?? '').slice(API_PREFIX.length);

/** Decodes the path as the router does, because `@original` arrives as `%40original`. */
function pathOf(request: FastifyRequest): string {
  const path = (request.url.split('?')[0] ?? '').slice(API_PREFIX.length);
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}

/** Interaction and webhook routes authenticate by the token in their path. */
function isPublic(request: FastifyRequest): boolean {
  const route = routeOf(request);
  return request.routeOptions.config.isPublic === true || /^\/(?:interactions|webhooks)\//.test(route);
}

const bucketRequestOf = (request: FastifyRequest): BucketRequest => ({
  id: request.discordRecord?.id,
  method: request.method,
  route: routeOf(request),
  params: request.params as Readonly<Record<string, string>>,
  hasToken: request.headers.authorization !== undefined,
});

/** Cloudflare's response to an IP address with too many invalid requests. */
function blockedRefusal(retryAfter: number): Refusal {
  const headers = { 'retry-after': String(Math.ceil(retryAfter)), 'content-type': 'text/plain; charset=UTF-8' };
  return new Refusal('Blocked', { status: 429, code: 0, headers, body: 'error code: 1015' });
}

async function applyFault(fault: DiscordFault, request: FastifyRequest, parts: Parts): Promise<void> {
  switch (fault.type) {
    case 'status': {
      const { status, code = 0, message = `${status}: injected fault`, body } = fault;
      throw new Refusal(message, { status, code, ...(body !== undefined && { body }) });
    }
    case '429':
      parts.buckets.recordHit(routeOf(request), fault.scope ?? 'user');
      throw rateLimitRefusal(fault.scope ?? 'user', fault.retryAfter);
    case 'delay':
      await new Promise<void>((resolve) => parts.clock.after(fault.ms, resolve));
      return;
    default:
      if (fault.done) {
        request.discordFault = fault;
        return;
      }
      if (fault.type === 'reset') request.raw.socket.destroy();
      // If this returned, the handler would run once the client gives up waiting.
      await new Promise<never>(() => undefined);
  }
}

function sendRefusal(refusal: Refusal, reply: FastifyReply): FastifyReply {
  const { status, code, headers = {}, extraFields = {}, body } = refusal.detail;
  return reply
    .code(status)
    .headers(headers)
    .send(body ?? { message: refusal.message, code, ...extraFields });
}

/** Errors below 500 are the client's fault; all others are bugs in this server, so their message is shown. */
function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { statusCode = 500, message } = error as FastifyError;
  if (statusCode === 400) return Object.assign(badJson(), { cause: error });
  return new Refusal(statusCode < 500 ? message : `Internal error of the sandbox: ${message}`, {
    status: statusCode,
    code: 0,
  });
}
