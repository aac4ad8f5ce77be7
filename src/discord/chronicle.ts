import { Events } from 'discord.js';
import type { Log } from '../lib/log.ts';
import type { DiscordClients } from './clients.ts';

/** Writes down what an operator wants to know of the connection to Discord. */
export function chronicle({ client, tokenRest, callbackRest }: DiscordClients, log: Log): void {
  client.on(Events.Error, (error) => log.error({ err: error }, 'The Discord client failed.'));
  client.on(Events.ShardReconnecting, () => log.info('The connection to Discord is being renewed.'));
  client.on(Events.ShardResume, () => log.info('The connection to Discord is back.'));
  client.rest.on('rateLimited', ({ route, timeToReset, global }) =>
    log.warn({ route, timeToReset, global }, 'Discord asks to wait.'),
  );
  tokenRest.on('rateLimited', ({ route, timeToReset }) => log.warn({ route, timeToReset }, 'Discord asks to wait.'));
  for (const rest of [client.rest, tokenRest, callbackRest]) {
    rest.on('invalidRequestWarning', ({ count }) =>
      log.warn({ count }, 'Discord counts many invalid requests; at 10,000 it shuts the address out.'),
    );
  }
}
