import { fitsPointer } from '../../discord/custom-ids.ts';
import { type Ask, command } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import { type Filter, standings } from '../../services/tasks/task-line.ts';
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

const tasksCommand = (kinds: readonly string[]) =>
  command({
    name: 'tasks',
    isPrivate: true,
    options: {
      text: { type: 'text' },
      kind: { type: 'text', choices: kinds },
      state: { type: 'text', choices: standings },
      whose: { type: 'text', choices: ['mine', 'server'] },
    },
    parse({ text, kind, state, whose = 'mine' }): Filter | Refusal {
      const words = text?.trim() || undefined;
      return fitsPointer(words) ? { whose, kind, standing: state, words } : new Refusal('refusals.tasksTextTooLong');
    },
    run: (filter, ask: Ask<Services>) => taskList(filter, ask),
  });

/** Its filter knows every kind of task. */
export const tasks = (kinds: readonly string[]): Feature<typeof text> => ({
  command: tasksCommand(kinds),
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
});
