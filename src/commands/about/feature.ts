import { reasonText } from '../../discord/funnel.ts';
import { commandMention } from '../../discord/markdown.ts';
import type { Say } from '../../locales/index.ts';
import { GatewayError } from '../../services/gateway/errors.ts';
import type { Gateway } from '../../services/gateway/gateway.ts';
import { requesterOf } from '../../services/money/requester.ts';
import { command, type Feature, type Services } from '../feature.ts';
import { aboutPage, type Health } from './page.ts';

/** The state of the bot, of Discord and of the gateway. */
async function healthOf(services: Services, say: Say): Promise<Health> {
  const { gateway, tasks } = services;
  const { version, ownership, clusterHealth } = services.operations;
  const { pingMs } = services.discord.clients.connection;
  const [gatewayState, cluster] = await Promise.all([gatewayHealth(gateway, say), clusterHealth?.()]);
  return {
    version,
    latencyMs: pingMs,
    gateway: gatewayState,
    liveTasks: cluster?.liveTasks ?? tasks.book.inProgressCount,
    troubles: cluster?.troubles ?? tasks.scheduler.troubles(),
    cluster: clusterHealth && (cluster ?? 'unknown'),
    callbacks: services.tasks.callbacks.habits,
    store: ownership.trouble(),
  };
}

async function gatewayHealth({ models }: Gateway, say: Say): Promise<Health['gateway']> {
  const start = performance.now();
  try {
    await models.list({ attempts: 1 });
    return { isAvailable: true, ms: Math.round(performance.now() - start) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    // A member who only looks at the state has nothing to try again, and may be the operator.
    const state = say(`about.gatewayTrouble.${error.kind}`, { defaultValue: '' });
    const reason = state || say(`gateway.${error.kind}`, { message: reasonText(error.reason, say) });
    return { isAvailable: false, reason, error };
  }
}

export const about: Feature = {
  command: command({
    name: 'about',
    options: {},
    async run(_values, { services, facts, origin, say }) {
      const isOperator = await services.discord.operator.isOperator(facts.userId);
      const [health, registeredCommands] = await Promise.all([
        healthOf(services, say),
        services.discord.registeredCommands(facts),
      ]);
      const { gateway } = health;
      const gatewayError = gateway.isAvailable ? undefined : gateway.error;
      const operator = isOperator ? await services.operations.state(gatewayError) : undefined;
      const requester = requesterOf(origin);
      return aboutPage(
        {
          ...health,
          allowances: services.money.spending.allowances(requester),
          waitingLimits: services.money.spending.waitingLimits(requester),
          paused: services.money.spending.pauseOf(requester),
          block: services.money.spending.blockOf(requester),
          operator,
        },
        commandMention('help', registeredCommands.get('help')),
        say,
      );
    },
  }),
};
