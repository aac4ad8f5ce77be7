import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddedDiscord } from '../../sandbox/discord/discord.ts';
import { EDIT_GRACE_MS, type Load, type LoadFigures } from './orders.ts';

/** Paced by the clock and not by the responses, so that a slow response neither delays the next member nor goes unnoticed. */
export async function load(discord: EmbeddedDiscord, { perSecond, seconds }: Load): Promise<LoadFigures> {
  const member = discord.as('member');
  const acknowledgements: Promise<number>[] = [];
  const tokens = new Set<string>();
  const since = Date.now();
  const start = performance.now();
  for (let at = 0; at < perSecond * seconds; at++) {
    const early = start + (at * 1_000) / perSecond - performance.now();
    if (early > 0) await sleep(early);
    const { token, acknowledged } = await member.slash('models');
    tokens.add(token);
    const taken = acknowledged().then(({ afterMs }) => afterMs);
    // A missing one is counted below, when all others have arrived.
    taken.catch(() => undefined);
    acknowledgements.push(taken);
  }
  const settled = await Promise.allSettled(acknowledgements);
  await sleep(EDIT_GRACE_MS);
  const milliseconds = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const edited = discord.requests.filter(
    ({ at, method, status, path }) =>
      at >= since && method === 'PATCH' && status === 200 && tokens.has(path.split('/').at(3) ?? ''),
  ).length;
  return { milliseconds, missed: settled.length - milliseconds.length, edited };
}
