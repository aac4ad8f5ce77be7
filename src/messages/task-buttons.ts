import { customIds } from '../discord/custom-ids.ts';
import { fitInRows } from '../discord/message-body.ts';
import { type ButtonPlan, buttonPlan } from '../discord/plan.ts';
import { withoutUndefined } from '../lib/entries.ts';
import type { Say } from '../locales/index.ts';
import {
  type ActionFamily,
  type ActionMeaning,
  customZoomIndex,
  isRemixable,
  meaningOfAction,
  needsForm,
  zoomOf,
} from '../services/tasks/actions.ts';
import { hasEnded, isHeld, type Task } from '../services/tasks/task.ts';
import { hasOwnPrompt, isGrid, isSendingWords, shortFollowUps } from '../services/tasks/task-facts.ts';
import type { MessageContext } from './kind-view.ts';
import { actionName } from './task-name.ts';

export function taskButtons(task: Task, context: MessageContext, say: Say): ButtonPlan[] {
  const { id, state, failure, review } = task;
  const taskButton = (name: ButtonName, customId: string, options?: Partial<ButtonPlan>): ButtonPlan =>
    buttonPlan(say(`task.buttons.${name}`), customId, options);
  const remove = taskButton('delete', customIds.delete.id(id), { emoji: '🗑️' });
  if (isHeld(task)) return [];
  switch (state) {
    case 'ready':
    case 'delivered': {
      const view = context.views[task.kind];
      const buttons = [
        ...(view?.buttons?.(task, context, say) ?? followUps(task, context, say)),
        ...(view?.moreButtons?.(task, context, say) ?? []),
      ];
      const reference = taskButton('reference', customIds.reference.id(id), { emoji: '🖼️' });
      const withReference = [...buttons, reference, remove];
      // A view that replaces the buttons also decides whether this one is shown.
      const canOfferReference = !view?.buttons && task.media.some(({ kind }) => kind === 'image');
      return canOfferReference && fitInRows(withReference) ? withReference : [...buttons, remove];
    }
    case 'unconfirmed':
      return unconfirmedButtons(task, say);
    case 'needs-input':
      return isSendingWords(task) ? [] : [taskButton('continue', customIds.continue.id(id), { style: 'primary' })];
    case 'waiting':
      return [taskButton('cancel', customIds.cancel.id(id))];
  }
  // A job at the gateway cannot be cancelled.
  if (!hasEnded(task)) return [];
  // A task that is only followed cannot be repeated.
  if (task.traits.isPart) return [remove];
  if (failure?.cause === 'dismissed') return [remove];
  // In a direct message, a new attempt would not be subject to the rules of the server that withheld the result.
  if (review?.outcome === 'deleted') return [remove];
  const edit = hasOwnPrompt(task) ? [taskButton('edit', customIds.edit.id(id), { emoji: '✏️' })] : [];
  return [taskButton('retry', customIds.retry.id(id), { emoji: '🔁' }), ...edit, remove];
}

/** Buttons that repeat the request, unchanged or with a changed prompt. */
export const againButtons = (id: string, say: Say, options: Partial<ButtonPlan> = {}): ButtonPlan[] => [
  buttonPlan(say('task.buttons.same'), customIds.repeat.id(id), { emoji: '🔁', ...options }),
  buttonPlan(say('task.buttons.editPrompt'), customIds.edit.id(id), { emoji: '✏️' }),
];

/** The buttons of a request with an unknown outcome, which its owner can send again once, or dismiss. */
export const unconfirmedButtons = ({ id, successorId }: Task, say: Say): ButtonPlan[] => [
  ...(successorId === undefined
    ? [buttonPlan(say('task.buttons.tryAgain'), customIds.tryAgain.id(id), { style: 'danger' })]
    : []),
  buttonPlan(say('task.buttons.dismiss'), customIds.dismiss.id(id)),
];

type ButtonName = 'delete' | 'continue' | 'cancel' | 'retry' | 'edit' | 'reference';

/** Buttons for the previous and next pages. A disabled button needs an id too, and no two buttons can share one. */
export const pageButtons = (
  idOf: (page: number) => string,
  { page, last }: { page: number; last: number },
  say: Say,
) => [
  buttonPlan(say('models.previous'), idOf(page - 1), { emoji: '◀️', disabled: page === 0 }),
  buttonPlan(say('models.next'), idOf(page + 1), { emoji: '▶️', disabled: page === last }),
];

/** The row of each button family, in the layout that members know from Midjourney. */
const ROW_BY_FAMILY: Readonly<Partial<Record<ActionFamily, number>>> = {
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
  'single-video': 7,
};

function followUps(task: Task, context: MessageContext, say: Say): ButtonPlan[] {
  const offered = task.actions.length > 0 ? gatewayButtons(task, context, say) : gridButtons(task);
  const upscales = offered.filter(({ family }) => family === 'upscale').length;
  const rows = offered.map(({ button, family }, index): ButtonPlan => {
    const previous = offered[index - 1];
    return previous && ROW_BY_FAMILY[previous.family] !== ROW_BY_FAMILY[family]
      ? { ...button, startsRow: true }
      : button;
  });
  if (upscales < 2) return rows;
  const upscaleAllOptions = { emoji: '⏫', startsRow: true };
  return [...rows, buttonPlan(say('task.buttons.upscaleAll'), customIds.upscaleAll.id(task.id), upscaleAllOptions)];
}

type OfferedButton = { button: ButtonPlan; family: ActionFamily };

const LOOK_BY_STYLE: Readonly<Record<number, ButtonPlan['style']>> = { 1: 'primary', 3: 'good', 4: 'danger' };

function gatewayButtons(task: Task, context: MessageContext, say: Say): OfferedButton[] {
  return task.actions.flatMap(({ customId, label, emoji, style }, position): OfferedButton[] => {
    if (!context.isOffered(customId)) return [];
    const meaning = meaningOfAction(customId);
    const { family } = meaning;
    const icon = emojiOf(emoji);
    const name = label.trim() === '' && icon === undefined ? actionName(meaning, say) : label.trim();
    const options = withoutUndefined({ emoji: icon, style: LOOK_BY_STYLE[style ?? 2] });
    return [{ button: buttonPlan(name, actionId(task, position, meaning, context), options), family }];
  });
}

/** The id must say whether the button opens a form, or lets the member's settings decide, because there is no time to look that up. */
function actionId(task: Task, index: number, meaning: ActionMeaning, { isRemix, isOffered }: MessageContext): string {
  const pointer = { taskId: task.id, index };
  if (isRemix && isRemixable(meaning)) return customIds.remix.id(pointer);
  if (needsForm(meaning, isRemix)) return customIds.actionText.id(pointer);
  if (meaning.family === 'reroll' && hasOwnPrompt(task)) return customIds.reroll.id(task.id);
  const customZoom = zoomOf(meaning) === undefined ? undefined : task.actions[customZoomIndex(task)];
  return (customZoom && isOffered(customZoom.customId) ? customIds.zoom : customIds.action).id(pointer);
}

/** Buttons to upscale, vary and reroll a grid for which the gateway returned no buttons. */
function gridButtons(task: Task): OfferedButton[] {
  if (!isGrid(task) || task.media.length === 0) return [];
  return shortFollowUps.map((code) => ({
    family: code === 'R' ? 'reroll' : code.startsWith('U') ? 'upscale' : 'variation',
    button: buttonPlan(
      code === 'R' ? '' : code,
      code === 'R' && hasOwnPrompt(task)
        ? customIds.reroll.id(task.id)
        : customIds.change.id({ taskId: task.id, which: code }),
      code === 'R' ? { emoji: '🔄' } : {},
    ),
  }));
}

/** Replacements for custom emoji that only exist on the engine's own server. */
const EMOJI_BY_NAME: Readonly<Record<string, string>> = { upscale_1: '⏫', upscale_2: '⏫', zoom_out: '🔍' };

/** Discord rejects the whole message if a single emoji is unknown. */
function emojiOf(text: string): string | undefined {
  const name = text.trim();
  // Most buttons have none, and the pattern is slow.
  if (name === '') return undefined;
  return EMOJI_BY_NAME[name] ?? (/^\p{RGI_Emoji}$/v.test(name) ? name : undefined);
}
