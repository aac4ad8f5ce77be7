import type { Assessment } from './judgement.ts';
import type { Outcome } from './outcome.ts';
import type { Scale } from './plan.ts';
import { gatewayPaths } from './troubles.ts';
import { wasUnannounced } from './unannounced.ts';

/** Formats the figures of a run for a human reader. */
export function figures(
  { cases, outcomes, shownMessages, servers, keeper }: Assessment,
  scale: Scale,
  times: readonly number[],
): string[] {
  const { discord, discordLog, gatewayLog, injectionCounts } = servers;
  const counts = Map.groupBy(outcomes, (outcome) => (typeof outcome === 'string' ? outcome : 'broken'));
  const count = (...names: (Extract<Outcome, string> | 'broken')[]): number =>
    names.reduce((sum, one) => sum + (counts.get(one)?.length ?? 0), 0);
  const countGatewayRequests = (end: RegExp): number => gatewayLog.entries.filter(({ path }) => end.test(path)).length;
  const countWrites = (method: string, route: RegExp): number =>
    discordLog.entries.filter((request) => request.method === method && route.test(request.route)).length;
  const ownMessages = shownMessages.filter(({ message }) => message.interaction_metadata === undefined);
  const isDirect = (channelId: string): boolean => discord.world.channel(channelId).recipientIds !== undefined;
  const directCount = ownMessages.filter(({ channelId }) => isDirect(channelId)).length;
  const acceptedCount = cases.filter(({ order }) => order.acknowledgedAt !== undefined).length;
  const unstoredCases = cases.filter((_, index) => outcomes[index] === 'not stored');
  const longestUnstored = unstoredCases.reduce((longest, { order: { acknowledgedAt = 0 } }) => {
    const kill = keeper.kills.find((at) => at >= acknowledgedAt) ?? acknowledgedAt;
    return Math.max(longest, Math.round(kill - acknowledgedAt));
  }, 0);
  const history = { requests: discordLog.entries, starts: keeper.starts };
  const unannouncedHits = discord.rateLimitHits.filter((hit) => wasUnannounced(hit, history));
  const row = (name: string, ...values: (string | number)[]): string => `${name.padEnd(16)} ${values.join(', ')}`;
  const seconds = (from = 0, to = 0): string => `${((to - from) / 1_000).toFixed(1)} s`;
  const spans = ['start', 'storm', 'settling', 'checks'].map(
    (name, index) => `${name} ${seconds(times[index], times[index + 1])}`,
  );
  const injectedFaults = [...injectionCounts]
    .filter(([, times]) => times > 0)
    .toSorted(([a], [b]) => a.localeCompare(b));
  return [
    row('seed', scale.seed),
    row('jobs planned', scale.jobs),
    row('orders made', cases.length),
    row('  never accepted', count('never accepted')),
    row('  accepted', acceptedCount),
    row('    delivered', count('done', 'linked'), `${count('linked')} of them as a link`),
    row('    failed', count('failed')),
    row('    refused', count('refused', 'unexpected'), `${count('unexpected')} of them without a reason`),
    row('    unconfirmed', count('unconfirmed')),
    row('    not stored', count('not stored'), `at most ${longestUnstored} ms before a kill`),
    row('    interrupted', count('interrupted')),
    row('    hint only', count('hint')),
    row('    not notified', count('not notified')),
    row('    broken', count('broken')),
    row('kills', keeper.kills.length),
    row('socket', `${discord.gateway.identifies} identified`, `${discord.gateway.resumes} resumed`),
    row('submits', countGatewayRequests(gatewayPaths.submit.path)),
    row('polls', countGatewayRequests(gatewayPaths.poll.path)),
    row('files', countGatewayRequests(/^\/files\//)),
    row('edits', countWrites('PATCH', /^\//)),
    row('fresh messages', ownMessages.length - directCount),
    row('direct messages', directCount),
    row('rate limited', discord.rateLimitHits.length, `${unannouncedHits.length} of them unannounced`),
    row('leases lost', keeper.lostLeases),
    row('longest recovery', `${Math.max(...keeper.startsMs)} ms`),
    row('wall time', seconds(times.at(0), times.at(-1)), ...spans),
    ...injectedFaults.map(([name, times]) => `  ${String(times).padStart(4)} × ${name}`),
  ];
}
