import type { FastifyInstance } from 'fastify';
import { keepToLoopback, sentence } from '../../loopback.ts';
import type { Parts } from '../parts.ts';

export { sentence };

/** The control address answers this machine alone, and takes the key as clients send it. */
export function guard(control: FastifyInstance, parts: Parts): void {
  keepToLoopback(control, 'The control address');
  control.addHook('onRequest', async (request, reply) => {
    const grant = parts.keys.grantOf(request.headers.authorization);
    if (!grant) return sentence(reply, 401, 'The control address needs the key too: send Authorization: Bearer <key>.');
    request.grant = grant;
  });
  control.setErrorHandler((problem, _, reply) => {
    const {
      statusCode = 500,
      message,
      detail,
    } = problem as Error & { statusCode?: number; detail?: { status: number } };
    return sentence(reply, detail?.status ?? statusCode, message);
  });
  control.setNotFoundHandler((request, reply) =>
    sentence(reply, 404, `There is no ${request.method} ${request.url} here.`),
  );
}
