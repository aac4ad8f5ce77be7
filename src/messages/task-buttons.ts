import { customIds } from '../discord/custom-ids.ts';
import type { ButtonPlan } from '../discord/plan.ts';
import { withoutUndefined } from '../lib/entries.ts';
import type { Say } from '../locales/index.ts';
import { type ActionFamily, meaningOfAction, needsForm } from '../services/tasks/actions.ts';
import { hasEnded, isHeld, type Task } from '../services/tasks/task.ts';
import { hasOwnPrompt, isGrid, shortFollowUps } from '../services/tasks/task-facts.ts';
import type { MessageContext } from './kind-view.ts';

export const buttonPlan = (label: string, id: string, more: Partial<ButtonPlan> = {}): ButtonPlan => {
  return { type: 'button', id, label, ...more };
};

export function taskButtons(task: Task, context: MessageContext, say: Say): ButtonPlan[] {
  const { id, state, failure } = task;
  const named = (name: Name, customId: string, more?: Partial<ButtonPlan>): ButtonPlan =>
    buttonPlan(say(`task.buttons.${name}`), customId, more);
  const remove = named('delete', customIds.delete.id(id), { emoji: '🗑️' });
  if (isHeld(task)) return [];
  switch (state) {
    case 'ready':
    case 'delivered': {
      const view = context.views[task.kind];
      const buttons = [
        ...(view?.buttons?.(task, context, say) ?? followUps(task, context, say)),
        ...(view?.moreButtons?.(task, context, say) ?? []),
      ];
      const reference = named('reference', customIds.reference.id(id), { emoji: '🖼️' });
      const withReference = [...buttons, reference, remove];
      // A view that replaces the buttons also decides whether this one is shown.
      const isMissing = !view?.buttons && task.media.some(({ kind }) => kind === 'image');
      return isMissing && fitRows(withReference) ? withReference : [...buttons, remove];
    }
    case 'unconfirmed':
      return unconfirmedButtons(id, say);
    case 'needs-input':
      if (task.times.wordsSent !== undefined) return [];
      return [
        named('continue', customIds.continue.id(id), { look: 'primary' }),
        named('cancel', customIds.cancel.id(id)),
      ];
    case 'submitting':
      return [];
  }
  // A task that is only followed cannot be cancelled or repeated.
  if (task.traits.isPart) return hasEnded(task) ? [remove] : [];
  if (!hasEnded(task)) return [named('cancel', customIds.cancel.id(id))];
  if (failure?.cause === 'dismissed') return [remove];
  const edit = hasOwnPrompt(task) ? [named('edit', customIds.edit.id(id), { emoji: '✏️' })] : [];
  return [named('retry', customIds.retry.id(id), { emoji: '🔁' }), ...edit, remove];
}

/** Repeats the request unchanged, or with a changed prompt. */
export const againButtons = (id: string, say: Say, more: Partial<ButtonPlan> = {}): ButtonPlan[] => [
  buttonPlan(say('task.buttons.same'), customIds.repeat.id(id), { emoji: '🔁', ...more }),
  buttonPlan(say('task.buttons.editPrompt'), customIds.edit.id(id), { emoji: '✏️' }),
];

/** The buttons of a request with an unknown outcome, which its owner can send again or dismiss. */
export const unconfirmedButtons = (id: string, say: Say): ButtonPlan[] => [
  buttonPlan(say('task.buttons.tryAgain'), customIds.tryAgain.id(id), { look: 'danger' }),
  buttonPlan(say('task.buttons.dismiss'), customIds.dismiss.id(id)),
];

type Name = 'delete' | 'continue' | 'cancel' | 'retry' | 'edit' | 'reference';

/** Buttons for the previous and next pages. A disabled button needs an id too, and no two buttons can share one. */
export const turnButtons = (
  idOf: (page: number) => string,
  { page, last }: { page: number; last: number },
  say: Say,
) => [
  buttonPlan(say('models.previous'), idOf(page - 1), { emoji: '◀️', disabled: page === 0 }),
  buttonPlan(say('models.next'), idOf(page + 1), { emoji: '▶️', disabled: page === last }),
];

/** The row of each button family, in the layout that members know from Midjourney. */
const ROWS: Readonly<Partial<Record<ActionFamily, number>>> = {
  ...{ upscale: 1, reroll: 1, variation: 2, 'upscale-more': 3, vary: 4, region: 4 },
  ...{ zoom: 5, 'custom-zoom': 5, pan: 6, animate: 7, extend: 7, video: 7 },
};

function followUps(task: Task, context: MessageContext, say: Say): ButtonPlan[] {
  const offered = task.actions.length > 0 ? offeredBy(task, context, say) : changes(task);
  const upscales = offered.filter(({ family }) => family === 'upscale').length;
  const rows = offered.map(({ button, family }, index): ButtonPlan => {
    const before = offered[index - 1];
    return before && ROWS[before.family] !== ROWS[family] ? { ...button, startsRow: true } : button;
  });
  if (upscales < 2) return rows;
  const look = { emoji: '⏫', startsRow: true };
  return [...rows, buttonPlan(say('task.buttons.upscaleAll'), customIds.upscaleAll.id(task.id), look)];
}

type Offered = { button: ButtonPlan; family: ActionFamily };

const LOOKS: Readonly<Record<number, ButtonPlan['look']>> = { 1: 'primary', 3: 'good', 4: 'danger' };

function offeredBy({ id, actions }: Task, context: MessageContext, say: Say): Offered[] {
  return actions.flatMap(({ customId, label, emoji, style }, place): Offered[] => {
    if (!context.isOffered(customId)) return [];
    const { family, index } = meaningOfAction(customId);
    const icon = emojiOf(emoji);
    const name =
      label.trim() === '' && icon === undefined ? say(`task.what.${family}`, { index: index ?? '' }) : label.trim();
    // The id must tell whether the button opens a form, because there is no time to look that up.
    const verb = needsForm(customId, context.isRemix) ? customIds.actionText : customIds.action;
    const more = withoutUndefined({ emoji: icon, look: LOOKS[style ?? 2] });
    return [{ button: buttonPlan(name, verb.id({ taskId: id, index: place }), more), family }];
  });
}

/** Buttons to upscale, vary and reroll a grid that came without buttons. */
function changes(task: Task): Offered[] {
  if (!isGrid(task) || task.media.length === 0) return [];
  return shortFollowUps.map((short) => ({
    family: short === 'R' ? 'reroll' : short.startsWith('U') ? 'upscale' : 'variation',
    button: buttonPlan(
      short === 'R' ? '' : short,
      customIds.change.id({ taskId: task.id, which: short }),
      short === 'R' ? { emoji: '🔄' } : {},
    ),
  }));
}

/** Replacements for custom emoji that only exist on the engine's own server. */
const NAMED: Readonly<Record<string, string>> = { upscale_1: '⏫', upscale_2: '⏫', zoom_out: '🔍' };

/** Discord rejects the whole message if a single emoji is unknown. */
function emojiOf(text: string): string | undefined {
  const name = text.trim();
  return NAMED[name] ?? (/^\p{RGI_Emoji}$/v.test(name) ? name : undefined);
}

/** https://discord.com/developers/docs/components/reference#action-row */
const MAX_ROWS = 5;
const MAX_IN_ROW = 5;

/** Whether the buttons fit without merging rows. */
function fitRows(buttons: readonly Pick<ButtonPlan, 'startsRow'>[]): boolean {
  let rows = 0;
  let inRow = MAX_IN_ROW;
  for (const { startsRow } of buttons) {
    if (startsRow || inRow >= MAX_IN_ROW) {
      rows++;
      inRow = 0;
    }
    inRow++;
  }
  return rows <= MAX_ROWS;
}
