import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Parts } from '../parts.ts';

const sentence = (reply: FastifyReply, status: number, error: string) => reply.code(status).send({ error });

/** A page from elsewhere must not steer a server on this machine: not by a name that points here, not by a form. */
export function guard(control: FastifyInstance, parts: Parts): void {
  control.addHook('onRequest', async (request, reply) => {
    const host = request.headers.host ?? '';
    const { origin } = request.headers;
    if (!/^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host))
      return sentence(reply, 403, 'The control address answers on 127.0.0.1 or localhost only.');
    if (origin !== undefined && origin !== `http://${host}`)
      return sentence(reply, 403, 'The control address does not answer to pages from elsewhere.');
    if (!isSame(tokenOf(request), parts.token))
      return sentence(reply, 401, 'The control address needs the token too: send Authorization: Bearer <token>.');
  });
  control.setErrorHandler((problem, _, reply) => {
    const { statusCode = 400, message } = problem as Error & { statusCode?: number };
    return sentence(reply, statusCode, message);
  });
}

/** A page's socket cannot send headers, so the token may also stand in the address. */
function tokenOf({ headers, query }: FastifyRequest): string {
  const { token } = query as { token?: string };
  return headers.authorization?.replace(/^Bearer /, '') ?? token ?? '';
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
