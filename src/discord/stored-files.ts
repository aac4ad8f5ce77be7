import { type REST, Routes } from 'discord.js';
import type { Task } from '../services/tasks/task.ts';
import { factsOf, troubleOf } from './delivery/errors.ts';

interface StoredFilesLog {
  info(facts: object, sentence: string): void;
}

/**
 * The files of a task's message as Discord keeps them: their names, and fresh addresses that are good for a day. undefined: Discord does not
 * answer just now.
 */
export function storedFiles(botRest: REST, log: StoredFilesLog) {
  return async (task: Task): Promise<ReadonlyMap<string, string> | undefined> => {
    const { message } = task;
    if (!message || isShownToOneAlone(task)) return new Map();
    try {
      const stored = await botRest.get(Routes.channelMessage(message.channelId, message.id));
      return filesOf(stored);
    } catch (error) {
      log.info({ task: task.id, ...factsOf(error) }, 'The message of a task could not be read again.');
      return troubleOf(error, 'edit') === 'later' ? undefined : new Map();
    }
  };
}

/** Nobody but the member can read it, the bot included. As a direct message it lies in a channel of its own. */
function isShownToOneAlone({ route, guildId, channelId, message }: Task): boolean {
  return route.isPrivate && guildId !== undefined && message?.channelId === channelId;
}

function filesOf(stored: unknown): Map<string, string> {
  const { attachments } = (stored ?? {}) as { attachments?: unknown };
  if (!Array.isArray(attachments)) return new Map();
  const files: { filename?: unknown; url?: unknown }[] = attachments.filter(
    (one) => typeof one === 'object' && one !== null,
  );
  return new Map(
    files.flatMap(({ filename, url }): [string, string][] =>
      typeof filename === 'string' && typeof url === 'string' ? [[filename, url]] : [],
    ),
  );
}
