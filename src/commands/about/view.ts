import type { MessagePlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import type { HabitName } from '../../services/callbacks/habits.ts';
import type { LaneTrouble } from '../../services/polling/scheduler.ts';
import type { Allowance } from '../../services/spending/allowance.ts';
import { allowanceText } from '../../services/spending/limits-text.ts';
import { text } from './text.ts';

export interface Health {
  version: string;
  /** Milliseconds to Discord and back; undefined before the first heartbeat. */
  latencyMs: number | undefined;
  gateway: { answers: true; ms: number } | { answers: false; reason: string };
  liveTasks: number;
  /** Endpoint families that are not polled at the moment, and why. */
  troubles: readonly LaneTrouble[];
  /** What the gateway calls back, by lane; empty where it is given no addresses. */
  callbacks: readonly { lane: string; habit: HabitName }[];
  /** Since when the store does not respond; undefined if it does. */
  store: { since: number } | undefined;
}

interface About extends Health {
  /** The limits that hold for the member who asks. */
  allowances: readonly Allowance[];
}

/** `help` is the mention of the command `/help`. */
export function aboutPage(about: About, help: string, say: Say): MessagePlan {
  const { version, latencyMs, gateway, liveTasks, troubles, callbacks, store, allowances } = about;
  const lines = [
    say('about.version', { version }),
    latencyMs === undefined ? say('about.latencyUnknown') : say('about.latency', { ms: String(latencyMs) }),
    gateway.answers
      ? say('about.gatewayAvailable', { ms: String(gateway.ms) })
      : say('about.gatewayUnavailable', { reason: gateway.reason }),
    say('about.liveTasks', { count: liveTasks }),
    ...troubles.map(({ kind, lane, since, reason }) =>
      say(`about.trouble.${kind}`, { lane: nameOfLane(lane, say), since: String(Math.floor(since / 1000)), reason }),
    ),
    ...callbacks.map(({ lane, habit }) => say(`about.callbacks.${habit}`, { lane: nameOfLane(lane, say) })),
    ...[...Map.groupBy(allowances, ({ holder }) => holder)].map(([holder, all]) =>
      say(`about.limits.${holder}`, { limits: all.map(allowanceText).join(', ') }),
    ),
    ...(store ? [say('about.storeUnreachable', { since: String(Math.floor(store.since / 1000)) })] : []),
  ];
  return { page: { title: say('about.title'), blocks: [lines.join('\n'), say('about.more', { mention: help })] } };
}

const isNamed = (lane: string): lane is keyof typeof text.about.lanes => Object.hasOwn(text.about.lanes, lane);

const nameOfLane = (lane: string, say: Say): string => (isNamed(lane) ? say(`about.lanes.${lane}`) : lane);
