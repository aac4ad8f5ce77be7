import type { FastifyRequest } from 'fastify';
import { modelFor } from '../accept-job.ts';
import { ApiError, invalid } from '../api-error.ts';
import type { Model } from '../catalogue.ts';
import type { Parts, Routes } from '../parts.ts';
import { ClientSocket } from '../realtime/client-socket.ts';
import { errorEvent } from '../realtime/event-error.ts';
import { processEvent } from '../realtime/process-event.ts';
import { Session } from '../realtime/session.ts';

/** Live sessions (specification, 4.10 and 6). */
export const realtimeRoutes: Routes = (server, parts) => {
  server.route({
    method: 'GET',
    url: '/v1/realtime',
    config: { kind: 'realtime' },
    // Runs after the general request hooks and before the upgrade.
    preHandler: async (request) => {
      modelOf(request, parts);
    },
    handler: () => {
      throw new ApiError('This endpoint is a WebSocket: request an upgrade.', {
        status: 426,
        code: 'upgrade_required',
      });
    },
    wsHandler: (socket, request) => {
      request.updateRecord?.({ status: 101 });
      const createId = (prefix: string) => `${prefix}_${parts.random.alphanumeric(20)}`;
      const client = new ClientSocket(socket, request.raw.socket, createId);
      const { grant } = request;
      const notifyChange = () => parts.realtime.notifyChange(session);
      const session: Session = new Session({
        client,
        parts,
        grant,
        model: modelOf(request, parts),
        createId,
        notifyChange,
      });
      parts.realtime.add(session);
      client.listen(
        (event) => {
          processEvent(event, session);
          parts.realtime.emit('received', session, event);
        },
        () => {
          session.end();
          parts.realtime.delete(session);
        },
      );
      if (session.dialect === 'ga' && request.headers['openai-beta'] === 'realtime=v1') refuseBeta(client, session);
      else session.open();
    },
  });
};

function modelOf({ query, grant }: FastifyRequest, parts: Parts): Model {
  const { model } = query as { model?: unknown };
  if (typeof model !== 'string' || model.trim() === '') throw invalid('model is required', 'model_is_required');
  return modelFor(parts, grant, model, ['realtime']);
}

/** Current gateways refuse clients that request the beta API. */
function refuseBeta(client: ClientSocket, session: Session): void {
  client.send(
    errorEvent('The Realtime Beta API is no longer supported: do not send the OpenAI-Beta header.', {
      code: 'beta_api_shape_disabled',
    }),
  );
  session.endBy('close');
}
