import { deleteId } from './buttons/delete.ts';
import { dismissId, tryAgainId } from './buttons/unconfirmed.ts';
import type { Prepared } from './discord/delivery/delivery.ts';
import type { Say } from './locales/index.ts';
import { type Results, resultsOf } from './results.ts';
import type { Task } from './services/tasks/task.ts';
import type { FilePlan, MessagePlan } from './views/plan.ts';
import { taskMessage } from './views/task.ts';

const controls = { tryAgainId, dismissId, deleteId };

/** Joins a task, the files of its results, and its view. */
export function presenter(parts: Results & { say: Say }) {
  const { say } = parts;
  return {
    messageOf: (task: Task): MessagePlan => taskMessage(task, controls, say),

    async prepare(task: Task): Promise<Prepared> {
      if (task.state !== 'ready') return { plan: taskMessage(task, controls, say), release: () => undefined };
      const results = await resultsOf(task, parts);
      const prompt = typeof task.request.prompt === 'string' ? task.request.prompt : '';
      const files = results.flatMap((result, index): FilePlan[] => {
        if (result.as !== 'file') return [];
        const name = `${task.kind}-${task.id}-${index + 1}.${result.type.extension}`;
        return [{ name, bytes: result.bytes, alt: say('task.alt', { prompt }) }];
      });
      const shown = {
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
