import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Parts } from '../parts.ts';
import { isLoopbackName } from '../references.ts';

export const sentence = (reply: FastifyReply, status: number, error: string) => reply.code(status).send({ error });

/** A page from elsewhere must not steer a server on this machine: not by a name that points here, not by a form. */
export function guard(control: FastifyInstance, parts: Parts): void {
  control.addHook('onRequest', async (request, reply) => {
    const host = request.headers.host ?? '';
    const { origin } = request.headers;
    if (!isLoopbackName(host.replace(/:\d+$/, '')))
      return sentence(reply, 403, 'The control address answers on 127.0.0.1 or localhost only.');
    if (origin !== undefined && origin !== `http://${host}`)
      return sentence(reply, 403, 'The control address does not answer to pages from elsewhere.');
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
