import { Follower } from '../discord/follower.ts';
import { Funnel } from '../discord/funnel.ts';
import { refusePersonalInstall, refuseUnserved } from '../discord/guards.ts';
import { commandsByFullName, menusByName } from '../discord/handlers.ts';
import { RateLimiter } from '../discord/rates.ts';
import { createCommandLookup } from '../discord/reads.ts';
import { Router } from '../discord/router.ts';
import { startLogSweep } from '../services/safety/server-log.ts';
import { questionReader } from './ask/questions.ts';
import type { Services } from './feature.ts';
import { followedPagePlan } from './finetune/view.ts';
import { handlers, ruleTargets } from './index.ts';
import type { CommandsParts } from './parts.ts';
import { startRuleLog } from './server/log.ts';
import { ReportDelivery } from './server/report-delivery.ts';
import { nameThreads } from './talk/thread-name.ts';
import { utteranceReader } from './talk/utterances.ts';
import { readThreadMessages } from './thread-messages.ts';

/** Creates everything that handles commands: the router for interactions, and the reader of messages in threads. */
export function createCommands(parts: CommandsParts) {
  const { settings, engine, messages, store, gateway, clients, outbox, say, clock, log } = parts;
  const { rules } = engine;
  const follows = new Follower({
    rows: store.follows,
    fineTunes: gateway.fineTunes,
    outbox,
    clock,
    log,
    quietMs: settings.followQuietMs,
    planOf: followedPagePlan(settings.followQuietMs, say),
  });
  const reportDelivery = new ReportDelivery({
    ...parts,
    ...engine,
    marksResults: false,
    applicationId: () => clients.client.application?.id ?? '',
  });
  const commandNames = [...commandsByFullName(handlers.commands).keys(), ...menusByName(handlers.menus, say).keys()];
  const services: Services = {
    ...parts,
    ...engine,
    ...messages,
    prepareAgain: (task, origin) => messages.prepareAgain(rules.maskTask(task, origin.guildId), origin),
    adminGuildIds: settings.discord.adminGuildIds,
    funnel: new Funnel(say, log),
    rateLimiter: new RateLimiter(settings.rates, clock, log),
    reportDelivery,
    follows,
    ruleTargets,
    registeredCommands: createCommandLookup(clients, commandNames, clock),
  };
  startRuleLog(services);
  nameThreads(services);
  const router = new Router({
    ...services,
    handlers,
    services,
    isPrivateByDefault: ({ guildId }, command) => guildId !== undefined && rules.isPrivateByDefault(guildId, command),
    guards: [
      refuseUnserved(settings.discord),
      refusePersonalInstall((guildId) => rules.allowsPersonalInstalls(guildId)),
    ],
  });
  let stopLogSweep: (() => Promise<void>) | undefined;
  return {
    router,
    funnel: services.funnel,
    // In a thread with a talk, messages go to the talk rather than to an earlier `/ask`.
    readMessage: readThreadMessages([utteranceReader(services), questionReader(services)], services),

    /** Continues what was in progress when the bot last stopped. */
    async resume(): Promise<void> {
      await follows.resume();
      reportDelivery.resume();
      stopLogSweep = startLogSweep(engine, clock, log);
    },

    async pause(): Promise<void> {
      await Promise.all([follows.pause(), reportDelivery.finish(), stopLogSweep?.()]);
    },
  };
}
