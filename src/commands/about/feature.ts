import { commandMention } from '../../discord/markdown.ts';
import { keysOf } from '../../lib/entries.ts';
import type { Say } from '../../locales/index.ts';
import { type Gateway, GatewayError } from '../../services/gateway/index.ts';
import { requesterOf } from '../../services/spending/requester.ts';
import type { Feature } from '../feature.ts';
import type { CommandsParts } from '../parts.ts';
import { command } from '../services.ts';
import { text } from './text.ts';
import { aboutPage, type Health } from './view.ts';

/** Creates a function that collects the state of the bot, of Discord and of the gateway. */
export const healthCheck =
  ({ version, clients, gateway, engine, store, clusterHealth, say }: CommandsParts) =>
  async (): Promise<Health> => {
    const latency = clients.client.ws.ping;
    const [gatewayState, cluster] = await Promise.all([gatewayHealth(gateway, say), clusterHealth?.()]);
    return {
      version,
      latencyMs: latency >= 0 ? Math.round(latency) : undefined,
      gateway: gatewayState,
      liveTasks: cluster?.liveTasks ?? engine.tasks.book.inProgressCount,
      troubles: cluster?.troubles ?? engine.tasks.scheduler.troubles(),
      cluster: clusterHealth && (cluster ?? 'unknown'),
      callbacks: engine.callbacks.habits,
      store: store.ownership.trouble(),
    };
  };

async function gatewayHealth({ models }: Gateway, say: Say): Promise<Health['gateway']> {
  const start = performance.now();
  try {
    await models.list({ attempts: 1 });
    return { isAvailable: true, ms: Math.round(performance.now() - start) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    // A member who only looks at the state has nothing to try again.
    const state = keysOf(text.about.gatewayTrouble).find((kind) => kind === error.kind);
    const reason = state
      ? say(`about.gatewayTrouble.${state}`)
      : say(`gateway.${error.kind}`, { message: error.message });
    return { isAvailable: false, reason };
  }
}

export const about: Feature<typeof text> = {
  command: command({
    name: 'about',
    isPrivate: true,
    options: {},
    async run(_values, { services, place, origin, say }) {
      const isOperator = await services.isOperator(place.userId);
      const [health, registeredCommands, operator] = await Promise.all([
        services.health(),
        services.registeredCommands(place),
        isOperator ? services.operatorState() : undefined,
      ]);
      const requester = requesterOf(origin);
      return aboutPage(
        {
          ...health,
          allowances: services.spending.allowances(requester),
          waitingLimits: services.spending.waitingLimits(requester),
          paused: services.spending.pauseOf(requester),
          block: services.spending.blockOf(requester),
          operator,
        },
        commandMention('help', registeredCommands.get('help')),
        say,
      );
    },
  }),
  text,
};
