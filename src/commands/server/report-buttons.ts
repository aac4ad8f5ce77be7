import { customIds } from '../../discord/custom-ids.ts';
import { mayManageMessages, mayManageServer } from '../../discord/interaction-facts.ts';
import { choiceField, type FormPlan } from '../../discord/plan.ts';
import { DAY_MS, HOUR_MS } from '../../lib/clock.ts';
import { keysOf } from '../../lib/entries.ts';
import { Refusal } from '../../lib/refusal.ts';
import { withBlock } from '../../services/money/budget-changes.ts';
import { activeBlock } from '../../services/money/server-budget.ts';
import {
  assertBlockable,
  type Moderator,
  type Report,
  type ReportDecision,
  withBlocked,
  withDecision,
} from '../../services/safety/report.ts';
import { type Context, on } from '../feature.ts';

/** Finds a report of the current server. Checked each time, because ids can be forged and the channel may be open to everyone. */
function reportInServer(id: string, { facts, services }: Context): Report {
  const report = services.safety.reports.get(id);
  if (!report || report.guildId !== facts.guildId || facts.install !== 'guild')
    throw new Refusal('refusals.reports.gone');
  return report;
}

const moderatorOf = ({ facts, services }: Context): Moderator => ({ by: facts.userId, at: services.clock.now() });

/** Stores a change to a report. Its message is updated and the decision carried out afterwards, even after a restart. */
async function decide(id: string, transition: (current: Report) => Report, { services }: Context) {
  if (!(await services.safety.reports.change(id, transition))) throw new Refusal('refusals.reports.gone');
  void services.reportDelivery.process(id);
  return 'shown by delivery' as const;
}

const decisionButton = (customId: typeof customIds.reportRemove, what: ReportDecision) =>
  on(customId, {
    reply: 'here',
    async run(id, context) {
      reportInServer(id, context);
      if (!mayManageMessages(context.facts)) throw new Refusal('refusals.rules.moderatorsOnly');
      return decide(id, (current) => withDecision(current, what, moderatorOf(context)), context);
    },
  });

/** How long a member is blocked; undefined means until an admin unblocks them. */
const BLOCK_DURATIONS: Readonly<Record<'hour' | 'day' | 'week' | 'always', number | undefined>> = {
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  always: undefined,
};
type BlockDuration = keyof typeof BLOCK_DURATIONS;

function blockableReport(id: string, context: Context): Report {
  const report = reportInServer(id, context);
  if (!mayManageServer(context.facts)) throw new Refusal('refusals.reports.adminsOnly');
  assertBlockable(report);
  return report;
}

async function openBlockForm(id: string, context: Context): Promise<FormPlan> {
  blockableReport(id, context);
  const { say } = context;
  const times = keysOf(BLOCK_DURATIONS);
  const field = choiceField('time', say('reports.blockForm.time'), times, (time) =>
    say(`reports.blockForm.times.${time}`),
  );
  return { id: customIds.reportBlockFilled.id(id), title: say('reports.blockForm.title'), fields: [field] };
}

const blockForm = on(customIds.reportBlockFilled, {
  reply: 'here',
  parse: ({ fields }): BlockDuration | Refusal =>
    keysOf(BLOCK_DURATIONS).find((name) => name === fields.time) ?? new Refusal('refusals.unknownButton'),
  async run(id, context, time) {
    const { guildId, requesterId } = blockableReport(id, context);
    const { budgets } = context.services.money;
    const moderator = moderatorOf(context);
    const duration = BLOCK_DURATIONS[time];
    let until = duration === undefined ? undefined : moderator.at + duration;
    if (requesterId !== undefined) {
      const member = { hash: budgets.memberHash(guildId, requesterId), memberId: requesterId };
      const standing = activeBlock(budgets.get(guildId), member.hash, moderator.at);
      // An earlier report may have said that the member is blocked for longer.
      if (standing && (standing.until ?? Infinity) > (until ?? Infinity)) until = standing.until;
      // If the server's list of blocked members is full, refuse here, while the moderator can still see it.
      withBlock(budgets.get(guildId), member, until, moderator);
    }
    return decide(id, (current) => withBlocked(current, until, moderator), context);
  },
});

export const reportButtons = [
  decisionButton(customIds.reportRemove, 'removed'),
  decisionButton(customIds.reportDismiss, 'dismissed'),
  on(customIds.reportBlock, { open: openBlockForm }),
  blockForm,
];
