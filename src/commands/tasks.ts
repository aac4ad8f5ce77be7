import { fitsPointer } from '../discord/custom-ids.ts';
import { type Ask, command } from '../discord/handlers.ts';
import { Refusal } from '../lib/refusal.ts';
import { type Standing, standings } from '../services/tasks/filter.ts';
import { type TaskKind, taskKinds } from '../services/tasks/task.ts';
import type { Services } from './services.ts';
import { taskList } from './tasks/list.ts';

export const tasks = command({
  name: 'tasks',
  isPrivate: true,
  options: {
    text: { type: 'text' },
    kind: { type: 'text', choices: taskKinds },
    state: { type: 'text', choices: standings },
    whose: { type: 'text', choices: ['mine', 'server'] },
  },
  guards: [(_place, { text }) => (fitsPointer(text?.trim()) ? undefined : new Refusal('refusals.tasksTextTooLong'))],
  async run({ text, kind, state, whose }, ask: Ask<Services>) {
    const filter = {
      whose: (whose ?? 'mine') as 'mine' | 'server',
      kind: kind as TaskKind | undefined,
      standing: state as Standing | undefined,
      words: text?.trim() || undefined,
    };
    return taskList(filter, ask);
  },
});
