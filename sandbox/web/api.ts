import type { FastifyInstance, FastifyRequest } from 'fastify';
import { equalsInConstantTime, sendError, tokenOf } from '../loopback.ts';
import { gatewayWorkbench } from './gateway-side.ts';
import { readLedger } from './ledger.ts';
import { streamEvents } from './live.ts';
import type { ActionResult, ErrorBody, Ledger, TroubleResult, VisibleMessage, Workbench, World } from './protocol.ts';
import type { Stage } from './stage.ts';
import { makeTrouble } from './troubles.ts';
import { findPerson, setLocale, worldFor } from './world.ts';

/** More messages than anyone scrolls through. */
const MAX_MESSAGES = 300;

type AsUserRequest = { Querystring: { as?: unknown } };

/** Adds the page's API; every route requires the token of this run. */
export function apiRoutes(api: FastifyInstance, stage: Stage, token: string): void {
  const { discord, gateway, bot, traffic } = stage;
  const requesterOf = ({ query }: FastifyRequest<AsUserRequest>) => findPerson(query.as ?? 'member', discord);

  api.addHook('onRequest', async (request, reply) => {
    if (!equalsInConstantTime(tokenOf(request), token))
      return sendError(reply, 401, 'This request needs the token from the URL that `npm run sandbox` printed.');
  });
  api.setErrorHandler((error, _, reply) => {
    const { statusCode, message } = error as Error & { statusCode?: number };
    // Refusals are plain errors with a message for the user; a TypeError is a bug in the sandbox.
    return sendError(reply, statusCode ?? (error instanceof TypeError ? 500 : 400), message);
  });

  api.get<AsUserRequest>('/world', (request): World => worldFor(requesterOf(request), discord));
  api.get<AsUserRequest & { Params: { channel: string } }>('/messages/:channel', (request): readonly VisibleMessage[] =>
    discord.clientView(requesterOf(request).id).messages(request.params.channel, MAX_MESSAGES),
  );
  api.post('/act', async ({ body }): Promise<ActionResult> => {
    const { as } = asObject(body);
    return await discord.perform({ ...asObject(body), as: findPerson(as, discord).id });
  });
  api.post('/direct', ({ body }) => ({
    channel: discord.openDirectMessage(findPerson(asObject(body).as, discord).id).id,
  }));
  api.post('/language', ({ body }) => {
    setLocale(asObject(body), discord);
    return {};
  });
  api.get(
    '/workbench',
    (): Workbench => ({
      bot: { ...bot.state, log: bot.log },
      gateway: gatewayWorkbench(gateway),
      traffic: traffic.exchanges,
    }),
  );
  api.get('/ledger', (): Ledger => readLedger(stage));
  api.post('/trouble', async ({ body }): Promise<TroubleResult | ErrorBody> => await makeTrouble(body, stage));
  api.get<AsUserRequest>('/live', { websocket: true }, (socket, request) => {
    try {
      streamEvents(socket, requesterOf(request), stage);
    } catch (error) {
      socket.close(1008, error instanceof Error ? error.message : String(error));
    }
  });
}

const asObject = (body: unknown): Record<string, unknown> =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
