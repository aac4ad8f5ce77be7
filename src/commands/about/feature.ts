import { reasonText, refusalMessage } from '../../discord/funnel.ts';
import { allowanceText, quantityText } from '../../discord/limit-words.ts';
import { commandMention } from '../../discord/markdown.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import type { ClusterHealth } from '../../discord/shards/cluster-health.ts';
import { listText } from '../../lib/formats.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import { nameOfLane, noticeLines } from '../../messages/notice.ts';
import { GatewayError } from '../../services/gateway/errors.ts';
import type { Gateway } from '../../services/gateway/gateway.ts';
import type { Allowance, Holder } from '../../services/money/allowance.ts';
import { requesterOf } from '../../services/money/requester.ts';
import { type Readiness, readyParts } from '../../services/operations/readiness.ts';
import type { HabitName } from '../../services/orders/callback-habits.ts';
import type { LaneTrouble } from '../../services/orders/scheduler.ts';
import type { Notice } from '../../services/store/notice.ts';
import type { Run } from '../../services/store/runs.ts';
import { command, type Feature, type Services } from '../feature.ts';

interface Health {
  version: string;
  /** The round trip to Discord in milliseconds; undefined before the first heartbeat. */
  latencyMs: number | undefined;
  gateway: { isAvailable: true; ms: number } | { isAvailable: false; reason: string; error: GatewayError };
  liveTasks: number;
  /** Undefined if the bot is a single process; `unknown` if the state of the other processes could not be read in time. */
  cluster?: ClusterHealth | 'unknown' | undefined;
  /** Endpoint families that are not polled at the moment, and why. */
  troubles: readonly LaneTrouble[];
  /** Which callbacks the gateway sends, by lane; empty if requests contain no callback URLs. */
  callbacks: readonly { lane: string; habit: HabitName }[];
  /** The time since which the store has not responded; undefined if it responds. */
  store: { since: number } | undefined;
}

export interface OperatorState {
  readiness: Readiness;
  /** The current notices, oldest first. */
  notices: readonly Notice[];
  /** The recent starts, newest first. */
  runs: readonly Run[];
}

interface AboutFacts extends Health {
  /** Where new requests of the member are paused; undefined if they are not. */
  paused: 'everywhere' | 'server' | undefined;
  /** Why all new requests of the member are refused here; undefined if no admin has blocked them. */
  block?: Refusal | undefined;
  /** The limits that apply to the member who uses the command. */
  allowances: readonly Allowance[];
  waitingLimits: readonly { holder: Holder; max: number }[];
  /** Undefined if the member is not the operator. */
  operator?: OperatorState | undefined;
}

/** `help` is a mention of the command `/help`. */
export function aboutPage(about: AboutFacts, help: string, say: Say): MessagePlan {
  const { version, gateway, liveTasks, troubles, store, allowances, waitingLimits, paused, block } = about;
  const limits = [
    ...allowances.map((one) => ({ holder: one.holder, text: limitText(one, say) })),
    ...waitingLimits.map(({ holder, max }) => ({ holder, text: say('about.waiting', { count: max }) })),
  ];
  const lines = [
    say('about.version', { version }),
    ...discordLines(about, say),
    gateway.isAvailable ? say('about.gatewayAvailable', { duration: gateway.ms / 1000 }) : gateway.reason,
    ...(paused ? [say(`about.paused.${paused}`)] : []),
    ...(block ? [refusalMessage(block, say)] : []),
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
    ...[...Map.groupBy(limits, ({ holder }) => holder)].map(([holder, group]) =>
      say(`about.limits.${holder}`, { limits: listText(textsOf(group), say) }),
    ),
    ...(store ? [say('about.storeUnreachable', { since: String(Math.floor(store.since / 1000)) })] : []),
  ];
  const blocks = [
    lines.join('\n'),
    ...(about.operator ? [...operatorBlocks(about.operator, say), ...callbackBlock(about, say)] : []),
    say('about.more', { mention: help }),
  ];
  return { page: { title: say('about.title'), blocks } };
}

const textsOf = (limits: readonly { text: string }[]): string[] => limits.map(({ text }) => text);

function limitText(allowance: Allowance, say: Say): string {
  const limit = allowanceText(allowance, say);
  const { granted, unit } = allowance;
  return granted === undefined ? limit : say('about.granted', { limit, granted: quantityText(unit, granted, say) });
}

function discordLines({ latencyMs, cluster }: Health, say: Say): string[] {
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

const callbackBlock = ({ callbacks }: Health, say: Say): string[] =>
  callbacks.length === 0
    ? []
    : [callbacks.map(({ lane, habit }) => say(`about.callbacks.${habit}`, { lane: nameOfLane(lane, say) })).join('\n')];

/** A page has room for this many notices. */
const MAX_NOTICES = 6;

function operatorBlocks({ readiness, notices, runs }: OperatorState, say: Say): string[] {
  const checks = readyParts.map((part) => {
    const reason = readiness[part];
    const name = say(`about.operator.parts.${part}`);
    return reason === undefined
      ? say('about.operator.ready', { part: name })
      : say('about.operator.notReady', { part: name, reason: say(`about.operator.reasons.${reason}`) });
  });
  const shownNotices = notices.slice(0, MAX_NOTICES).flatMap((notice) => noticeLines(notice, say));
  const remainingCount = notices.length - MAX_NOTICES;
  return [
    [say('about.operator.checks'), ...checks].join('\n'),
    [
      say(notices.length === 0 ? 'about.operator.noNotices' : 'about.operator.notices'),
      ...shownNotices,
      ...(remainingCount > 0 ? [say('about.operator.moreNotices', { count: remainingCount })] : []),
    ].join('\n'),
    [say('about.operator.starts'), ...runs.map((run, index) => runLine(run, index === 0, say))].join('\n'),
  ];
}

function runLine({ at, version, seenAt, stoppedAt, isRestored }: Run, isCurrent: boolean, say: Say): string {
  const facts = { at: Math.floor(at / 1000), version };
  if (isCurrent) return say('about.operator.running', facts);
  const ended = Math.floor((stoppedAt ?? seenAt) / 1000);
  const end = isRestored === true ? 'restored' : stoppedAt === undefined ? 'unrecorded' : 'stopped';
  return say(`about.operator.${end}`, { ...facts, ended });
}

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
