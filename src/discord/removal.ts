import { DiscordAPIError, type REST, RESTJSONErrorCodes, Routes } from 'discord.js';
import type { Clock } from '../lib/clock.ts';
import { addressOf, type Removal } from '../services/tasks/own-data/wish.ts';
import type { MessagePlace, Task } from '../services/tasks/task.ts';
import { findPart } from './delivery/adoption.ts';
import { Carrier } from './delivery/carrier.ts';
import { factsOf, troubleOf } from './delivery/errors.ts';

interface RemovalParts {
  botRest: REST;
  tokenRest: REST;
  clock: Clock;
  log: { info(facts: object, sentence: string): void };
}

type Fate = 'gone' | 'none' | 'stays' | 'later';

/** Takes a task's messages away: by the interaction's token while it lasts, for that reaches what one member alone sees; else as the bot. */
export function removal({ botRest, tokenRest, clock, log }: RemovalParts) {
  const carrier = new Carrier({ botRest, tokenRest });

  /** One of those that the task shows itself in; `name` is what the interaction's token knows it by. */
  async function own(task: Task, message: MessagePlace | undefined, name: string): Promise<Fate> {
    const { route, guildId, channelId } = task;
    const { applicationId, token, tokenExpiresAt } = route;
    if (token !== undefined && clock.now() < tokenExpiresAt) {
      const target = Routes.webhookMessage(applicationId, token, name);
      const fate = await tried('token', () => tokenRest.delete(target, { auth: false }));
      if (fate !== 'stays') return fate;
    }
    if (!message) return 'none';
    // Nobody but its member has ever seen it, and nobody else can take it away.
    if (route.isPrivate && guildId !== undefined && message.channelId === channelId) return 'stays';
    return asBot(message);
  }

  const asBot = ({ channelId, id }: MessagePlace): Promise<Fate> =>
    tried('edit', () => botRest.delete(Routes.channelMessage(channelId, id)));

  /** A part of an answer that may have been posted without anybody hearing of it. */
  async function unheardOf(task: Task): Promise<Fate> {
    const posting = task.answer?.posting;
    if (posting?.by !== 'bot') return 'none';
    let found: MessagePlace | undefined;
    const looked = await tried('edit', async () => {
      found = await findPart(task, posting, (channelId, id) => carrier.before(channelId, id));
    });
    if (looked === 'later') return 'later';
    return found ? asBot(found) : 'none';
  }

  async function tried(by: 'token' | 'edit', work: () => Promise<unknown>): Promise<Fate> {
    try {
      await work();
      return 'gone';
    } catch (error) {
      const trouble = troubleOf(error, by);
      if (trouble === 'deleted' || isWithoutChannel(error)) return 'none';
      log.info({ by, trouble, ...factsOf(error) }, 'A message could not be deleted this way.');
      return trouble === 'later' ? 'later' : 'stays';
    }
  }

  return async (task: Task): Promise<Removal> => {
    const name = task.route.followUpId ?? '@original';
    const fates = [{ address: addressOf(task), fate: await own(task, task.message, name) }];
    for (const part of task.answer?.parts ?? []) {
      const fate = part.by === 'bot' ? await asBot(part) : await own(task, part, part.id);
      fates.push({ address: addressOf({ ...task, message: part }), fate });
    }
    fates.push({ address: undefined, fate: await unheardOf(task) });
    for (const address of task.beside ?? []) fates.push({ address, fate: await asBot(address) });
    return {
      removed: fates.filter(({ fate }) => fate === 'gone').length,
      left: fates.flatMap(({ fate, address }) => (fate === 'stays' && address ? [address] : [])),
      isLater: fates.some(({ fate }) => fate === 'later'),
    };
  };
}

/** Its messages went with it. */
const isWithoutChannel = (error: unknown): boolean =>
  error instanceof DiscordAPIError && error.code === RESTJSONErrorCodes.UnknownChannel;
