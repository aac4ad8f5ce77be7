import { z } from 'zod';
import { type Clock, withTimeout } from '../../lib/clock.ts';
import { isRecord } from '../../lib/exact-json.ts';
import type { PlainLog } from '../../lib/log.ts';
import type { RefreshAddresses } from '../../services/inputs/addresses.ts';
import type { DiscordClients } from './clients.ts';
import { errorFacts } from './errors.ts';

/** discord.js has no name for it. */
const REFRESH = '/attachments/refresh-urls';
/** Old addresses may do as well, so no question waits longer. */
const TIME_LIMIT_MS = 10_000;

const refreshedShape = z.object({ original: z.string(), refreshed: z.string() });

/** Signs addresses of attachments again. Without a response, none is refreshed. */
export function attachmentRefresher(
  { client }: Pick<DiscordClients, 'client'>,
  clock: Clock,
  log: Pick<PlainLog, 'info'>,
): RefreshAddresses {
  return async (addresses) => {
    try {
      const body = { attachment_urls: addresses };
      return refreshedIn(await withTimeout(clock, TIME_LIMIT_MS, client.rest.post(REFRESH, { body })));
    } catch (error) {
      log.info(errorFacts(error), 'Could not refresh the addresses of attachments.');
      return new Map();
    }
  };
}

function refreshedIn(response: unknown): Map<string, string> {
  const listed: unknown = isRecord(response) ? response.refreshed_urls : undefined;
  if (!Array.isArray(listed)) return new Map();
  const pairs = listed.flatMap((one) => refreshedShape.safeParse(one).data ?? []);
  return new Map(pairs.map(({ original, refreshed }) => [original, refreshed]));
}
