import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../src/lib/clock.ts';
import { replacesHandler, spoil } from './fault-answers.ts';
import { pathOf } from './intake.ts';
import type { Parts } from './parts.ts';
import { Refusal, unauthorized, unknownRoute } from './refusal.ts';
import { type ErrorFamily, errorBody } from './wire/errors.ts';
import { answersWithTasks, inUnknownEnvelope } from './wire/unknown-envelope.ts';

export const CONTROL = '/_sandbox';

/** Its status stays 0. */
function hearNoMore(request: FastifyRequest): void {
  request.noteHeard?.({ status: 0 });
  request.noteHeard = null;
}

const isControl = (request: FastifyRequest) => pathOf(request) === CONTROL || request.url.startsWith(`${CONTROL}/`);

/** What every request passes on its way in and out: noted, known by its key, and struck by ordered faults. */
export function hangDoor(server: FastifyInstance, parts: Parts, clock: Clock): void {
  server.decorateRequest('fault', null);
  server.decorateRequest('noteHeard', null);

  server.addHook('onRequest', async (request) => {
    if (isControl(request)) return;
    const { authorization, ...headers } = request.headers;
    request.noteHeard = parts.heard.note({
      at: parts.pace.now(),
      method: request.method,
      path: pathOf(request),
      query: { ...(request.query as object) },
      headers,
      body: undefined,
      status: 0,
    });
    if (request.is404 || request.routeOptions.config.open) return;
    const grant = parts.keys.grantOf(authorization);
    if (!grant) throw unauthorized();
    request.grant = grant;
  });

  server.addHook('preHandler', async (request, reply) => {
    if (isControl(request)) return;
    request.noteHeard?.({ body: request.body });
    const { kind } = request.routeOptions.config;
    const fault = parts.faults.forAnswer({ method: request.method, path: pathOf(request), kind });
    if (!fault) return;
    request.fault =
      fault.type === 'accepted-then' ? { does: fault.spoilt, onlyIfTaken: true } : { does: fault, onlyIfTaken: false };
    if (!replacesHandler(fault)) return;
    reply.send('');
    // Returning would let the handler run as soon as the client gives up on an answer that never comes.
    await new Promise(() => undefined);
  });

  server.addHook('onSend', async (request, reply, payload: unknown) => {
    const isTask = parts.settings.quirks.unknownEnvelopes && answersWithTasks(pathOf(request));
    return isTask && reply.statusCode < 300 && typeof payload === 'string' ? inUnknownEnvelope(payload) : payload;
  });

  server.addHook('onSend', async (request, reply, payload) => {
    const { fault } = request;
    request.fault = null;
    if (!fault || (fault.onlyIfTaken && reply.statusCode >= 400)) {
      if (typeof payload === 'string') request.noteHeard?.({ answer: payload });
      return payload;
    }
    const { type } = fault.does;
    // This response is never sent, so the request counts as ended for observers.
    if (type === 'reset' || type === 'hang') hearNoMore(request);
    const stage = { clock, profile: parts.settings.profile, family: familyOf(pathOf(request)) };
    return await spoil(fault.does, request, reply, payload, stage);
  });

  server.addHook('onResponse', async (request, reply) => {
    request.noteHeard?.({ status: reply.statusCode });
  });

  server.setErrorHandler((problem, request, reply) => sendRefusal(asRefusal(problem), request, reply, parts));
  server.setNotFoundHandler((request, reply) => {
    return sendRefusal(unknownRoute(request.method, pathOf(request)), request, reply, parts);
  });
}

export function sendRefusal(
  refusal: Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Parts,
): FastifyReply {
  const isUnknownRoute = refusal.detail.code === '';
  const { status, body } = errorBody(
    refusal,
    parts.settings.profile,
    isUnknownRoute ? 'general' : familyOf(pathOf(request)),
  );
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** fastify's own complaints are the client's fault; anything else is this server's, and says what it was. */
export function asRefusal(problem: unknown): Refusal {
  if (problem instanceof Refusal) return problem;
  const { statusCode = 500, message } = problem as FastifyError;
  return statusCode < 500
    ? new Refusal(message, { status: statusCode, code: 'invalid_request' })
    : new Refusal(`The sandbox itself failed: ${message}`, { status: 500, code: 'internal_error' });
}

function familyOf(path: string): ErrorFamily {
  if (path.startsWith('/imgx/')) return 'imgx';
  return /^\/(?:music|videoa|v1\/videos?)(?:\/|$)/.test(path) ? 'task' : 'general';
}
