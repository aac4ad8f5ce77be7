import { reasonText, refusalMessage } from '../../discord/funnel.ts';
import { allowanceText, quantityText } from '../../discord/limit-words.ts';
import { commandMention } from '../../discord/markdown.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { listText } from '../../lib/formats.ts';
import type { Say } from '../../locales/index.ts';
import { nameOfLane, noticeLines } from '../../messages/notice.ts';
import { GatewayError } from '../../services/gateway/errors.ts';
import type { Gateway } from '../../services/gateway/gateway.ts';
import type { Allowance } from '../../services/money/allowance.ts';
import { requesterOf } from '../../services/money/limits.ts';
import { readyParts } from '../../services/operations/readiness.ts';
import type { Notice } from '../../services/store/notice.ts';
import type { Run } from '../../services/store/runs.ts';
import { type Context, command, type Feature } from '../feature.ts';

/** What the page says: the state of the bot, of Discord and of the gateway, and what the member may request here. */
async function aboutFacts({ services, facts, origin, say }: Context) {
  const { gateway, tasks, discord, operations, safety } = services;
  const { spending } = services.money;
  const [isOperator, health, cluster] = await Promise.all([
    discord.operator.isOperator(facts.userId),
    gatewayHealth(gateway, say),
    operations.clusterHealth?.(),
  ]);
  const requester = requesterOf(origin);
  return {
    version: operations.version,
    // Undefined before the first heartbeat.
    latencyMs: discord.clients.connection.pingMs,
    gateway: health,
    liveTasks: cluster?.liveTasks ?? tasks.book.inProgressCount,
    troubles: cluster?.troubles ?? tasks.scheduler.troubles(),
    // Unknown if the state of the other processes could not be read in time.
    cluster: operations.clusterHealth && (cluster ?? ('unknown' as const)),
    callbacks: tasks.callbacks.habits,
    store: operations.ownership.trouble(),
    allowances: spending.allowances(requester),
    waitingLimits: spending.waitingLimits(requester),
    paused: spending.pauseOf(requester),
    block: spending.blockOf(requester),
    areRulesUnreadable: facts.guildId !== undefined && safety.rules.get(facts.guildId).unreadable !== undefined,
    operator: isOperator
      ? {
          ...(await operations.state(health.isAvailable ? undefined : health.error)),
          // Partition 0 notifies the operator for all.
          ...(operations.clusterHealth && { notices: cluster?.notices }),
        }
      : undefined,
  };
}

type AboutFacts = Awaited<ReturnType<typeof aboutFacts>>;
type GatewayHealth = { isAvailable: true; ms: number } | { isAvailable: false; reason: string; error: GatewayError };

/** `help` is a mention of the command `/help`. */
export function aboutPage(about: AboutFacts, help: string, say: Say): MessagePlan {
  const { version, gateway, liveTasks, troubles, store, allowances, waitingLimits, paused, block, areRulesUnreadable } =
    about;
  const limits = [
    ...allowances.map((one) => [one.holder, limitText(one, say)] as const),
    ...waitingLimits.map(({ holder, max }) => [holder, say('about.waiting', { count: max })] as const),
  ];
  const lines = [
    say('about.version', { version }),
    ...discordLines(about, say),
    gateway.isAvailable ? say('about.gatewayAvailable', { duration: gateway.ms / 1000 }) : gateway.reason,
    ...(paused ? [say(`about.paused.${paused}`)] : []),
    ...(block ? [refusalMessage(block, say)] : []),
    ...(areRulesUnreadable ? [say('refusals.rules.unreadable')] : []),
    say('about.liveTasks', { count: liveTasks }),
    ...troubles.map(({ kind, lane, since, reason }) => {
      const trouble = say(`about.trouble.${kind}`, {
        lane: nameOfLane(lane, say),
        since: String(Math.floor(since / 1000)),
      });
      return about.operator && kind !== 'busy'
        ? say('about.trouble.withReason', { trouble, reason: reasonText(reason, say) })
        : trouble;
    }),
    ...[...Map.groupBy(limits, ([holder]) => holder)].map(([holder, group]) => {
      const texts = group.map(([, text]) => text);
      return say(`about.limits.${holder}`, { limits: listText(texts, say) });
    }),
    ...(store ? [say('about.storeUnreachable', { since: String(Math.floor(store.since / 1000)) })] : []),
  ];
  const blocks = [
    lines.join('\n'),
    ...(about.operator ? [...operatorBlocks(about.operator, say), ...callbackBlock(about, say)] : []),
    say('about.more', { mention: help }),
  ];
  return { page: { title: say('about.title'), blocks } };
}

function limitText(allowance: Allowance, say: Say): string {
  const limit = allowanceText(allowance, say);
  const { granted, unit } = allowance;
  return granted === undefined ? limit : say('about.granted', { limit, granted: quantityText(unit, granted, say) });
}

function discordLines({ latencyMs, cluster }: AboutFacts, say: Say): string[] {
  if (cluster === 'unknown') return [say('about.cluster.unknown')];
  if (!cluster)
    return [
      latencyMs === undefined
        ? say('about.latencyUnknown')
        : say('about.latency', { duration: Math.max(1, latencyMs) / 1000 }),
    ];
  const { workers, shards, partitions } = cluster;
  const unowned = partitions.count - partitions.owned;
  return [
    say('about.cluster.shards', { held: String(shards.held), count: shards.count }),
    say('about.cluster.workers', { count: workers }),
    ...(unowned > 0 ? [say('about.cluster.unowned', { count: unowned, total: String(partitions.count) })] : []),
  ];
}

const callbackBlock = ({ callbacks }: AboutFacts, say: Say): string[] =>
  callbacks.length === 0
    ? []
    : [callbacks.map(({ lane, habit }) => say(`about.callbacks.${habit}`, { lane: nameOfLane(lane, say) })).join('\n')];

/** A page has room for this many notices. */
const MAX_NOTICES = 6;

function operatorBlocks({ readiness, notices, runs }: NonNullable<AboutFacts['operator']>, say: Say): string[] {
  const checks = readyParts.map((part) => {
    const reason = readiness[part];
    const name = say(`about.operator.parts.${part}`);
    return reason === undefined
      ? say('about.operator.ready', { part: name })
      : say('about.operator.notReady', { part: name, reason: say(`about.operator.reasons.${reason}`) });
  });
  return [
    [say('about.operator.checks'), ...checks].join('\n'),
    // In a cluster, they may be unknown.
    ...(notices ? [noticesBlock(notices, say)] : []),
    ...(runs.length === 0
      ? []
      : [[say('about.operator.starts'), ...runs.map((run, index) => runLine(run, index === 0, say))].join('\n')]),
  ];
}

function noticesBlock(notices: readonly Notice[], say: Say): string {
  if (notices.length === 0) return say('about.operator.noNotices');
  const shownNotices = notices.slice(0, MAX_NOTICES).flatMap((notice) => noticeLines(notice, say));
  const remainingCount = notices.length - MAX_NOTICES;
  return [
    say('about.operator.notices'),
    ...shownNotices,
    ...(remainingCount > 0 ? [say('about.operator.moreNotices', { count: remainingCount })] : []),
  ].join('\n');
}

function runLine({ at, version, seenAt, stoppedAt, isRestored }: Run, isCurrent: boolean, say: Say): string {
  const facts = { at: Math.floor(at / 1000), version };
  if (isCurrent) return say('about.operator.running', facts);
  const ended = Math.floor((stoppedAt ?? seenAt) / 1000);
  const end = isRestored === true ? 'restored' : stoppedAt === undefined ? 'unrecorded' : 'stopped';
  return say(`about.operator.${end}`, { ...facts, ended });
}

async function gatewayHealth({ models }: Gateway, say: Say): Promise<GatewayHealth> {
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
    async run(_values, context) {
      const { services, facts, say } = context;
      const [page, registeredCommands] = await Promise.all([
        aboutFacts(context),
        services.discord.registeredCommands(facts),
      ]);
      return aboutPage(page, commandMention('help', registeredCommands.get('help')), say);
    },
  }),
};
