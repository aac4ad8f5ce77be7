import type { FastifyInstance } from 'fastify';
import { isSame, keepToLoopback, sentence, tokenOf } from '../../loopback.ts';
import type { Parts } from '../parts.ts';

/** The control address answers this machine alone, and takes the bot's token. */
export function guard(control: FastifyInstance, parts: Parts): void {
  keepToLoopback(control, 'The control address');
  control.addHook('onRequest', async (request, reply) => {
    if (!isSame(tokenOf(request), parts.token))
      return sentence(reply, 401, 'The control address needs the token too: send Authorization: Bearer <token>.');
  });
  control.setErrorHandler((problem, _, reply) => {
    const { statusCode = 400, message } = problem as Error & { statusCode?: number };
    return sentence(reply, statusCode, message);
  });
}
