import { customIds } from '../../discord/custom-ids.ts';
import { asText, inCode } from '../../discord/markdown.ts';
import type { ButtonPlan } from '../../discord/plan.ts';
import type { KindView } from '../../messages/kind-view.ts';
import type { FilmOrder } from './request.ts';
import { unmetIn, unmetNotes, wishesOf } from './unmet.ts';

const LONGEST_MODEL = 200;
const LONGEST_FACT = 60;

/** Films of the three video endpoints. */
export const videoView: KindView<FilmOrder['kind']> = {
  facts({ model = '', request }, say) {
    const { size = request.aspectRatio ?? request.resolution, duration, mode, notSent } = request;
    const shown = (value: string | number = '', most = LONGEST_FACT): string => asText(String(value), most);
    const [sized, seconds, moded] = [shown(size), shown(duration), shown(mode)];
    const facts = [
      ...(model === '' ? [] : [say('task.facts.model', { model: shown(model, LONGEST_MODEL) })]),
      ...(sized === '' ? [] : [say('film.facts.size', { size: sized })]),
      ...(seconds === '' ? [] : [say('film.facts.seconds', { seconds })]),
      ...(moded === '' ? [] : [say('film.facts.mode', { mode: moded })]),
    ];
    const options = (notSent ?? []).map((option) => inCode(option)).join(', ');
    return [
      ...(facts.length === 0 ? [] : [`-# ${facts.join(' · ')}`]),
      ...(options === '' ? [] : [`-# ${say('film.facts.notSent', { options })}`]),
    ];
  },

  notes({ kind, request }, seen, say) {
    const wishes = wishesOf(request);
    const all = seen.flatMap((film) => unmetNotes(unmetIn(wishes, film), film, kind === 'image-to-video', say));
    // Several films of one order were asked for alike: what holds for them is said once.
    return [...new Set(all)];
  },

  more({ id }, _offering, say): ButtonPlan[] {
    return [
      { type: 'button', id: customIds.same.id(id), label: say('task.buttons.same'), emoji: '🔁', startsRow: true },
      { type: 'button', id: customIds.edit.id(id), label: say('task.buttons.editPrompt'), emoji: '✏️' },
    ];
  },
};
