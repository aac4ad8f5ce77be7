import { z } from 'zod';
import type { Limits } from './limits.ts';
import { limitsText } from './limits-text.ts';

const start = z.object({ text: z.string(), at: z.number() });

/** The operator's limits, and when the bot first started with them. */
export const limitStarts = z.object({ total: start, server: start, member: start, direct: start });
export type LimitStarts = z.output<typeof limitStarts>;

export function updateStarts(
  known: LimitStarts | undefined,
  settings: Readonly<Record<keyof LimitStarts, Limits>>,
  now: number,
): LimitStarts {
  const startOf = (holder: keyof LimitStarts): LimitStarts[typeof holder] => {
    const text = limitsText(settings[holder]);
    return known?.[holder].text === text ? known[holder] : { text, at: now };
  };
  return { total: startOf('total'), server: startOf('server'), member: startOf('member'), direct: startOf('direct') };
}
