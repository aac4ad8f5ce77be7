import { type REST, Routes } from 'discord.js';
import type { Clock } from '../lib/clock.ts';
import type { Removal } from '../services/tasks/own-data/forgetting.ts';
import type { Task } from '../services/tasks/task.ts';
import { factsOf, troubleOf } from './delivery/errors.ts';

interface RemovalParts {
  botRest: REST;
  tokenRest: REST;
  clock: Clock;
  log: { info(facts: object, sentence: string): void };
}

/** Takes a task's message away: by the interaction's token while it lasts, for that reaches what one member alone sees; else as the bot. */
export function removal({ botRest, tokenRest, clock, log }: RemovalParts) {
  async function byToken({ route }: Task): Promise<Removal | undefined> {
    const { applicationId, token, tokenExpiresAt, followUpId } = route;
    if (token === undefined || clock.now() >= tokenExpiresAt) return undefined;
    return tried('token', () =>
      tokenRest.delete(Routes.webhookMessage(applicationId, token, followUpId ?? '@original'), { auth: false }),
    );
  }

  async function asBot({ message, route, guildId, channelId }: Task): Promise<Removal> {
    if (!message) return 'none';
    // Nobody but its member has ever seen it, and nobody else can take it away.
    if (route.isPrivate && guildId !== undefined && message.channelId === channelId) return 'stays';
    const gone = await tried('edit', () => botRest.delete(Routes.channelMessage(message.channelId, message.id)));
    return gone ?? 'stays';
  }

  async function tried(by: 'token' | 'edit', work: () => Promise<unknown>): Promise<Removal | undefined> {
    try {
      await work();
      return 'gone';
    } catch (error) {
      if (troubleOf(error, by) === 'deleted') return 'none';
      log.info({ by, ...factsOf(error) }, 'A message could not be deleted this way.');
      return undefined;
    }
  }

  return async (task: Task): Promise<Removal> => (await byToken(task)) ?? asBot(task);
}
