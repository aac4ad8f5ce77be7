import { customIds } from '../../discord/custom-ids.ts';
import type { FormValues } from '../../discord/form.ts';
import { requirePostPermissions } from '../../discord/guards.ts';
import { form, type HandlerContext, type Menu, opener } from '../../discord/handlers.ts';
import type { FieldPlan, FormPlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import { loadForForm, pressedTask, submitOrder } from '../../messages/pressed-task.ts';
import type { ListedModel } from '../../services/models/catalogue.ts';
import type { MemberFile } from '../../services/tasks/materials.ts';
import { assertHasResult, isSpoiler } from '../../services/tasks/task-facts.ts';
import { chooseModel, fitIntoField, imagesOfResult, imagesOnMessage, linksIn, modelField } from '../options.ts';
import type { Services } from '../services.ts';
import { imageRequest } from './request.ts';

/** Opens the form for an image made from a result. The pressed message contains the URLs of its files, which are valid for a day. */
export const referenceOpener = opener(
  customIds.reference,
  async (taskId, context: HandlerContext<Services>, pressedMessage) => {
    const task = await loadForForm(pressedTask(taskId, context), context);
    assertHasResult(task);
    const id = customIds.referenceFilled.id({ from: 'task', taskId });
    const model = task.kind === 'image' ? task.model : undefined;
    return formFor({ id, images: imagesOfResult(task, pressedMessage), model }, context);
  },
);

/** Opens the form for the images of any message. */
export const referenceMenu: Menu<Services> = {
  name: 'reference',
  guards: [(place) => requirePostPermissions(place, {})],
  async open(target, context) {
    const id = customIds.referenceFilled.id({ from: 'menu', isPrivate: target.isPrivate });
    return formFor({ id, images: imagesOnMessage(target), model: undefined }, context);
  },
};

export const referenceSubmit = form(customIds.referenceFilled, {
  reply: 'new-message',
  onlyOrders: true,
  isPrivate: (origin) => origin.from === 'menu' && origin.isPrivate,
  parse(filled) {
    const { words, addresses, which, model: modelInput } = readReferenceForm(filled);
    const links = chooseLinks(addresses, which);
    if (links instanceof Refusal) return links;
    const request = imageRequest({ prompt: words, links });
    return request instanceof Refusal ? request : { request, typed: modelInput };
  },
  async run(formOrigin, { request, typed: modelInput }, context: HandlerContext<Services>) {
    const parent = formOrigin.from === 'menu' ? undefined : await pressedTask(formOrigin.taskId, context);
    const model = await chooseModel('image', modelInput, context.services);
    const spoilerField = parent && isSpoiler(parent) ? { spoiler: true } : {};
    return submitOrder({ kind: 'image', request: { ...request, model, ...spoilerField }, parent }, context);
  },
});

function formFor(form: Omit<ReferenceForm, 'models'>, { services, say }: HandlerContext<Services>): FormPlan {
  if (form.images.length === 0) throw new Refusal('refusals.noImageInMessage');
  const model = form.model ?? services.defaultModels.image;
  return referenceForm({ ...form, model, models: services.models.lastListed }, say);
}

/** The member may have edited the field after the images were numbered. */
function chooseLinks(links: string, which: number | undefined): string | Refusal {
  if (which === undefined) return links;
  const link = linksIn({ links })[which - 1];
  return link ?? new Refusal('refusals.noSuchImage', { number: String(which) });
}

interface ReferenceForm {
  id: string;
  /** The images when the form opens; the member can change them. */
  images: readonly MemberFile[];
  model: string | undefined;
  /** The known models; none if their list has not been read yet. */
  models: readonly ListedModel[];
}

/** The longest name that fits into a choice next to its number. */
const MAX_NAME_LENGTH = 80;

/** The images' URLs are in a field, so nothing has to be stored until the form is submitted. */
export function referenceForm({ id, images, model, models }: ReferenceForm, say: Say): FormPlan {
  const fittingImages = fitIntoField(images);
  const names = fittingImages.map(({ name }) => name).join(', ');
  const whichField: FieldPlan = {
    type: 'choice',
    name: 'which',
    label: say('reference.which'),
    hint: say('reference.whichHint'),
    options: fittingImages.map(({ name }, index) => ({
      value: String(index + 1),
      label: say('reference.one', { number: String(index + 1), name: name.slice(0, MAX_NAME_LENGTH) }),
    })),
  };
  return {
    id,
    title: say('reference.title'),
    fields: [
      { type: 'text', name: 'words', label: say('reference.prompt'), isLong: true, required: true },
      {
        ...{
          type: 'text',
          name: 'pictures',
          label: say('reference.images'),
          hint: say('reference.imagesHint', { names }),
        },
        ...{ value: fittingImages.map(({ address }) => address).join('\n'), isLong: true, required: true },
      },
      ...(fittingImages.length > 1 ? [whichField] : []),
      modelField('image', { value: model, label: say('reference.model'), hint: say('reference.modelHint') }, models),
    ],
  };
}

export function readReferenceForm({ fields }: Pick<FormValues, 'fields'>) {
  const { words = '', pictures: addresses = '', which = '', model = '' } = fields;
  return {
    words: words.trim(),
    addresses,
    which: which === '' ? undefined : Number(which),
    model: model.trim() === '' ? undefined : model.trim(),
  };
}
