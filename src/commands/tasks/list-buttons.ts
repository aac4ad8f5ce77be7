import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import { isTaskId } from '../../services/tasks/task-id.ts';
import type { Services } from '../services.ts';
import { taskAnswer } from './answer.ts';
import { taskList } from './list.ts';

/** Turns the pages of `/tasks`, and leads back from a task to its list. */
export const tasksPageButton = button(customIds.tasks, {
  answers: 'here',
  run: (filter, ask: Ask<Services>) => taskList(filter, ask),
});

/** Opens the task that was chosen from a list. */
export const chooseTask = button(customIds.task, {
  answers: 'here',
  async run(filter, ask: Ask<Services>, [id = '']) {
    if (!isTaskId(id)) throw new Refusal('refusals.unknownButton');
    return taskAnswer(id, filter, ask);
  },
});
