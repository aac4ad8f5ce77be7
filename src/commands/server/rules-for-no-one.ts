import type { DiscordReader } from '../../discord/reads.ts';
import type { AccessRule } from '../../services/safety/server-rules.ts';

/** More missing channels are taken for threads. */
const MAX_READ = 10;

/** The rules that allow something only to roles, or only in channels, that the server does not have. There are none if its `names` could not be read. */
export async function rulesForNoOne(
  access: readonly AccessRule[],
  names: ReadonlyMap<string, string>,
  reads: DiscordReader,
): Promise<AccessRule[]> {
  const isMissing = (mention: string): boolean => names.size > 0 && !names.has(mention);
  const allowing = access.filter(({ effect }) => effect === 'allow');
  const missing = new Set(allowing.flatMap(({ channelIds = [] }) => channelIds.filter((id) => isMissing(`<#${id}>`))));
  // A thread has no name among those of the server.
  const goneIds = await Promise.all(
    [...missing].slice(0, MAX_READ).map(async (id) => ((await reads.isGone(id)) ? [id] : [])),
  );
  const gone = new Set(goneIds.flat());
  return allowing.filter(
    ({ roleIds, channelIds }) =>
      roleIds?.every((id) => isMissing(`<@&${id}>`)) || channelIds?.every((id) => gone.has(id)),
  );
}
