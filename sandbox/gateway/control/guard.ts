import type { FastifyInstance } from 'fastify';
import { restrictToLoopback, sendError } from '../../loopback.ts';
import type { Parts } from '../parts.ts';

export { sendError };

/** Restricts the control API to this machine and to holders of an API key. */
export function guard(control: FastifyInstance, parts: Parts): void {
  restrictToLoopback(control, 'The control API');
  control.addHook('onRequest', async (request, reply) => {
    const grant = parts.keys.grantOf(request.headers.authorization);
    if (!grant) return sendError(reply, 401, 'The control API requires an API key: send Authorization: Bearer <key>.');
    request.grant = grant;
  });
  control.setErrorHandler((error, _, reply) => {
    const { statusCode = 500, message, detail } = error as Error & { statusCode?: number; detail?: { status: number } };
    return sendError(reply, detail?.status ?? statusCode, message);
  });
  control.setNotFoundHandler((request, reply) =>
    sendError(reply, 404, `There is no ${request.method} ${request.url} here.`),
  );
}
