import type { MessagePlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import type { LaneTrouble } from '../../services/polling/scheduler.ts';

export interface Health {
  version: string;
  /** Milliseconds to Discord and back; undefined before the first heartbeat. */
  latencyMs: number | undefined;
  gateway: { answers: true; ms: number } | { answers: false; reason: string };
  liveTasks: number;
  /** Families of the gateway's endpoints that are not asked at the moment, and why. */
  troubles: readonly LaneTrouble[];
  /** The store does not answer; undefined: it does. */
  store: { since: number } | undefined;
}

/** `help` is how the command is mentioned here. */
export function aboutPage(
  { version, latencyMs, gateway, liveTasks, troubles, store }: Health,
  help: string,
  say: Say,
): MessagePlan {
  const lines = [
    say('about.version', { version }),
    latencyMs === undefined ? say('about.latencyUnknown') : say('about.latency', { ms: String(latencyMs) }),
    gateway.answers
      ? say('about.gatewayAvailable', { ms: String(gateway.ms) })
      : say('about.gatewayUnavailable', { reason: gateway.reason }),
    say('about.liveTasks', { count: liveTasks }),
    ...troubles.map(({ kind, lane, since, reason }) =>
      say(`about.trouble.${kind}`, { lane, since: String(Math.floor(since / 1000)), reason }),
    ),
    ...(store ? [say('about.storeUnreachable', { since: String(Math.floor(store.since / 1000)) })] : []),
  ];
  return { page: { title: say('about.title'), blocks: [lines.join('\n'), say('about.more', { mention: help })] } };
}
