import { Follower } from '../discord/follower.ts';
import { Funnel } from '../discord/funnel.ts';
import { servedHere } from '../discord/guards.ts';
import { menusByName, typedCommands } from '../discord/handlers.ts';
import type { DiscordClients } from '../discord/outbox/clients.ts';
import type { Outbox } from '../discord/outbox/outbox.ts';
import { Whereabouts } from '../discord/place.ts';
import { operators, registeredCommands, threadsBy } from '../discord/reads.ts';
import { Router } from '../discord/router.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { Once } from '../lib/once.ts';
import type { Say } from '../locales/index.ts';
import type { Messages } from '../messages/open-messages.ts';
import type { Engine } from '../services/engine.ts';
import type { Gateway } from '../services/gateway/index.ts';
import type { KeptTasks } from '../services/store/kept-tasks.ts';
import { healthOf } from './about/feature.ts';
import { askInThreads } from './ask/questions.ts';
import { followPlan } from './finetune/view.ts';
import { inThreads } from './in-threads.ts';
import { handlers } from './index.ts';
import type { Services } from './services.ts';
import { talkInThreads } from './talk/utterances.ts';
import { refuseLongReferences } from './video/reference-lengths.ts';
import type { VideoFields } from './video/request.ts';

interface CommandsSettings {
  discord: Parameters<typeof servedHere>[0] & { messageContent: boolean; adminGuildIds: readonly string[] };
  gateway: { fields: VideoFields };
  models: Services['defaultModels'];
  followQuietMs: number;
}

interface CommandsParts {
  settings: CommandsSettings;
  version: string;
  engine: Engine;
  messages: Messages;
  store: KeptTasks;
  gateway: Gateway;
  clients: DiscordClients;
  outbox: Outbox;
  say: Say;
  clock: Clock;
  log: Log;
}

/** Opens the commands: the router for interactions, and the reader of messages in threads. */
export function openCommands(parts: CommandsParts) {
  const { settings, engine, messages, store, gateway, clients, outbox, say, clock, log } = parts;
  const { reads } = clients;
  const { tasks, asks, talks, models, offers, usage } = engine;
  const { answers, messageOf, brought } = messages;
  const { followQuietMs } = settings;
  const follows = new Follower({
    ...{ outbox, clock, log },
    rows: store.follows,
    fineTunes: gateway.fineTunes,
    quietMs: followQuietMs,
    planOf: followPlan(followQuietMs, say),
  });
  const names = [...typedCommands(handlers.commands).keys(), ...menusByName(handlers.menus, say).keys()];
  const services: Services = {
    ...{ tasks, asks, talks, models, offers, usage, answers, messageOf, brought, follows, followQuietMs, clock },
    defaultModels: settings.models,
    threads: outbox.threads,
    videoFields: settings.gateway.fields,
    refuseLongReferences: refuseLongReferences({ media: engine.media, log }),
    fineTunes: gateway.fineTunes,
    adminGuildIds: settings.discord.adminGuildIds,
    isOperator: operators(reads, log),
    answered: new Once(),
    health: healthOf({ ...parts, tasks }),
    registered: registeredCommands(clients, names, clock),
  };
  const funnel = new Funnel(say, log);
  const whereabouts = new Whereabouts();
  const isServed = servedHere(settings.discord);
  const router = new Router({
    ...{ handlers, services, say, outbox, clock, funnel },
    channelTypeOf: (interactionId) => whereabouts.channelTypeOf(interactionId),
    guards: [isServed],
  });
  const sentenceFor = (error: unknown): string => funnel.sentenceFor(error, 'a message in a thread');
  const replying = { services, answers, say, clock, sentenceFor };
  // In a thread with a talk, messages belong to the talk before an earlier `/ask`.
  const hearers = [talkInThreads(replying), askInThreads({ ...replying, isThread: threadsBy(reads) })];
  const hear = inThreads({ hearers, refusalHere: isServed, log });
  return {
    router,
    follows,

    hear(packet: unknown): void {
      whereabouts.hear(packet);
      if (settings.discord.messageContent) void hear(packet);
    },
  };
}
