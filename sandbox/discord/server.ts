import multipart from '@fastify/multipart';
import websocket from '@fastify/websocket';
import fastify, { type FastifyInstance } from 'fastify';
import { namedPlugin } from '../named-plugin.ts';
import { controlRoutes } from './control.ts';
import type { Parts, Routes } from './parts.ts';
import { API_PREFIX, addRequestHooks } from './request-hooks.ts';
import { accountRoutes } from './rest/account.ts';
import { attachmentRoutes } from './rest/attachments.ts';
import { callbackRoutes } from './rest/callback.ts';
import { channelRoutes } from './rest/channels.ts';
import { commandRoutes } from './rest/commands.ts';
import { fileRoutes } from './rest/files.ts';
import { messageRoutes } from './rest/messages.ts';
import { threadEditRoutes } from './rest/thread-edits.ts';
import { threadRoutes } from './rest/threads.ts';
import { webhookRoutes } from './rest/webhook.ts';
import { serveConnection } from './socket/connection.ts';

const MAX_FORM_BYTES = 512 * 1024 * 1024;
const MAX_JSON_BYTES = 8 * 1024 * 1024;
const routes: readonly Routes[] = [
  accountRoutes,
  attachmentRoutes,
  commandRoutes,
  callbackRoutes,
  webhookRoutes,
  messageRoutes,
  channelRoutes,
  threadRoutes,
  threadEditRoutes,
];

/** Serves REST, the gateway socket, files and the control API on one port. */
export async function buildServer(parts: Parts): Promise<FastifyInstance> {
  // Interaction tokens exceed Fastify's default length for path parameters.
  const server = fastify({
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    bodyLimit: MAX_JSON_BYTES,
    routerOptions: { maxParamLength: 1_024 },
  });
  await server.register(websocket);
  await server.register(multipart, {
    limits: { fileSize: MAX_FORM_BYTES, files: 20, fieldSize: MAX_JSON_BYTES, fields: 20, parts: 40 },
    throwFileSizeLimit: true,
  });
  await server.register(
    namedPlugin('rest', (api, _, done) => {
      addRequestHooks(api, parts);
      for (const addRoutes of routes) addRoutes(api, parts);
      done();
    }),
    { prefix: API_PREFIX },
  );
  await server.register(
    namedPlugin('gateway', (gateway, _, done) => {
      for (const path of ['/gateway', '/gateway/resume'])
        gateway.get<{ Querystring: Record<string, string> }>(path, { websocket: true }, (socket, { query }) =>
          serveConnection(socket, { query, isResumeUrl: path === '/gateway/resume' }, parts),
        );
      done();
    }),
  );
  fileRoutes(server, parts);
  controlRoutes(server, parts);
  return server;
}
