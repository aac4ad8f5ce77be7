import { refusePersonalInstall, refuseUnserved } from '../discord/guards.ts';
import type { InteractionFacts } from '../discord/interaction-facts.ts';
import { interruptedInteractionHandler } from '../discord/outbox/interrupted.ts';
import { type Languages, languagesFor } from '../discord/reader-languages.ts';
import { Router } from '../discord/router.ts';
import { Mentions } from './ask/mentions.ts';
import { questionReader } from './ask/questions.ts';
import { isPrivateByDefault } from './choices.ts';
import type { CommandSources } from './command-sources.ts';
import type { Services } from './feature.ts';
import { handlers } from './index.ts';
import { readMemberMessages } from './member-messages.ts';
import { startRuleLog } from './server/log.ts';
import { ReportDelivery } from './server/report-delivery.ts';
import { sendSetupHint } from './setup/feature.ts';
import { utteranceReader } from './talk/feature.ts';
import { nameThreads } from './talk/name-threads.ts';

/** Creates everything that handles commands: the router for interactions, and the reader of messages in threads. */
export function openCommands(
  sources: CommandSources,
  /** Loads the rules of a server that another partition stores; returns false if this partition stores them. */
  loadRules: (guildId: string) => Promise<boolean>,
) {
  const { settings, safety, tasks, discord, clock, log } = sources;
  const { follows, funnel, rateLimiter, outbox, readers } = discord;
  const reportDelivery = new ReportDelivery(sources);
  const services: Services = { ...sources, reportDelivery };
  const early = ({ userId: memberId, ...place }: InteractionFacts) => tasks.preferences.early({ ...place, memberId });
  const languages = (facts: InteractionFacts): Languages => {
    readers.note(facts);
    return languagesFor(facts, early(facts));
  };
  const resumeRuleLog = startRuleLog(services);
  nameThreads(services);
  const router = new Router({
    handlers,
    services,
    rateLimiter,
    funnel,
    outbox,
    clock,
    loadRules,
    languages,
    drafts: tasks.drafts,
    afterReply: sendSetupHint,
    loadSettings: ({ userId: memberId, ...place }) => tasks.preferences.refresh({ ...place, memberId }),
    defaults: {
      isPrivate: (facts, command) => isPrivateByDefault(facts, command, services),
      remixes: (facts) => early(facts).remix,
    },
    guards: [
      refuseUnserved(settings.discord),
      refusePersonalInstall((guildId) => safety.rules.allowsPersonalInstalls(guildId)),
    ],
  });
  const mentions = new Mentions(services);
  let stopLogSweep: ReturnType<typeof resumeRuleLog> | undefined;
  return {
    router,
    interruptedState: interruptedInteractionHandler({ outbox, book: tasks.book, log }, languages),
    // In a thread with a talk, messages go to the talk rather than to an earlier `/ask`.
    readMessage: readMemberMessages(
      [utteranceReader(services), mentions.read, questionReader(services)],
      mentions,
      services,
    ),
    /** Continues what was in progress when the bot last stopped. */
    async resume(): Promise<void> {
      await follows.resume();
      reportDelivery.resume();
      stopLogSweep = resumeRuleLog();
    },

    async pause(): Promise<void> {
      await Promise.all([follows.pause(), reportDelivery.finish(), mentions.finish(), stopLogSweep?.()]);
    },
  };
}
