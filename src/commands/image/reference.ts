import { customIds } from '../../discord/custom-ids.ts';
import type { Filled } from '../../discord/form.ts';
import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, form, type Menu, opener } from '../../discord/handlers.ts';
import type { FieldPlan, FormPlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import { pressedTask, soon } from '../../messages/buttons/pressed-task.ts';
import { isSpoiler, needsResult } from '../../services/tasks/follow-ups.ts';
import { chosenModel } from '../model-option.ts';
import { fitting, linksIn, picturesOf, picturesOn } from '../reference-options.ts';
import type { Services } from '../services.ts';
import { imageRequest, objectionTo } from './request.ts';

type Picture = Parameters<typeof referenceForm>[0]['pictures'][number];

/** A picture to be made of a result. What was pressed tells its files with addresses that are good for a day. */
export const referenceOpener = opener(customIds.reference, async (taskId, ask: Ask<Services>, pressed) => {
  const task = await soon(pressedTask(taskId, ask), ask);
  needsResult(task);
  const id = customIds.referenceFilled.id({ from: 'task', taskId });
  return formFor(picturesOf(task, pressed), { id, model: task.kind === 'image' ? task.model : undefined }, ask);
});

/** The same from the menu on any message. */
export const referenceMenu: Menu<Services> = {
  name: 'reference',
  guards: [(place) => mayPostFiles(place, {})],
  async open(target, ask) {
    return formFor(
      picturesOn(target),
      { id: customIds.referenceFilled.id({ from: 'menu', isPrivate: target.isPrivate }), model: undefined },
      ask,
    );
  },
};

export const referredForm = form(customIds.referenceFilled, {
  answers: 'beside',
  isPrivate: (origin) => origin.from === 'menu' && origin.isPrivate,
  async run(from, { fields }, ask: Ask<Services>) {
    const parent = from.from === 'menu' ? undefined : await pressedTask(from.taskId, ask);
    const { words, pictures, which, model } = referencesIn({ fields });
    const values = { prompt: words, links: chosen(pictures, which) };
    const objection = objectionTo(values);
    if (objection) throw objection;
    const request = imageRequest(values, await chosenModel('image', model, ask.services));
    const covered = parent && isSpoiler(parent) ? { ...request, spoiler: true } : request;
    await ask.services.tasks.orders.submit({ ...ask.origin, kind: 'image', request: covered, parent });
    return 'shown as it goes';
  },
});

function formFor(pictures: readonly Picture[], form: { id: string; model: string | undefined }, ask: Ask<Services>) {
  if (pictures.length === 0) throw new Refusal('refusals.noPictureHere');
  const { id, model = ask.services.defaultModels.image } = form;
  return referenceForm({ id, model, pictures }, ask.say);
}

/** The field may say something else by now than when its pictures were numbered. */
function chosen(links: string, which: number | undefined): string {
  if (which === undefined) return links;
  const link = linksIn({ links })[which - 1];
  if (link === undefined) throw new Refusal('refusals.noSuchPicture', { number: String(which) });
  return link;
}

interface ReferenceForm {
  id: string;
  /** As they are known when the form opens; a member may change them. */
  pictures: readonly { address: string; name: string }[];
  model: string | undefined;
}

/** As much of a name as a choice has room for, its number besides. */
const LONGEST_NAME = 80;

/** Words, the pictures they are about, and the model: the pictures stand in a field, so nothing has to be kept meanwhile. */
export function referenceForm({ id, pictures, model = '' }: ReferenceForm, say: Say): FormPlan {
  const known = fitting(pictures);
  const which: FieldPlan = {
    type: 'choice',
    name: 'which',
    label: say('reference.which'),
    hint: say('reference.whichHint'),
    options: known.map(({ name }, index) => ({
      value: String(index + 1),
      label: say('reference.one', { number: String(index + 1), name: name.slice(0, LONGEST_NAME) }),
    })),
  };
  return {
    id,
    title: say('reference.title'),
    fields: [
      { type: 'text', name: 'words', label: say('reference.words'), long: true, required: true },
      {
        type: 'text',
        name: 'pictures',
        label: say('reference.pictures'),
        hint: say('reference.picturesHint'),
        value: known.map(({ address }) => address).join('\n'),
        long: true,
        required: true,
      },
      ...(known.length > 1 ? [which] : []),
      { type: 'text', name: 'model', label: say('reference.model'), hint: say('reference.modelHint'), value: model },
    ],
  };
}

/** What came back of such a form. */
export function referencesIn({ fields }: Pick<Filled, 'fields'>) {
  const { words = '', pictures = '', which = '', model = '' } = fields;
  return {
    words: words.trim(),
    pictures,
    which: which === '' ? undefined : Number(which),
    model: model.trim() === '' ? undefined : model.trim(),
  };
}
