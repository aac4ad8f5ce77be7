import type { Judged } from './judgement.ts';
import type { Outcome } from './outcome.ts';
import type { Scale } from './plan.ts';
import { gatewayPaths } from './troubles.ts';
import { wasUntold } from './untold.ts';

/** Formats the figures of a run for a human reader. */
export function figures(
  { cases, outcomes, standing, sides, keeper }: Judged,
  scale: Scale,
  times: readonly number[],
): string[] {
  const { discord, toDiscord, toGateway, struck } = sides;
  const counts = Map.groupBy(outcomes, (outcome) => (typeof outcome === 'string' ? outcome : 'broken'));
  const count = (...wanted: (Extract<Outcome, string> | 'broken')[]): number =>
    wanted.reduce((sum, one) => sum + (counts.get(one)?.length ?? 0), 0);
  const asked = (end: RegExp): number => toGateway.entries.filter(({ path }) => end.test(path)).length;
  const wrote = (method: string, route: RegExp): number =>
    toDiscord.entries.filter((heard) => heard.method === method && route.test(heard.route)).length;
  const own = standing.filter(({ message }) => message.interaction_metadata === undefined);
  const isDirect = (channelId: string): boolean => discord.world.channel(channelId).recipientIds !== undefined;
  const direct = own.filter(({ channelId }) => isDirect(channelId)).length;
  const taken = cases.filter(({ order }) => order.acknowledgedAt !== undefined).length;
  const unstored = cases.filter((_, at) => outcomes[at] === 'not stored');
  const longestUnstored = unstored.reduce((longest, { order: { acknowledgedAt = 0 } }) => {
    const kill = keeper.kills.find((at) => at >= acknowledgedAt) ?? acknowledgedAt;
    return Math.max(longest, Math.round(kill - acknowledgedAt));
  }, 0);
  const known = { requests: toDiscord.entries, starts: keeper.starts };
  const untold = discord.rateLimitHits.filter((limited) => wasUntold(limited, known));
  const line = (name: string, ...values: (string | number)[]): string => `${name.padEnd(16)} ${values.join(', ')}`;
  const seconds = (from = 0, to = 0): string => `${((to - from) / 1_000).toFixed(1)} s`;
  const spans = ['to begin', 'storm', 'calm', 'to end'].map(
    (name, at) => `${name} ${seconds(times[at], times[at + 1])}`,
  );
  const troubles = [...struck].filter(([, times]) => times > 0).toSorted(([a], [b]) => a.localeCompare(b));
  return [
    line('seed', scale.seed),
    line('jobs wanted', scale.jobs),
    line('orders given', cases.length),
    line('  never taken', count('never taken')),
    line('  taken', taken),
    line('    delivered', count('done', 'linked'), `${count('linked')} of them as a link`),
    line('    failed', count('failed')),
    line('    refused', count('refused', 'unexpected'), `${count('unexpected')} of them without a reason`),
    line('    unconfirmed', count('unconfirmed')),
    line('    not stored', count('not stored'), `at most ${longestUnstored} ms before a kill`),
    line('    interrupted', count('interrupted')),
    line('    pointed at', count('pointed')),
    line('    not told', count('not told')),
    line('    broken', count('broken')),
    line('kills', keeper.kills.length),
    line('socket', `${discord.gateway.identifies} identified`, `${discord.gateway.resumes} resumed`),
    line('submits', asked(gatewayPaths.submit.path)),
    line('polls', asked(gatewayPaths.poll.path)),
    line('files', asked(/^\/files\//)),
    line('edits', wrote('PATCH', /^\//)),
    line('fresh messages', own.length - direct),
    line('direct messages', direct),
    line('rate limited', discord.rateLimitHits.length, `${untold.length} of them untold`),
    line('store given up', keeper.losses),
    line('longest recovery', `${Math.max(...keeper.startsMs)} ms`),
    line('wall time', seconds(times.at(0), times.at(-1)), ...spans),
    ...troubles.map(([name, times]) => `  ${String(times).padStart(4)} × ${name}`),
  ];
}
