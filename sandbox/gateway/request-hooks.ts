import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { pathOf } from './accept-job.ts';
import { ApiError, unauthorized, unknownRoute } from './api-error.ts';
import { applyFault, replacesHandler } from './apply-fault.ts';
import type { Parts } from './parts.ts';
import { type ErrorFamily, errorBody } from './wire/errors.ts';
import { returnsTasks, wrapInUnknownEnvelope } from './wire/unknown-envelope.ts';

export const CONTROL_PREFIX = '/_sandbox';

/** Ends the recording of a request that gets no response; its status stays 0. */
function endRecording(request: FastifyRequest): void {
  request.updateRecord?.({ status: 0 });
  request.updateRecord = null;
}

const isControlRequest = (request: FastifyRequest) =>
  pathOf(request) === CONTROL_PREFIX || request.url.startsWith(`${CONTROL_PREFIX}/`);

/** Hooks for every request: recording, authentication and injected faults. */
export function addRequestHooks(server: FastifyInstance, parts: Parts, clock: Clock): void {
  server.decorateRequest('fault', null);
  server.decorateRequest('updateRecord', null);

  server.addHook('onRequest', async (request) => {
    if (isControlRequest(request)) return;
    const { authorization, ...headers } = request.headers;
    request.updateRecord = parts.requestLog.add({
      at: parts.pace.now(),
      method: request.method,
      path: pathOf(request),
      query: { ...(request.query as object) },
      headers,
      body: undefined,
      status: 0,
    });
    if (request.is404 || request.routeOptions.config.isPublic) return;
    const grant = parts.keys.grantOf(authorization);
    if (!grant) throw unauthorized();
    request.grant = grant;
  });

  server.addHook('preHandler', async (request, reply) => {
    if (isControlRequest(request)) return;
    request.updateRecord?.({ body: request.body });
    const { kind } = request.routeOptions.config;
    const fault = parts.faults.takeForResponse({ method: request.method, path: pathOf(request), kind });
    if (!fault) return;
    request.fault =
      fault.type === 'accepted-then'
        ? { effect: fault.spoilt, onlyIfAccepted: true }
        : { effect: fault, onlyIfAccepted: false };
    if (!replacesHandler(fault)) return;
    reply.send('');
    // If this returned, the handler would run once the client gives up waiting.
    await new Promise(() => undefined);
  });

  server.addHook('onSend', async (request, reply, payload: unknown) => {
    const isTask = parts.settings.quirks.unknownEnvelopes && returnsTasks(pathOf(request));
    return isTask && reply.statusCode < 300 && typeof payload === 'string' ? wrapInUnknownEnvelope(payload) : payload;
  });

  server.addHook('onSend', async (request, reply, payload) => {
    const { fault } = request;
    request.fault = null;
    if (!fault || (fault.onlyIfAccepted && reply.statusCode >= 400)) {
      if (typeof payload === 'string') request.updateRecord?.({ responseText: payload });
      return payload;
    }
    const { type } = fault.effect;
    // The response is never sent, so the recording of the request ends here.
    if (type === 'reset' || type === 'hang') endRecording(request);
    const context = { clock, profile: parts.settings.profile, family: errorFamilyOf(pathOf(request)) };
    return await applyFault(fault.effect, request, reply, payload, context);
  });

  server.addHook('onResponse', async (request, reply) => {
    request.updateRecord?.({ status: reply.statusCode });
  });

  server.setErrorHandler((error, request, reply) => sendError(asApiError(error), request, reply, parts));
  server.setNotFoundHandler((request, reply) => {
    return sendError(unknownRoute(request.method, pathOf(request)), request, reply, parts);
  });
}

export function sendError(error: ApiError, request: FastifyRequest, reply: FastifyReply, parts: Parts): FastifyReply {
  const isUnknownRoute = error.detail.code === '';
  const { status, body } = errorBody(
    error,
    parts.settings.profile,
    isUnknownRoute ? 'general' : errorFamilyOf(pathOf(request)),
  );
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** Errors with a status below 500 are the client's fault; all others are bugs in this server, so their message is shown. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { statusCode = 500, message } = error as FastifyError;
  return statusCode < 500
    ? new ApiError(message, { status: statusCode, code: 'invalid_request' })
    : new ApiError(`The sandbox itself failed: ${message}`, { status: 500, code: 'internal_error' });
}

function errorFamilyOf(path: string): ErrorFamily {
  if (path.startsWith('/imgx/')) return 'imgx';
  return /^\/(?:music|videoa|v1\/videos?)(?:\/|$)/.test(path) ? 'task' : 'general';
}
