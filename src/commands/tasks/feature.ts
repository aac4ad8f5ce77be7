import { fitsPointer } from '../../discord/custom-ids.ts';
import { type Ask, command } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import { type TaskKind, taskKinds } from '../../services/tasks/task.ts';
import { type Standing, standings } from '../../services/tasks/task-line.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';
import {
  chooseTask,
  deletePostButton,
  showAllButton,
  showAskButton,
  showButton,
  showMeButton,
  tasksPageButton,
} from './buttons.ts';
import { taskList } from './list.ts';
import { exportButton, forgetButton, forgetReallyButton, forgetSureButton } from './own-data.ts';
import { text } from './text.ts';

const tasksCommand = command({
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

export const tasks: Feature<typeof text> = {
  command: tasksCommand,
  text,
  buttons: [
    tasksPageButton,
    chooseTask,
    showButton,
    showMeButton,
    showAskButton,
    showAllButton,
    deletePostButton,
    exportButton,
    forgetButton,
    forgetSureButton,
    forgetReallyButton,
  ],
};
