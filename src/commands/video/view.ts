import { customIds } from '../../discord/custom-ids.ts';
import { asText, inCode } from '../../discord/markdown.ts';
import type { ButtonPlan } from '../../discord/plan.ts';
import type { KindView } from '../../messages/kind-view.ts';

const LONGEST_MODEL = 200;
const LONGEST_FACT = 60;

/** Films of the three video endpoints. */
export const video: KindView = {
  facts({ model = '', request }, say) {
    const { size = request.aspectRatio ?? request.resolution, duration, mode, notSent } = request;
    const shown = (value: unknown, most = LONGEST_FACT): string =>
      typeof value === 'string' || typeof value === 'number' ? asText(String(value), most) : '';
    const [sized, seconds, moded] = [shown(size), shown(duration), shown(mode)];
    const facts = [
      ...(model === '' ? [] : [say('task.facts.model', { model: shown(model, LONGEST_MODEL) })]),
      ...(sized === '' ? [] : [say('film.facts.size', { size: sized })]),
      ...(seconds === '' ? [] : [say('film.facts.seconds', { seconds })]),
      ...(moded === '' ? [] : [say('film.facts.mode', { mode: moded })]),
    ];
    const options = Array.isArray(notSent) ? notSent.map((option) => inCode(String(option))).join(', ') : '';
    return [
      ...(facts.length === 0 ? [] : [`-# ${facts.join(' · ')}`]),
      ...(options === '' ? [] : [`-# ${say('film.facts.notSent', { options })}`]),
    ];
  },

  more({ id }, _offering, say): ButtonPlan[] {
    return [
      { type: 'button', id: customIds.same.id(id), label: say('task.buttons.same'), emoji: '🔁', startsRow: true },
      { type: 'button', id: customIds.edit.id(id), label: say('task.buttons.editPrompt'), emoji: '✏️' },
    ];
  },
};
