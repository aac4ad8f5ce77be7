import type { FastifyInstance } from 'fastify';
import { equalsInConstantTime, restrictToLoopback, sendError, tokenOf } from '../../loopback.ts';
import type { Parts } from '../parts.ts';

/** Restricts the control API to this machine and to holders of the bot token. */
export function guard(control: FastifyInstance, parts: Parts): void {
  restrictToLoopback(control, 'The control API');
  control.addHook('onRequest', async (request, reply) => {
    if (!equalsInConstantTime(tokenOf(request), parts.token))
      return sendError(reply, 401, 'The control API requires the bot token. Send Authorization: Bearer <token>.');
  });
  control.setErrorHandler((error, _, reply) => {
    const { statusCode = 400, message } = error as Error & { statusCode?: number };
    return sendError(reply, statusCode, message);
  });
}
