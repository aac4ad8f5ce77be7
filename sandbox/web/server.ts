import files from '@fastify/static';
import websocket from '@fastify/websocket';
import fastify, { type FastifyInstance } from 'fastify';
import { keepToLoopback, sentence } from '../loopback.ts';
import { apiRoutes } from './api.ts';
import type { Stage } from './stage.ts';

/** 25 MB of files as base64, and what stands around them. */
const LARGEST_ORDER = 36 * 1_024 * 1_024;

interface PageOptions {
  readonly stage: Stage;
  readonly token: string;
  /** Where the built page is. */
  readonly folder: string;
}

/** The page and what it talks to, behind one port of this machine. */
export async function pageServer({ stage, token, folder }: PageOptions): Promise<FastifyInstance> {
  const server = fastify({ forceCloseConnections: true, bodyLimit: LARGEST_ORDER });
  // First, for it closes the sockets that the guards refuse.
  await server.register(websocket);
  keepToLoopback(server, 'The sandbox');
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
  await server.register(files, { root: folder, cacheControl: false, setHeaders: keepAsNamed });
  server.setNotFoundHandler((request, reply) =>
    sentence(reply, 404, `${request.url.split('?')[0]} does not exist on this server.`),
  );
  return server;
}

/** What Vite builds has its content in its name; the page that names it has not. */
function keepAsNamed(reply: { header(name: string, value: string): unknown }, path: string): void {
  const isNamed = /[/\\]assets[/\\]/.test(path);
  reply.header('cache-control', isNamed ? 'public, max-age=31536000, immutable' : 'no-store');
}

/** Nothing leaves the machine: files of the two embedded sides are shown, and nothing else from anywhere. */
function policyFor({ discord, gateway }: Stage): string {
  const sides = [discord.url, ...(gateway.kind === 'embedded' ? [gateway.embedded.url] : [])].join(' ');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    `img-src 'self' data: blob: ${sides}`,
    `media-src 'self' data: blob: ${sides}`,
    `connect-src 'self' ${sides}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
