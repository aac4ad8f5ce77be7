import type { AppContext } from '../../lib/app-context.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Partition } from '../tasks/homes.ts';
import type { MessagePlace } from '../tasks/task.ts';
import { createModerationService, type ModerationSettings } from './moderation-service.ts';
import { type ReportStore, Reports } from './reports.ts';
import { type RuleStore, Rules } from './rules.ts';
import type { RuleTargets } from './rules-file.ts';
import { type LogStore, type Removal, ServerLogs } from './server-log.ts';
import type { RuleSet } from './server-rules.ts';
import { createServerSetup, type SetupStore } from './server-setup.ts';

export interface SafetySources {
  settings: { rules: RuleSet; moderation: ModerationSettings };
  store: { rules: RuleStore; reports: ReportStore; serverLogs: LogStore; setups: SetupStore };
  partition: Partition;
  ruleTargets: RuleTargets;
  discord: { removeMessage(message: MessagePlace): Promise<Removal> };
}

export type Safety = ReturnType<typeof openSafety>;

export function openSafety(
  { clock, log }: AppContext,
  { settings, store, partition, ruleTargets, discord }: SafetySources,
  hashOf: (name: string) => string,
  /** Whether a moderator still has to decide about the results of a task. */
  isHeld: (taskId: string) => Promise<boolean>,
) {
  // Another service takes real time, even if the bot uses a different clock.
  const now = () => clock.now();
  const moderationService = createModerationService(settings.moderation, { log, clock: systemClock, now });
  const rules = new Rules(store.rules, settings.rules, moderationService);
  const reports = new Reports(store.reports, hashOf, clock);
  const serverLogs = new ServerLogs({
    store: store.serverLogs,
    rules,
    clock,
    removeMessage: (message) => discord.removeMessage(message),
    async isUndecided({ heldTaskId, reportId }) {
      if (reportId !== undefined) return reports.isUndecided(reportId);
      return heldTaskId !== undefined && isHeld(heldTaskId);
    },
  });
  return {
    rules,
    reports,
    serverLogs,
    setup: createServerSetup(store.setups, partition),
    targets: ruleTargets,
    moderationAwaySince: () => moderationService?.awaySince(),

    load: () => Promise.all([rules.open(), reports.open()]),
  };
}
