import type { FastifyInstance, FastifyRequest } from 'fastify';
import { equalsInConstantTime, sendError, tokenOf } from '../loopback.ts';
import { gatewayBench } from './gateway-side.ts';
import { tellLive } from './live.ts';
import type { Acted, Refused, SeenMessage, TroubleResult, Workbench, World } from './protocol.ts';
import type { Stage } from './stage.ts';
import { makeTrouble } from './troubles.ts';
import { personNamed, worldFor } from './world.ts';

/** More than anyone scrolls through. */
const MOST_MESSAGES = 300;

type AsPerson = { Querystring: { as?: unknown } };

/** The page's API; every route requires the token of this run. */
export function apiRoutes(api: FastifyInstance, stage: Stage, token: string): void {
  const { discord, gateway, bot, traffic } = stage;
  const me = ({ query }: FastifyRequest<AsPerson>) => personNamed(query.as ?? 'member', discord);

  api.addHook('onRequest', async (request, reply) => {
    if (!equalsInConstantTime(tokenOf(request), token))
      return sendError(reply, 401, 'This request needs the token from the address that `npm run sandbox` printed.');
  });
  api.setErrorHandler((problem, _, reply) => {
    const { statusCode, message } = problem as Error & { statusCode?: number };
    // Refusals are plain errors with a message for the user; a TypeError is a bug of the sandbox.
    return sendError(reply, statusCode ?? (problem instanceof TypeError ? 500 : 400), message);
  });

  api.get<AsPerson>('/world', (request): World => worldFor(me(request), discord));
  api.get<AsPerson & { Params: { channel: string } }>('/messages/:channel', (request): readonly SeenMessage[] =>
    discord.clientView(me(request).id).messages(request.params.channel, MOST_MESSAGES),
  );
  api.post('/act', async ({ body }): Promise<Acted> => {
    const { as } = objectIn(body);
    return await discord.perform({ ...objectIn(body), as: personNamed(as, discord).id });
  });
  api.post('/direct', ({ body }) => ({
    channel: discord.openDirectMessage(personNamed(objectIn(body).as, discord).id).id,
  }));
  api.get(
    '/workbench',
    (): Workbench => ({
      bot: { ...bot.state, log: bot.log },
      gateway: gatewayBench(gateway),
      traffic: traffic.exchanges,
    }),
  );
  api.post('/trouble', async ({ body }): Promise<TroubleResult | Refused> => await makeTrouble(body, stage));
  api.get<AsPerson>('/live', { websocket: true }, (socket, request) => {
    try {
      tellLive(socket, me(request), stage);
    } catch (problem) {
      socket.close(1008, problem instanceof Error ? problem.message : String(problem));
    }
  });
}

const objectIn = (body: unknown): Record<string, unknown> =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
