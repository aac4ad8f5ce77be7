import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export const isLoopbackName = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);

export const sendError = (reply: FastifyReply, status: number, error: string): FastifyReply =>
  reply.code(status).send({ error });

/** Prevents pages from other origins from controlling a local server through DNS rebinding or a form. */
export function restrictToLoopback(server: FastifyInstance, serverName: string): void {
  server.addHook('onRequest', async (request, reply) => {
    const host = request.headers.host ?? '';
    const { origin } = request.headers;
    if (!isLoopbackName(host.replace(/:\d+$/, '')))
      return sendError(reply, 403, `${serverName} accepts requests to 127.0.0.1 or localhost only.`);
    if (origin !== undefined && origin !== `http://${host}`)
      return sendError(reply, 403, `${serverName} does not accept requests from other origins.`);
  });
}

/** A browser's WebSocket cannot send headers, so the token may also be in the query. */
export function tokenOf({ headers, query }: FastifyRequest): string {
  const { token } = query as { token?: unknown };
  return headers.authorization?.replace(/^Bearer /, '') ?? (typeof token === 'string' ? token : '');
}

/** Compares in constant time, so that the duration reveals nothing about the token. */
export function equalsInConstantTime(first: string, second: string): boolean {
  const [left, right] = [Buffer.from(first), Buffer.from(second)];
  return left.length === right.length && timingSafeEqual(left, right);
}
