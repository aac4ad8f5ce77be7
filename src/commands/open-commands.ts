import { Follower } from '../discord/follower.ts';
import { Funnel } from '../discord/funnel.ts';
import { refusePersonalInstall, refuseUnserved } from '../discord/guards.ts';
import { commandsByFullName, menusByName } from '../discord/handlers.ts';
import { interruptedMessageHandler } from '../discord/outbox/interrupted.ts';
import { RateLimiter } from '../discord/rates.ts';
import {
  createCommandLookup,
  createServerCheck,
  createThreadCheck,
  foreignChannelCheck,
  serverNameReader,
} from '../discord/reads.ts';
import { Router } from '../discord/router.ts';
import { startLogSweep } from '../services/server-log/log-sweep.ts';
import { healthCheck } from './about/feature.ts';
import { questionReader } from './ask/questions.ts';
import { followedPagePlan } from './finetune/view.ts';
import { handlers, ruleTargets } from './index.ts';
import type { CommandsParts } from './parts.ts';
import { logPoster, startRuleLog } from './server/log.ts';
import { ReportDelivery } from './server/report-delivery.ts';
import type { Services } from './services.ts';
import { nameThreads } from './talk/thread-name.ts';
import { utteranceReader } from './talk/utterances.ts';
import { readThreadMessages } from './thread-messages.ts';
import { referenceSeconds } from './video/reference-lengths.ts';

/** Creates everything that handles commands: the router for interactions, and the reader of messages in threads. */
export function createCommands(parts: CommandsParts) {
  const { settings, engine, messages, store, gateway, clients, outbox, operator, say, clock, log } = parts;
  const { reads } = clients;
  const { tasks, rules } = engine;
  const { followQuietMs } = settings;
  const follows = new Follower({
    ...{ outbox, clock, log },
    rows: store.follows,
    fineTunes: gateway.fineTunes,
    quietMs: followQuietMs,
    planOf: followedPagePlan(followQuietMs, say),
  });
  const commandNames = [...commandsByFullName(handlers.commands).keys(), ...menusByName(handlers.menus, say).keys()];
  const rateLimiter = new RateLimiter({ settings: settings.rates, clock, log });
  const reportDelivery = new ReportDelivery({
    ...parts,
    ...engine,
    marksResults: false,
    applicationId: () => clients.client.application?.id ?? '',
  });
  const services: Services = {
    ...engine,
    ...messages,
    prepareAgain: (task, origin) => messages.prepareAgain(rules.maskTask(task, origin.guildId), origin),
    reportDelivery,
    follows,
    followQuietMs,
    clock,
    rateLimiter,
    ruleTargets,
    defaultModels: settings.models,
    threads: outbox.threads,
    videoFields: settings.gateway.fields,
    referenceSeconds: referenceSeconds({ media: engine.media, log }),
    fineTunes: gateway.fineTunes,
    adminGuildIds: settings.discord.adminGuildIds,
    botUserId: () => clients.client.user?.id,
    isOperator: (userId) => operator.isOperator(userId),
    isInServer: createServerCheck(reads),
    isForeignChannel: foreignChannelCheck(reads, log),
    serverNames: serverNameReader(reads, log),
    postInChannel: async (channelId, plan) => (await outbox.sendInChannel(channelId, plan)) !== undefined,
    postInLog: logPoster(parts),
    health: healthCheck(parts),
    operatorState: parts.operatorState,
    registeredCommands: createCommandLookup(clients, commandNames, clock),
  };
  startRuleLog(services, say);
  nameThreads(services, say, log);
  const funnel = new Funnel(say, log, parts.onFailure);
  const servedGuildGuard = refuseUnserved(settings.discord);
  const router = new Router({
    handlers,
    services,
    say,
    outbox,
    clock,
    funnel,
    onAcknowledged: parts.onAcknowledged,
    drafts: engine.drafts,
    loadRules: parts.loadRules,
    isPrivateByDefault: ({ guildId }, command) => guildId !== undefined && rules.isPrivateByDefault(guildId, command),
    guards: [servedGuildGuard, refusePersonalInstall((guildId) => rules.allowsPersonalInstalls(guildId))],
    rateLimiter,
  });
  const messageFor = (error: unknown): string => funnel.messageFor(error, 'a message in a thread');
  const replyParts = { services, say, messageFor };
  // In a thread with a talk, messages go to the talk rather than to an earlier `/ask`.
  const readers = [utteranceReader(replyParts), questionReader({ ...replyParts, isThread: createThreadCheck(reads) })];
  const wasInterrupted = interruptedMessageHandler({
    ...{ outbox, say, log },
    applicationId: () => clients.client.application?.id ?? '',
    hasTask: (reply) => tasks.book.live(({ message }) => message?.id === reply.id).length > 0,
  });
  const readMessage = readThreadMessages({
    ...{ readers, servedGuildGuard, rateLimiter, log },
    wasInterrupted: ({ channelId, id }) => wasInterrupted({ channelId, id }),
  });
  let stopLogSweep: (() => Promise<void>) | undefined;
  return {
    router,

    /** Continues what was in progress when the bot last stopped. */
    async resume(): Promise<void> {
      await follows.resume();
      reportDelivery.resume();
      stopLogSweep = startLogSweep(engine, clock, log);
    },

    async pause(): Promise<void> {
      await Promise.all([follows.pause(), reportDelivery.finish(), stopLogSweep?.()]);
    },

    readMessage,
  };
}
