import type { Suggestion } from '../discord/handlers.ts';
import type { Origin } from '../discord/interaction-facts.ts';
import type { Attachment, TextOption, Values } from '../discord/options.ts';
import type { FieldPlan } from '../discord/plan.ts';
import { fileNameIn, type TargetMessage } from '../discord/target-message.ts';
import { keysOf } from '../lib/entries.ts';
import { expecting } from '../lib/expecting.ts';
import { Refusal } from '../lib/refusal.ts';
import { hasVisibleText } from '../lib/text.ts';
import { GatewayError } from '../services/gateway/errors.ts';
import { type ListedModel, ORDER_LIMIT_MS } from '../services/gateway/model-catalogue.ts';
import type { ModelKind } from '../services/gateway/model-families.ts';
import { isOfPromptFamily, takesReferenceImages } from '../services/gateway/reference-limits.ts';
import { webAddress } from '../services/gateway/schemas.ts';
import { slowSeconds } from '../services/orders/outlook.ts';
import type { CommonRequest, TaskKind } from '../services/tasks/kind-spec.ts';
import type { MemberFile } from '../services/tasks/materials.ts';
import type { Task } from '../services/tasks/task.ts';
import type { OrderedRequest } from '../services/tasks/transitions.ts';
import type { Choices } from './choices.ts';
import type { Context, Services } from './feature.ts';
import { splitFlags } from './imagine/flags.ts';

/** The longest text that Discord lets a member type into an option. */
export const MAX_OPTION_LENGTH = 6_000;

export const promptOption = { type: 'text', required: true, max: MAX_OPTION_LENGTH } as const satisfies TextOption;

export const emptyPromptRefusal = ({ prompt }: { prompt: string }): Refusal | undefined =>
  hasVisibleText(prompt) ? undefined : new Refusal('refusals.optionPromptEmpty');

type Purpose = 'image' | 'video' | 'music' | 'text' | 'voice';

export const modelOption = { type: 'text', hasSuggestions: true, max: 200 } as const satisfies TextOption;

/** A minimal order for each purpose, used to look up what is known about a model. */
const minimalOrders: Readonly<Partial<Record<Purpose, (model: string) => OrderedRequest<TaskKind>>>> = {
  image: (model) => ({ kind: 'image', request: { prompt: '', model } }),
  video: (model) => ({ kind: 'video', request: { prompt: '', model } }),
  music: (model) => ({ kind: 'song', request: { prompt: '', model } }),
  text: (model) => ({ kind: 'ask', request: { prompt: '', model } }),
};

const orderedKinds: Readonly<Partial<Record<ModelKind, TaskKind>>> = {
  image: 'image',
  video: 'video',
  music: 'song',
  text: 'ask',
  voice: 'talk',
};

/** Whether the rules here let the member use a model for anything that it can do. */
export function mayUseModel(
  { id, usableKinds }: Pick<ListedModel, 'id' | 'usableKinds'>,
  { services, facts }: Context,
): boolean {
  const kinds = usableKinds.flatMap((kind) => orderedKinds[kind] ?? []);
  // A model whose purpose is unknown may be used for any.
  return (kinds.length > 0 ? kinds : Object.values(orderedKinds)).some((kind) =>
    services.safety.rules.allowsKind({ ...facts, kind }, id),
  );
}

/** Suggests models that fit, or those that a search finds if none of these matches, each with what is currently known about it. Failing models come last. */
export async function suggestModels(purpose: Purpose, input: string, context: Context) {
  const { services, say } = context;
  const listedModels = await services.models.listFor(purpose);
  const allowedModels = listedModels.filter(({ id }) => mayUseModel({ id, usableKinds: [purpose] }, context));
  const fittingModels = allowedModels.filter((model) => fits(model, purpose));
  const idsOf = (models: readonly ListedModel[]) => models.map(({ id }) => id);
  // The kind of a model is only guessed, so a search that no fitting model matches finds the others.
  const found = suggestionsFrom(idsOf(fittingModels), input);
  const suggestions = (found.length > 0 ? found : suggestionsFrom(idsOf(allowedModels), input)).slice(
    0,
    MAX_CONSIDERED,
  );
  const rankedSuggestions = suggestions.map(({ value: model }) => {
    const order = minimalOrders[purpose]?.(model);
    const { typicalMs, failingModel } = order ? services.tasks.outlook.prospectOf(order) : {};
    const duration = slowSeconds(typicalMs);
    const slowName = duration === undefined ? model : say('outlook.suggestion.slow', { model, duration });
    const name = failingModel ? say('outlook.suggestion.failing', { model }) : slowName;
    return {
      isFailing: failingModel !== undefined,
      suggestion: { name: name.length > MAX_SUGGESTION_LENGTH ? model : name, value: model },
    };
  });
  return rankedSuggestions
    .sort((a, b) => Number(a.isFailing) - Number(b.isFailing))
    .map(({ suggestion }) => suggestion);
}

/** A model that the gateway refused for this purpose is only found by a search, and so is one that only `/imagine` uses. */
const fits = ({ id, usableKinds, refusedKinds }: ListedModel, purpose: Purpose): boolean =>
  usableKinds.includes(purpose) && !refusedKinds.includes(purpose) && !isOfPromptFamily(id);

/** Discord's limit for the options of a select. */
const MAX_CHOICES = 25;

interface ModelFieldFacts {
  value: string | undefined;
  label: string;
  hint: string;
  /** Nothing is chosen in advance, and models that take no images are offered too. */
  isSetting?: true;
}

/** The field of a form for a model: a choice of those that fit, or text while the list of models is not known. */
export function modelField(
  purpose: Purpose,
  { value = '', label, hint, isSetting }: ModelFieldFacts,
  models: readonly ListedModel[],
): FieldPlan {
  const fittingIds = models
    .filter((model) => fits(model, purpose) && (isSetting || takesReferenceImages(model.id)))
    .map(({ id }) => id);
  const ids = [...new Set([...(value === '' ? [] : [value]), ...fittingIds])]
    .filter((id) => id.length <= MAX_SUGGESTION_LENGTH)
    .slice(0, MAX_CHOICES);
  if (fittingIds.length === 0) return { type: 'text', name: 'model', label, hint, value };
  const chosen = isSetting ? value : value || ids[0];
  const options = ids.map((id) => ({ value: id, label: id, isDefault: id === chosen }));
  return { type: 'choice', name: 'model', label, ...(isSetting && { hint }), options };
}

/** A form must open within Discord's limit of three seconds, and the store has a part of that. */
const FORM_LIMIT_MS = 500;

/** The models that the member may choose from in a form with images; `preferred` is chosen in advance if it is one of them. */
export async function modelsForForm(purpose: Purpose, preferred: string | undefined, context: Context) {
  const { models } = context.services;
  const listed = models.lastListed.length > 0 ? models.lastListed : await models.listQuickly(FORM_LIMIT_MS);
  const isAllowed = (id: string): boolean => mayUseModel({ id, usableKinds: [purpose] }, context);
  return {
    models: listed.filter(({ id }) => isAllowed(id)),
    model: preferred !== undefined && isAllowed(preferred) && takesReferenceImages(preferred) ? preferred : undefined,
  };
}

/** More than Discord shows, so that working models can take the place of failing ones. */
const MAX_CONSIDERED = 50;
/** Discord's limit for the name of a suggestion. */
const MAX_SUGGESTION_LENGTH = 100;

export const suggestionsFrom = (names: readonly string[], input: string): Suggestion[] =>
  names.filter((name) => name.toLowerCase().includes(input.toLowerCase())).map((name) => ({ name, value: name }));

/** The model of an order. One that the gateway does not have is refused before anything is ordered, and so is none if the gateway cannot list its models. */
export async function chooseModel(purpose: Purpose, input: string | undefined, services: Services) {
  const model = (await modelOrDefault(purpose, input, services)) ?? (await services.models.findFor(purpose))?.id;
  if (model === undefined) throw noModelRefusal(purpose, services);
  return model;
}

/** The member's model, that of the conversation, or the usual one, if the rules allow it here. Undefined leaves the choice to the bot. */
export function usualModel(
  purpose: Purpose,
  given: { option?: string | undefined; conversation?: string | undefined },
  choices: Choices,
  { services, origin }: { services: Services; origin: Origin },
): string | undefined {
  const kind = orderedKinds[purpose];
  const model = choices.pick(
    'model',
    ({ models }) => {
      const id = models?.[purpose];
      const isAllowed =
        id !== undefined && kind !== undefined && services.safety.rules.allowsKind({ ...origin, kind }, id);
      return isAllowed ? id : undefined;
    },
    given,
  );
  if (model === undefined) choices.sources.model = 'bot';
  return model;
}

/** The words of a suffix, without flags: only the image-prompt family reads those. What settings add is not the member's own text. */
export function withSuffix<R extends { prompt: string; spoiler?: CommonRequest['spoiler'] }>(
  request: R,
  choices: Choices,
) {
  const suffix = choices.pick('suffix', (set) => set.suffix && splitFlags(set.suffix).words);
  const spoiler = choices.pick('spoiler', (set) => set.spoiler);
  const { prompt } = request;
  return {
    ...request,
    ...(suffix && { prompt: `${prompt} ${suffix}`, typed: prompt, suffix }),
    ...(spoiler && { spoiler }),
    ...choices.fields,
  };
}

/** What options and settings added to the member's text: the flags, such as `--ar 16:9`, and the words of a suffix. */
export function addedText({ prompt = '', typed = prompt, suffix = '' }: CommonRequest): string[] {
  const [own, sent] = [splitFlags(typed), splitFlags(prompt)];
  const flags = sent.words.startsWith(own.words) ? sent.flags.slice(own.flags.length).join(' ') : '';
  const { words } = splitFlags(suffix);
  return [...(flags === '' ? [] : [flags]), ...(words === '' ? [] : [`suffix: ${words}`])];
}

const MAX_NAMED_MODELS = 3;

/** The refusal names models whose purpose is unknown, because one of them may be the right one. */
function noModelRefusal(purpose: Purpose, { models }: Services): Refusal {
  const unknownModels = models.lastListed.filter(({ kind }) => kind === 'other').map(({ id }) => id);
  const setting = `DEFAULT_${purpose === 'voice' ? 'TALK' : purpose.toUpperCase()}_MODEL`;
  const candidates = unknownModels.slice(0, MAX_NAMED_MODELS);
  return candidates.length === 0
    ? new Refusal('refusals.nameModel', { setting })
    : new Refusal('refusals.nameModelNear', { setting, near: candidates });
}

/** Returns the model that the member names, else the operator's default; undefined leaves the choice to the gateway. */
export async function modelOrDefault(purpose: Purpose, input: string | undefined, services: Services) {
  const { models, settings } = services;
  if (input === undefined) return settings.models[purpose === 'voice' ? 'talk' : purpose];
  const id = input.trim();
  if ((await models.listQuickly(ORDER_LIMIT_MS)).some((model) => model.id === id)) return id;
  // A gateway that cannot be queried right now may still accept the order; `models.get` refuses an unknown model.
  await models.get(id).catch(expecting(GatewayError, () => undefined));
  return id;
}

export const imageOption = { type: 'attachment', accept: ['image'] } as const;

/** Seven signed Discord URLs are about 2,100 characters long. */
export const linksOption = { type: 'text', max: 3_000 } as const satisfies TextOption;

const four = { image: imageOption, image2: imageOption, image3: imageOption, image4: imageOption };
const five = { ...four, image5: imageOption };
const seven = { ...five, image6: imageOption, image7: imageOption };
export const imageOptions = { four, five, seven } as const;

/** Reference images: attached files, or URLs. */
export type References = Partial<Values<typeof seven & { links: typeof linksOption }>>;

const IMAGE_TYPE = /^image\//i;

/** With more references, each of them has hardly any effect. */
const MAX_REFERENCES = 5;

/** The specification names no limit; as base64 this is 27 MB, about as much as gateways accept in one request. */
const MAX_IMAGE_MIB = 20;

const attachmentsIn = (references: References): Attachment[] => keysOf(seven).flatMap((name) => references[name] ?? []);

/** Links may be separated by spaces, line breaks and commas. A comma inside a URL belongs to it; angle brackets only suppress Discord's preview. */
export function givenLinks({ links = '' }: References): string[] {
  return links
    .split(/\s+|,(?=<?https?:\/\/|[\s,]|$)/i)
    .map((piece) => piece.replace(/^<(.*)>$/, '$1'))
    .filter((piece) => piece !== '');
}

/** The reference images in the order of the request: attached files, then URLs. */
export const readImages = (references: References, max = MAX_REFERENCES): MemberFile[] | Refusal =>
  readFiles(references, { max, media: ['image'] });

interface FileLimits {
  max: number;
  media: readonly ('image' | 'video' | 'audio')[];
}

/** References of several media; their real type is checked later. */
export function readFiles(references: References, limits: FileLimits): MemberFile[] | Refusal {
  const refusal = filesRefusal(references, limits);
  if (refusal) return refusal;
  const files = attachmentsIn(references).map(toMemberFile);
  return [...files, ...givenLinks(references).map((address) => ({ address, name: shorten(fileNameIn(address)) }))];
}

export const toMemberFile = ({ address, name, isSpoiler }: Attachment): MemberFile => ({
  address,
  name: shorten(name),
  ...(isSpoiler && { isSpoiler }),
});

/** The files of a message that may be images. A file without a type counts as one, because videos and audio files have a type. */
export function imagesOnMessage({ files }: TargetMessage): Attachment[] {
  return files.filter(({ mediaType }) => mediaType === undefined || IMAGE_TYPE.test(mediaType));
}

/** The images of a result. Those on its message have URLs that are valid for a day; the gateway may still have those that could not be attached. */
export function imagesOfResult({ media }: Task, message: TargetMessage): MemberFile[] {
  const attached = imagesOnMessage(message);
  if (attached.length > 0) return attached;
  return media.flatMap(({ kind, address }) =>
    kind === 'image' && address ? [{ address, name: fileNameIn(address) }] : [],
  );
}

/** Checks the references for problems that are visible in the payload alone. Their content is checked later. */
export const referenceRefusal = (references: References, max = MAX_REFERENCES): Refusal | undefined =>
  filesRefusal(references, { max, media: ['image'] });

function filesRefusal(references: References, { max, media }: FileLimits): Refusal | undefined {
  const files = attachmentsIn(references);
  const links = givenLinks(references);
  const count = files.length + links.length;
  if (count > max) return new Refusal('refusals.tooManyImages', { count: String(count), max: String(max) });
  const link = links.find((one) => !webAddress.safeParse(one).success);
  if (link !== undefined) return new Refusal('refusals.imageUrlInvalid', { link: shorten(link) });
  return files.map((file) => fileRefusal(file, media)).find((refusal) => refusal !== undefined);
}

function fileRefusal({ name, size, mediaType = '' }: Attachment, media: FileLimits['media']): Refusal | undefined {
  const medium = mediaType.split('/', 1)[0]?.toLowerCase();
  if (mediaType !== '' && !media.some((one) => one === medium)) {
    const facts = { name: shorten(name), mediaType: shorten(mediaType.replace(/;.*/s, '')) };
    return new Refusal(media.length === 1 ? 'refusals.notAnImage' : 'refusals.notMedia', facts);
  }
  if (size === 0) return new Refusal('refusals.imageEmpty', { name: shorten(name) });
  const isImage = media.length === 1 || medium === 'image';
  if (!isImage || size <= MAX_IMAGE_MIB * 1024 * 1024) return undefined;
  return new Refusal('refusals.imageTooLarge', { name: shorten(name), megabytes: MAX_IMAGE_MIB });
}

const MAX_SHOWN_LENGTH = 100;

const shorten = (text: string): string =>
  text.length <= MAX_SHOWN_LENGTH ? text : `${text.slice(0, MAX_SHOWN_LENGTH - 1)}…`;
