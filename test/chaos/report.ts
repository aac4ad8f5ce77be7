import type { Assessment } from './judgement.ts';
import type { Outcome } from './outcome.ts';
import type { Scale } from './plan.ts';
import { gatewayPaths } from './troubles.ts';
import { wasUnannounced } from './untold.ts';

/** Formats the figures of a run for a human reader. */
export function figures(
  { cases, outcomes, shownMessages, servers, keeper }: Assessment,
  scale: Scale,
  times: readonly number[],
): string[] {
  const { discord, toDiscord, toGateway, injectionCounts } = servers;
  const counts = Map.groupBy(outcomes, (outcome) => (typeof outcome === 'string' ? outcome : 'broken'));
  const count = (...names: (Extract<Outcome, string> | 'broken')[]): number =>
    names.reduce((sum, one) => sum + (counts.get(one)?.length ?? 0), 0);
  const countGatewayRequests = (end: RegExp): number => toGateway.entries.filter(({ path }) => end.test(path)).length;
  const countWrites = (method: string, route: RegExp): number =>
    toDiscord.entries.filter((request) => request.method === method && route.test(request.route)).length;
  const own = shownMessages.filter(({ message }) => message.interaction_metadata === undefined);
  const isDirect = (channelId: string): boolean => discord.world.channel(channelId).recipientIds !== undefined;
  const directCount = own.filter(({ channelId }) => isDirect(channelId)).length;
  const accepted = cases.filter(({ order }) => order.acknowledgedAt !== undefined).length;
  const unstored = cases.filter((_, index) => outcomes[index] === 'not stored');
  const longestUnstored = unstored.reduce((longest, { order: { acknowledgedAt = 0 } }) => {
    const kill = keeper.kills.find((at) => at >= acknowledgedAt) ?? acknowledgedAt;
    return Math.max(longest, Math.round(kill - acknowledgedAt));
  }, 0);
  const known = { requests: toDiscord.entries, starts: keeper.starts };
  const unannounced = discord.rateLimitHits.filter((limited) => wasUnannounced(limited, known));
  const line = (name: string, ...values: (string | number)[]): string => `${name.padEnd(16)} ${values.join(', ')}`;
  const seconds = (from = 0, to = 0): string => `${((to - from) / 1_000).toFixed(1)} s`;
  const spans = ['start', 'storm', 'settling', 'checks'].map(
    (name, index) => `${name} ${seconds(times[index], times[index + 1])}`,
  );
  const injected = [...injectionCounts].filter(([, times]) => times > 0).toSorted(([a], [b]) => a.localeCompare(b));
  return [
    line('seed', scale.seed),
    line('jobs planned', scale.jobs),
    line('orders made', cases.length),
    line('  never accepted', count('never taken')),
    line('  accepted', accepted),
    line('    delivered', count('done', 'linked'), `${count('linked')} of them as a link`),
    line('    failed', count('failed')),
    line('    refused', count('refused', 'unexpected'), `${count('unexpected')} of them without a reason`),
    line('    unconfirmed', count('unconfirmed')),
    line('    not stored', count('not stored'), `at most ${longestUnstored} ms before a kill`),
    line('    interrupted', count('interrupted')),
    line('    hint only', count('pointed')),
    line('    not notified', count('not told')),
    line('    broken', count('broken')),
    line('kills', keeper.kills.length),
    line('socket', `${discord.gateway.identifies} identified`, `${discord.gateway.resumes} resumed`),
    line('submits', countGatewayRequests(gatewayPaths.submit.path)),
    line('polls', countGatewayRequests(gatewayPaths.poll.path)),
    line('files', countGatewayRequests(/^\/files\//)),
    line('edits', countWrites('PATCH', /^\//)),
    line('fresh messages', own.length - directCount),
    line('direct messages', directCount),
    line('rate limited', discord.rateLimitHits.length, `${unannounced.length} of them unannounced`),
    line('leases lost', keeper.lostLeases),
    line('longest recovery', `${Math.max(...keeper.startsMs)} ms`),
    line('wall time', seconds(times.at(0), times.at(-1)), ...spans),
    ...injected.map(([name, times]) => `  ${String(times).padStart(4)} × ${name}`),
  ];
}
