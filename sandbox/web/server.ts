import files from '@fastify/static';
import websocket from '@fastify/websocket';
import fastify, { type FastifyInstance } from 'fastify';
import { restrictToLoopback, sendError } from '../loopback.ts';
import { apiRoutes } from './api.ts';
import type { Stage } from './stage.ts';

/** 25 MB of files as base64, plus the JSON around them. */
const MAX_BODY_BYTES = 36 * 1_024 * 1_024;

interface PageOptions {
  readonly stage: Stage;
  readonly token: string;
  /** The folder of the built page. */
  readonly folder: string;
}

/** Serves the page and its API on one local port. */
export async function createPageServer({ stage, token, folder }: PageOptions): Promise<FastifyInstance> {
  const server = fastify({ forceCloseConnections: true, bodyLimit: MAX_BODY_BYTES });
  // Registered first, because it closes the sockets that the guards refuse.
  await server.register(websocket);
  restrictToLoopback(server, 'The sandbox');
  server.addHook('onSend', async (_, reply) => {
    reply.headers({
      'content-security-policy': policyFor(stage),
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  });
  await server.register(
    (api, _, done) => {
      apiRoutes(api, stage, token);
      done();
    },
    { prefix: '/api' },
  );
  await server.register(files, { root: folder, cacheControl: false, setHeaders: setCaching });
  server.setNotFoundHandler((request, reply) =>
    sendError(reply, 404, `${request.url.split('?')[0]} does not exist on this server.`),
  );
  return server;
}

/** Asset names contain a hash of their content, but the name of the page does not. */
function setCaching(reply: { header(name: string, value: string): unknown }, path: string): void {
  const isHashed = /[/\\]assets[/\\]/.test(path);
  reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-store');
}

/** Allows only this origin and files from the embedded servers, so nothing leaves the machine. */
function policyFor({ discord, gateway }: Stage): string {
  const embeddedOrigins = [discord.url, ...(gateway.kind === 'embedded' ? [gateway.embedded.url] : [])].join(' ');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    `img-src 'self' data: blob: ${embeddedOrigins}`,
    `media-src 'self' data: blob: ${embeddedOrigins}`,
    `connect-src 'self' ${embeddedOrigins}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
