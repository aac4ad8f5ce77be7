import { Client, REST } from 'discord.js';

/** Uploads are counted in here too: a large file on a slow line is not a failure. */
const REST_TIMEOUT_MS = 60_000;
/** Discord blocks an address after 10,000 invalid requests in ten minutes; the log hears of it long before. */
const INVALID_WARNING_INTERVAL = 100;

export interface DiscordClients {
  /** Logs in and hears interactions. Its REST carries the bot's token and obeys Discord's 50 requests per second. */
  client: Client;
  /**
   * For addresses that carry an interaction's own token. Such requests are outside of Discord's global limit, and must be
   * sent without the bot's token: an expired one is answered with 401, for which the library would drop the bot's token.
   */
  tokenRest: REST;
}

export function discordClients(apiUrl: string): DiscordClients {
  const shared = {
    api: apiUrl,
    version: '10',
    timeout: REST_TIMEOUT_MS,
    invalidRequestWarningInterval: INVALID_WARNING_INTERVAL,
  };
  // Slash commands and buttons need no intent, and without them a server costs next to no memory.
  const client = new Client({ intents: [], allowedMentions: { parse: [] }, rest: shared });
  // READY names every server, and the library would keep an empty shell of thirty lists for each; an interaction brings all
  // that is asked of its server. Ten thousand shells are some 50 MB, which a later clearing does not give back.
  client.guilds.cache.set = () => client.guilds.cache;
  return {
    client,
    tokenRest: new REST({ ...shared, globalRequestsPerSecond: Number.MAX_SAFE_INTEGER }),
  };
}
