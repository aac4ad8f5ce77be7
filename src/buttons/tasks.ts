import type { Services } from '../commands/services.ts';
import { taskAnswer } from '../commands/tasks/answer.ts';
import { type Filter, filterFrom, filterId } from '../commands/tasks/filter.ts';
import { type ListIds, taskList } from '../commands/tasks/list.ts';
import type { Button } from '../discord/handlers.ts';
import { Refusal } from '../lib/refusal.ts';
import { isTaskId } from '../services/tasks/task-id.ts';
import { exportId, forgetId } from './own-data.ts';

const PAGE = { verb: 'tasks', version: 1 } as const;
const CHOOSE = { verb: 'task', version: 1 } as const;

const tasksPageId = (filter: Filter): string => filterId(PAGE.verb, PAGE.version, filter);
export const listIds: ListIds = {
  page: (filter) => tasksPageId(filter),
  choose: (filter) => filterId(CHOOSE.verb, CHOOSE.version, filter),
  exportId: exportId(),
  forgetId: forgetId(),
};

/** Turns the pages of `/tasks`, and leads back from a task to its list. */
export const tasksPageButton: Button<Services> = {
  ...PAGE,
  answers: 'here',
  async run({ args }, ask) {
    return taskList(known(args), listIds, ask);
  },
};

/** Opens the task that was chosen from a list. */
export const chooseTask: Button<Services> = {
  ...CHOOSE,
  answers: 'here',
  async run({ args, chosen: [id = ''] }, ask) {
    const filter = known(args);
    if (!isTaskId(id)) throw new Refusal('refusals.unknownButton');
    return taskAnswer(id, tasksPageId(filter), ask);
  },
};

function known(args: readonly string[]): Filter {
  const filter = filterFrom(args);
  if (!filter) throw new Refusal('refusals.unknownButton');
  return filter;
}
