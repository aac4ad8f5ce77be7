import type { Say } from '../locales/index.ts';
import type { ModelSize } from '../services/models/sizes.ts';
import { type ActionFamily, meaningOfAction } from '../services/tasks/actions.ts';
import { hasOwnWords, isGrid, type ShortChange, shortChanges } from '../services/tasks/follow-ups.ts';
import { hasEnded, isPart, type Task } from '../services/tasks/task.ts';
import { kindViews } from './kinds/index.ts';
import type { ButtonPlan } from './plan.ts';
import { fitRows } from './rows.ts';

/** Custom ids are made by those who understand them. */
export interface TaskControls {
  tryAgainId(taskId: string): string;
  dismissId(taskId: string): string;
  deleteId(taskId: string): string;
  continueId(taskId: string): string;
  cancelId(taskId: string): string;
  retryId(taskId: string): string;
  editId(taskId: string): string;
  upscaleAllId(taskId: string): string;
  sameId(taskId: string): string;
  filmId(taskId: string): string;
  referenceId(taskId: string): string;
  /** Which larger variants there are of a model, as far as is known. */
  largerThan(model: string): readonly ModelSize[];
  largerId(taskId: string, size: ModelSize): string;
  /** To make pictures of one line of a result in words, counted from 1; or of all of them. */
  lineId(taskId: string, number: number): string;
  allLinesId(taskId: string): string;
  animateId(taskId: string): string;
  changeId(taskId: string, short: ShortChange): string;
  /** Whether the gateway takes this button, as far as is known. */
  isOffered(customId: string): boolean;
  /** Of the gateway's own button at this place. */
  actionId(taskId: string, place: number, customId: string): string;
}

export function taskButtons(task: Task, controls: TaskControls, say: Say): ButtonPlan[] {
  const { id, state, failure } = task;
  const button = (name: Name, customId: string, more: Partial<ButtonPlan> = {}): ButtonPlan => {
    return { type: 'button', id: customId, label: say(`task.buttons.${name}`), ...more };
  };
  const remove = button('delete', controls.deleteId(id), { emoji: '🗑️' });
  switch (state) {
    case 'ready':
    case 'delivered': {
      const view = kindViews[task.kind];
      const buttons = [
        ...(view?.buttons?.(task, controls, say) ?? followUps(task, controls, say)),
        ...(view?.more?.(task, controls, say) ?? []),
      ];
      const reference = button('reference', controls.referenceId(id), { emoji: '🖼️' });
      const withReference = [...buttons, reference, remove];
      // Kinds with buttons of their own decide about this one too.
      const isMissing = !view?.buttons && task.media.some(({ kind }) => kind === 'image');
      return isMissing && fitRows(withReference) ? withReference : [...buttons, remove];
    }
    case 'unconfirmed':
      return [
        button('tryAgain', controls.tryAgainId(id), { look: 'danger' }),
        button('dismiss', controls.dismissId(id)),
      ];
    case 'needs-input':
      if (task.times.wordsSent !== undefined) return [];
      return [
        button('continue', controls.continueId(id), { look: 'primary' }),
        button('cancel', controls.cancelId(id)),
      ];
    case 'submitting':
      return [];
  }
  // What was not ordered here is not taken back or ordered again here.
  if (isPart(task)) return hasEnded(task) ? [remove] : [];
  if (!hasEnded(task)) return [button('cancel', controls.cancelId(id))];
  if (failure?.cause === 'dismissed') return [remove];
  const edit = hasOwnWords(task) ? [button('edit', controls.editId(id), { emoji: '✏️' })] : [];
  return [button('retry', controls.retryId(id), { emoji: '🔁' }), ...edit, remove];
}

type Name = 'tryAgain' | 'dismiss' | 'delete' | 'continue' | 'cancel' | 'retry' | 'edit' | 'upscaleAll' | 'reference';

/** Rows as members know them from Midjourney: what belongs together stands together. */
const ROWS: Readonly<Partial<Record<ActionFamily, number>>> = {
  upscale: 1,
  reroll: 1,
  variation: 2,
  'upscale-more': 3,
  vary: 4,
  region: 4,
  zoom: 5,
  'custom-zoom': 5,
  pan: 6,
  animate: 7,
  extend: 7,
  film: 7,
};

function followUps(task: Task, controls: TaskControls, say: Say): ButtonPlan[] {
  const offered = task.actions.length > 0 ? offeredBy(task, controls, say) : changes(task, controls);
  const upscales = offered.filter(({ family }) => family === 'upscale').length;
  const rows = offered.map(({ button, family }, index): ButtonPlan => {
    const before = offered[index - 1];
    return before && ROWS[before.family] !== ROWS[family] ? { ...button, startsRow: true } : button;
  });
  if (upscales < 2) return rows;
  const all = controls.upscaleAllId(task.id);
  return [...rows, { type: 'button', id: all, label: say('task.buttons.upscaleAll'), emoji: '⏫', startsRow: true }];
}

interface Offered {
  button: ButtonPlan;
  family: ActionFamily;
}

const LOOKS: Readonly<Record<number, ButtonPlan['look']>> = { 1: 'primary', 3: 'good', 4: 'danger' };

function offeredBy({ id, actions }: Task, controls: TaskControls, say: Say): Offered[] {
  return actions.flatMap(({ customId, label, emoji, style }, place): Offered[] => {
    if (!controls.isOffered(customId)) return [];
    const { family, index } = meaningOfAction(customId);
    const picture = emojiOf(emoji);
    const name =
      label.trim() === '' && picture === undefined ? say(`task.what.${family}`, { index: index ?? '' }) : label.trim();
    const look = LOOKS[style ?? 2];
    const button: ButtonPlan = {
      type: 'button',
      id: controls.actionId(id, place, customId),
      label: name,
      ...(picture !== undefined && { emoji: picture }),
      ...(look && { look }),
    };
    return [{ button, family }];
  });
}

/** Upscale, variation and reroll of a grid that came without buttons. */
function changes(task: Task, controls: TaskControls): Offered[] {
  if (!isGrid(task) || task.media.length === 0) return [];
  return shortChanges.map((short) => ({
    family: short === 'R' ? 'reroll' : short.startsWith('U') ? 'upscale' : 'variation',
    button: {
      type: 'button',
      id: controls.changeId(task.id, short),
      label: short === 'R' ? '' : short,
      ...(short === 'R' && { emoji: '🔄' }),
    },
  }));
}

/** Names of pictures that only the engine's own server has. */
const NAMED: Readonly<Record<string, string>> = { upscale_1: '⏫', upscale_2: '⏫', zoom_out: '🔍' };

/** Discord refuses a whole message for one emoji that it does not know. */
function emojiOf(text: string): string | undefined {
  const named = NAMED[text.trim()];
  if (named !== undefined) return named;
  return /^\p{RGI_Emoji}$/v.test(text.trim()) ? text.trim() : undefined;
}
