import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddedDiscord } from '../../sandbox/discord/discord.ts';
import { EDIT_GRACE_MS, type Load, type LoadFigures } from './protocol.ts';

/** Sends commands at the pace of the clock, not of the responses, so that a slow response neither delays the next member nor goes unnoticed. */
export async function load(discord: EmbeddedDiscord, { perSecond, seconds }: Load): Promise<LoadFigures> {
  const member = discord.as('member');
  const acknowledgements: Promise<number>[] = [];
  const tokens = new Set<string>();
  const startedAt = Date.now();
  const start = performance.now();
  for (let index = 0; index < perSecond * seconds; index++) {
    const waitMs = start + (index * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    const { token, acknowledged } = await member.slash('models');
    tokens.add(token);
    const acknowledgement = acknowledged().then(({ afterMs }) => afterMs);
    // A missing acknowledgement is counted below, once all others have arrived.
    acknowledgement.catch(() => undefined);
    acknowledgements.push(acknowledgement);
  }
  const settled = await Promise.allSettled(acknowledgements);
  await sleep(EDIT_GRACE_MS);
  const milliseconds = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const edited = discord.requests.filter(
    ({ at, method, status, path }) =>
      at >= startedAt && method === 'PATCH' && status === 200 && tokens.has(path.split('/').at(3) ?? ''),
  ).length;
  return { milliseconds, missed: settled.length - milliseconds.length, edited };
}
