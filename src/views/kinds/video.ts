import { customIds } from '../../discord/custom-ids.ts';
import type { Say } from '../../locales/index.ts';
import type { Task } from '../../services/tasks/task.ts';
import { asText, inCode } from '../markdown.ts';
import type { ButtonPlan } from '../plan.ts';
import type { Offering } from '../task-buttons.ts';
import type { KindView } from './kind-view.ts';

const LONGEST_MODEL = 200;
const LONGEST_FACT = 60;

/** Under pictures, of which a film can be made. */
export const makeVideo = ({ id, media }: Task, _offering: Offering, say: Say): ButtonPlan[] =>
  media.some(({ kind }) => kind === 'image')
    ? [{ type: 'button', id: customIds.film.id(id), label: say('film.button'), emoji: '🎬' }]
    : [];

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
