import { inlineCode } from '../../discord/markdown.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { truncateMarkdown } from '../../discord/truncate.ts';
import { withoutUndefined } from '../../lib/entries.ts';
import { sentencesText } from '../../lib/formats.ts';
import { RecentMap } from '../../lib/recent-map.ts';
import type { Say } from '../../locales/index.ts';
import type { RuleRefusal } from '../../services/safety/rules.ts';
import type { RuleTargets } from '../../services/safety/rules-file.ts';
import { startLogSweep } from '../../services/safety/server-log.ts';
import type { Services } from '../feature.ts';
import { accessMarkdown, changeText, entryMarkdown } from './readable.ts';

/** Posts in a server's log channel, whose messages are deleted after its retention period. Returns false if Discord does not accept it. `memberIds`: at most two who are named. */
export async function postInLog(
  { guildId, channelId, memberIds = [] }: { guildId: string; channelId: string; memberIds?: readonly string[] },
  plan: MessagePlan,
  { discord: { outbox }, safety: { serverLogs }, clock, log }: Services,
): Promise<boolean> {
  const at = clock.now();
  const postedMessage = await outbox.sendInChannel(channelId, plan);
  if (!postedMessage) return false;
  const members = withoutUndefined({ about: memberIds[0], by: memberIds[1] });
  await serverLogs
    .record(guildId, { ...postedMessage, at, ...members })
    .catch((error: unknown) =>
      log.warn({ err: error }, 'A message in a log channel could not be recorded, and will never be deleted.'),
    );
  return true;
}

/** A member who keeps retrying must not flood the channel. */
const MAX_REFUSALS = 5;
const WINDOW_MS = 60_000;
/** Far more servers than have a refused request within one window. */
const MAX_SERVERS = 5_000;
/** An access rule names commands, models, roles and channels. */
const MAX_ACCESS_LENGTH = 300;

/** Posts changes of rules, and what they refuse, in log channels. The returned function is called once the bot is connected: it tells of unreadable settings, and deletes old messages until stopped. */
export function startRuleLog(services: Services): () => ReturnType<typeof startLogSweep> {
  const { clock, log } = services;
  const { rules, targets } = services.safety;
  const windows = new RecentMap<string, { startsAt: number; posted: number; skippedCount: number }>(MAX_SERVERS);
  rules.onChange((guildId, { history }, count) => {
    const changes = history.slice(history.length - count);
    const [{ by } = {}] = changes;
    if (by === undefined) return;
    const contentIn = (say: Say): string => {
      const lines = changes.map((change) => `- ${changeText(change, targets, say, { hidden: true })}`);
      return [say('rules.log.changed', { who: `<@${by}>`, count: changes.length }), ...lines].join('\n');
    };
    void postEntry(services, guildId, contentIn, by);
  });
  services.tasks.presets.onModerated(({ guildId, memberId, name }, moderatorId) => {
    const deletion = { at: Math.floor(clock.now() / 1000), who: `<@${moderatorId}>`, owner: `<@${memberId}>` };
    const contentIn = (say: Say) => say('rules.log.presetDeleted', { ...deletion, name: inlineCode(name) });
    void postEntry(services, guildId, contentIn, memberId, moderatorId);
  });
  rules.onRefusal((refusal) => {
    const { guildId } = refusal;
    const now = clock.now();
    const lastWindow = windows.get(guildId);
    const isCurrent = lastWindow !== undefined && now - lastWindow.startsAt < WINDOW_MS;
    const window = isCurrent ? lastWindow : { startsAt: now, posted: 0, skippedCount: 0 };
    windows.set(guildId, window);
    if (window.posted >= MAX_REFUSALS) {
      window.skippedCount += 1;
      return;
    }
    window.posted += 1;
    // The current window has none to report: it posts until it is full.
    const { startsAt, skippedCount } = lastWindow ?? window;
    const at = Math.floor(startsAt / 1000);
    const contentIn = (say: Say): string =>
      [
        ...(skippedCount > 0 ? [say('rules.log.more', { count: skippedCount, at })] : []),
        refusalText(refusal, now, targets, say),
      ].join('\n');
    void postEntry(services, guildId, contentIn, refusal.memberId);
  });
  return () => {
    void tellUnreadable(services).catch((error: unknown) =>
      log.warn({ err: error }, 'Could not tell the admins that their settings cannot be read.'),
    );
    return startLogSweep(services.safety, clock, log);
  };
}

/** Returns whether it was posted. A server without a log channel has its entries where its alerts are posted. */
async function postEntry(services: Services, guildId: string, contentIn: (say: Say) => string, ...memberIds: string[]) {
  const { discord, money, safety } = services;
  const channelId = safety.rules.get(guildId).logChannelId ?? money.budgets.get(guildId).alertsChannelId;
  if (channelId === undefined) return false;
  const content = contentIn(await discord.readers.sayTo({ guildId, channelId }));
  return postInLog({ guildId, channelId, memberIds }, { content }, services);
}

/** Once for each server whose rules or limits could not be read. */
async function tellUnreadable(services: Services): Promise<void> {
  const { rules } = services.safety;
  const { budgets } = services.money;
  for (const guildId of rules.untoldServers)
    if (await postEntry(services, guildId, (say) => say('rules.unreadable'))) await rules.markTold(guildId);
  for (const guildId of budgets.untoldServers)
    if (await postEntry(services, guildId, (say) => say('budget.unreadable'))) await budgets.markTold(guildId);
}

/** Contains what matched, behind a spoiler, and nothing else from the request. */
function refusalText(
  { what, memberId: member, channelId: channel, rule: name, isUnchecked, isOperators, entry: matched }: RuleRefusal,
  at: number,
  targets: RuleTargets,
  say: Say,
): string {
  const entryText = (entry: string): string =>
    name === 'access' ? truncateMarkdown(accessMarkdown(entry, targets, say), MAX_ACCESS_LENGTH) : entryMarkdown(entry);
  const rule = say(isUnchecked ? 'rules.log.unchecked' : `rules.names.${name}`);
  const facts = {
    at: Math.floor(at / 1000),
    member,
    rule: isOperators ? say('rules.log.byOperator', { rule }) : rule,
  };
  const sentence =
    channel === undefined
      ? say(`rules.log.refusedOutside.${what}`, facts)
      : say(`rules.log.refused.${what}`, { ...facts, channel });
  if (matched === undefined) return sentence;
  return sentencesText([sentence, say('rules.log.matched', { entry: entryText(matched) })], say);
}
