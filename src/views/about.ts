import type { Say } from '../locales/index.ts';
import type { MessagePlan } from './plan.ts';

export interface Health {
  version: string;
  /** Milliseconds to Discord and back; undefined before the first heartbeat. */
  latencyMs: number | undefined;
  gateway: { answers: true; ms: number } | { answers: false; reason: string };
}

/** `help` is how the command is mentioned here. */
export function aboutPage({ version, latencyMs, gateway }: Health, help: string, say: Say): MessagePlan {
  const lines = [
    say('about.version', { version }),
    latencyMs === undefined ? say('about.latencyUnknown') : say('about.latency', { ms: String(latencyMs) }),
    gateway.answers
      ? say('about.gatewayAnswers', { ms: String(gateway.ms) })
      : say('about.gatewayRefuses', { reason: gateway.reason }),
  ];
  return { page: { title: say('about.title'), blocks: [lines.join('\n'), say('about.more', { mention: help })] } };
}
