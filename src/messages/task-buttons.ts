import { customIds } from '../discord/custom-ids.ts';
import type { ButtonPlan } from '../discord/plan.ts';
import type { Say } from '../locales/index.ts';
import { type ActionFamily, asksForWords, meaningOfAction } from '../services/tasks/actions.ts';
import { hasOwnWords, isGrid, shortChanges } from '../services/tasks/follow-ups.ts';
import { hasEnded, type Task } from '../services/tasks/task.ts';
import type { MessageContext } from './kind-view.ts';

export function taskButtons(task: Task, context: MessageContext, say: Say): ButtonPlan[] {
  const { id, state, failure } = task;
  const button = (name: Name, customId: string, more: Partial<ButtonPlan> = {}): ButtonPlan => {
    return { type: 'button', id: customId, label: say(`task.buttons.${name}`), ...more };
  };
  const remove = button('delete', customIds.delete.id(id), { emoji: '🗑️' });
  switch (state) {
    case 'ready':
    case 'delivered': {
      const view = context.views[task.kind];
      const buttons = [
        ...(view?.buttons?.(task, context, say) ?? followUps(task, context, say)),
        ...(view?.more?.(task, context, say) ?? []),
      ];
      const reference = button('reference', customIds.reference.id(id), { emoji: '🖼️' });
      const withReference = [...buttons, reference, remove];
      // Kinds with buttons of their own decide about this one too.
      const isMissing = !view?.buttons && task.media.some(({ kind }) => kind === 'image');
      return isMissing && fitRows(withReference) ? withReference : [...buttons, remove];
    }
    case 'unconfirmed':
      return [
        button('tryAgain', customIds.tryAgain.id(id), { look: 'danger' }),
        button('dismiss', customIds.dismiss.id(id)),
      ];
    case 'needs-input':
      if (task.times.wordsSent !== undefined) return [];
      return [
        button('continue', customIds.continue.id(id), { look: 'primary' }),
        button('cancel', customIds.cancel.id(id)),
      ];
    case 'submitting':
      return [];
  }
  // What was not ordered here is not taken back or ordered again here.
  if (task.traits.isPart) return hasEnded(task) ? [remove] : [];
  if (!hasEnded(task)) return [button('cancel', customIds.cancel.id(id))];
  if (failure?.cause === 'dismissed') return [remove];
  const edit = hasOwnWords(task) ? [button('edit', customIds.edit.id(id), { emoji: '✏️' })] : [];
  return [button('retry', customIds.retry.id(id), { emoji: '🔁' }), ...edit, remove];
}

/** Repeats the order as it was, or with a changed prompt. */
export const againButtons = (id: string, say: Say, more: Partial<ButtonPlan> = {}): ButtonPlan[] => [
  { type: 'button', id: customIds.same.id(id), label: say('task.buttons.same'), emoji: '🔁', ...more },
  { type: 'button', id: customIds.edit.id(id), label: say('task.buttons.editPrompt'), emoji: '✏️' },
];

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

function followUps(task: Task, context: MessageContext, say: Say): ButtonPlan[] {
  const offered = task.actions.length > 0 ? offeredBy(task, context, say) : changes(task);
  const upscales = offered.filter(({ family }) => family === 'upscale').length;
  const rows = offered.map(({ button, family }, index): ButtonPlan => {
    const before = offered[index - 1];
    return before && ROWS[before.family] !== ROWS[family] ? { ...button, startsRow: true } : button;
  });
  if (upscales < 2) return rows;
  const all = customIds.upscaleAll.id(task.id);
  return [...rows, { type: 'button', id: all, label: say('task.buttons.upscaleAll'), emoji: '⏫', startsRow: true }];
}

interface Offered {
  button: ButtonPlan;
  family: ActionFamily;
}

const LOOKS: Readonly<Record<number, ButtonPlan['look']>> = { 1: 'primary', 3: 'good', 4: 'danger' };

function offeredBy({ id, actions }: Task, context: MessageContext, say: Say): Offered[] {
  return actions.flatMap(({ customId, label, emoji, style }, place): Offered[] => {
    if (!context.isOffered(customId)) return [];
    const { family, index } = meaningOfAction(customId);
    const picture = emojiOf(emoji);
    const name =
      label.trim() === '' && picture === undefined ? say(`task.what.${family}`, { index: index ?? '' }) : label.trim();
    const look = LOOKS[style ?? 2];
    // Whether a form is the first answer must show in the id: there is no time to look it up.
    const button: ButtonPlan = {
      type: 'button',
      id: (asksForWords(customId, context.isRemix) ? customIds.actionWords : customIds.action).id({
        taskId: id,
        place,
      }),
      label: name,
      ...(picture !== undefined && { emoji: picture }),
      ...(look && { look }),
    };
    return [{ button, family }];
  });
}

/** Upscale, variation and reroll of a grid that came without buttons. */
function changes(task: Task): Offered[] {
  if (!isGrid(task) || task.media.length === 0) return [];
  return shortChanges.map((short) => ({
    family: short === 'R' ? 'reroll' : short.startsWith('U') ? 'upscale' : 'variation',
    button: {
      type: 'button',
      id: customIds.change.id({ taskId: task.id, which: short }),
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

/** https://discord.com/developers/docs/components/reference#action-row */
const MOST_ROWS = 5;
const MOST_IN_ROW = 5;

/** Whether buttons find room without any row being given up that was wished for. */
function fitRows(buttons: readonly Pick<ButtonPlan, 'startsRow'>[]): boolean {
  let rows = 0;
  let inRow = MOST_IN_ROW;
  for (const { startsRow } of buttons) {
    if (startsRow || inRow >= MOST_IN_ROW) {
      rows++;
      inRow = 0;
    }
    inRow++;
  }
  return rows <= MOST_ROWS;
}
