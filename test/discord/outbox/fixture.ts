import { createDiscordClients } from '../../../src/discord/outbox/clients.ts';
import { Outbox } from '../../../src/discord/outbox/outbox.ts';
import { createLogger, type Log } from '../../../src/lib/log.ts';
import { addCleanup } from '../../support/ending.ts';
import { type Reply, ScriptedHttp } from '../../support/scripted-http.ts';

export const CHANNEL = '300000000000000001';
export const DIRECT_CHANNEL = '300000000000000002';
export const APPLICATION = '400000000000000001';

/** A message as Discord returns it. */
export const posted = (id: string, channelId = CHANNEL): Reply => ({ body: { id, channel_id: channelId } });
/** A refusal with one of Discord's codes. */
export const refused = (code: number, status = 400): Reply => ({ status, body: { code, message: 'No.' } });
export const unavailable: Reply = { status: 503, body: {} };
/** To a request without a response body. */
export const done: Reply = { status: 204 };

export interface Fixture {
  discord: ScriptedHttp;
  outbox: Outbox;
  log: Log;
  logged(): string;
}

/** The outbox and its real REST clients, whose requests a scripted Discord answers. */
export function createFixture(): Fixture {
  const discord = new ScriptedHttp('https://discord.test/api');
  const clients = createDiscordClients(discord.url);
  for (const rest of [clients.rest, clients.tokenRest, clients.callbackRest]) rest.setAgent(discord);
  clients.rest.setToken('the-token-of-the-bot');
  addCleanup(() => clients.close());
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', secrets: [], isPretty: false, write: (line) => lines.push(line) });
  return { discord, outbox: new Outbox(clients, log), log, logged: () => lines.join('') };
}
