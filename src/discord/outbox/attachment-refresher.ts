import { z } from 'zod';
import { type Clock, withTimeout } from '../../lib/clock.ts';
import { isRecord } from '../../lib/exact-json.ts';
import type { PlainLog } from '../../lib/log.ts';
import type { Discord } from '../../services/orders/discord.ts';
import type { DiscordClients } from './clients.ts';
import { tryAndLog } from './errors.ts';

/** discord.js does not list this route. */
const REFRESH_ROUTE = '/attachments/refresh-urls';
/** The old URLs may still work, so an answer is not held up for longer than this. */
const TIME_LIMIT_MS = 10_000;

const refreshedShape = z.object({ original: z.string(), refreshed: z.string() });

/** Has Discord re-sign the URLs of attachments. If it does not respond, none are refreshed. */
export function attachmentRefresher({ rest }: DiscordClients, clock: Clock, log: PlainLog): Discord['refreshUrls'] {
  return async (urls) => {
    const body = { attachment_urls: urls };
    const response = await tryAndLog(log, 'Could not refresh the URLs of attachments.', {}, () =>
      withTimeout(clock, TIME_LIMIT_MS, rest.post(REFRESH_ROUTE, { body })),
    );
    return parseRefreshed(response);
  };
}

function parseRefreshed(response: unknown): Map<string, string> {
  const entries: unknown = isRecord(response) ? response.refreshed_urls : undefined;
  if (!Array.isArray(entries)) return new Map();
  const pairs = entries.flatMap((one) => refreshedShape.safeParse(one).data ?? []);
  return new Map(pairs.map(({ original, refreshed }) => [original, refreshed]));
}
