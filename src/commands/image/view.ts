import { customIds } from '../../discord/custom-ids.ts';
import { asText } from '../../discord/markdown.ts';
import type { ButtonPlan } from '../../discord/plan.ts';
import type { KindView } from '../../messages/kind-view.ts';

const LONGEST_MODEL = 200;

export const image: KindView<'image'> = {
  asksModels: true,
  facts: ({ model = '' }, say) =>
    model === '' ? [] : [`-# ${say('task.facts.model', { model: asText(model, LONGEST_MODEL) })}`],

  buttons({ id, model = '', media }, offering, say) {
    const again: ButtonPlan[] = [
      { type: 'button', id: customIds.same.id(id), label: say('task.buttons.same'), emoji: '🔁' },
      { type: 'button', id: customIds.edit.id(id), label: say('task.buttons.editPrompt'), emoji: '✏️' },
    ];
    if (media.length === 0) return again;
    const larger = offering.largerThan(model).map(
      (size, index): ButtonPlan => ({
        type: 'button',
        id: customIds.larger.id({ taskId: id, which: size }),
        label: say('task.buttons.larger', { size }),
        emoji: '⏫',
        startsRow: index === 0,
      }),
    );
    return [
      ...again,
      { type: 'button', id: customIds.reference.id(id), label: say('task.buttons.reference'), emoji: '🖼️' },
      ...larger,
    ];
  },

  /** A video can be made of them. */
  more: ({ id, media }, _context, say) =>
    media.some(({ kind }) => kind === 'image')
      ? [{ type: 'button', id: customIds.film.id(id), label: say('film.button'), emoji: '🎬' }]
      : [],
};
