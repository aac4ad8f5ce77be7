import { actionId, changeId } from './buttons/action.ts';
import { cancelId, editId, retryId } from './buttons/again.ts';
import { deleteId } from './buttons/delete.ts';
import { dismissId, tryAgainId } from './buttons/unconfirmed.ts';
import { upscaleAllId } from './buttons/upscale-all.ts';
import { continueId, wordsId } from './buttons/words.ts';
import type { Prepared } from './discord/delivery/delivery.ts';
import type { Say } from './locales/index.ts';
import { type Results, resultsOf } from './results.ts';
import { asksForWords } from './services/tasks/actions.ts';
import { typedIn } from './services/tasks/follow-ups.ts';
import type { Offers } from './services/tasks/offers.ts';
import type { Task } from './services/tasks/task.ts';
import type { Tasks } from './services/tasks/tasks.ts';
import type { FilePlan, MessagePlan } from './views/plan.ts';
import { taskMessage } from './views/task.ts';
import type { TaskControls } from './views/task-buttons.ts';

interface PresenterParts extends Results {
  say: Say;
  tasks: Pick<Tasks, 'look' | 'get'>;
  /** The gateway's account works in remix mode: variations ask for words. */
  isRemix: boolean;
  offers: Pick<Offers, 'isOffered'>;
}

/** Joins a task, the files of its results, and its view. */
export function presenter(parts: PresenterParts) {
  const { say, isRemix, offers } = parts;
  const controls: TaskControls = {
    ...{ tryAgainId, dismissId, deleteId, continueId, cancelId, retryId, editId, upscaleAllId, changeId },
    isOffered: (customId) => offers.isOffered(customId),
    // Whether a form is the first answer must show in the id: there is no time to look it up.
    actionId: (taskId, place, customId) => (asksForWords(customId, isRemix) ? wordsId : actionId)(taskId, place),
  };
  return {
    messageOf: (task: Task): MessagePlan => taskMessage(task, controls, say),

    async prepare(task: Task): Promise<Prepared> {
      const parentLink = await linkToParent(task, parts);
      const nothing = { files: [], links: [], wholes: [], gone: 0, odd: 0, parentLink };
      if (task.state !== 'ready') return { plan: taskMessage(task, controls, say, nothing), release: () => undefined };
      const results = await resultsOf(task, parts);
      const prompt = typedIn(task);
      const files = results.flatMap((result, index): FilePlan[] => {
        if (result.as !== 'file') return [];
        const name = `${task.kind}-${task.id}-${index + 1}.${result.type.extension}`;
        return [{ name, bytes: result.bytes, alt: say('task.alt', { prompt }) }];
      });
      const shown = {
        parentLink,
        files,
        links: results.filter((result) => result.as === 'link'),
        wholes: results.flatMap((result) => (result.as === 'file' ? (result.smallerThan?.address ?? []) : [])),
        gone: results.filter(({ as }) => as === 'gone').length,
        odd: results.filter(({ as }) => as === 'odd').length,
      };
      return {
        plan: taskMessage(task, controls, say, shown),
        release: () => {
          for (const result of results) if (result.as === 'file') result.release();
        },
      };
    },
  };
}

async function linkToParent({ parentId, guildId }: Task, { tasks }: PresenterParts): Promise<string | undefined> {
  const parent = parentId === undefined ? undefined : await tasks.get(parentId);
  if (!parent?.message) return undefined;
  const { channelId, id } = parent.message;
  return `https://discord.com/channels/${guildId ?? '@me'}/${channelId}/${id}`;
}
