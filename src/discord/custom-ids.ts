import { z } from 'zod';
import { Refusal } from '../lib/refusal.ts';
import { modelKinds } from '../services/gateway/model-families.ts';
import { modelSizes } from '../services/gateway/model-ids.ts';
import { isDay, quickRanges } from '../services/money/usage-days.ts';
import { groupings, usageOwners } from '../services/money/usage-sheet.ts';
import { preferenceLevels, preferenceSections } from '../services/orders/preference-set.ts';
import { setupSteps } from '../services/safety/server-setup.ts';
import { shortFollowUps } from '../services/tasks/task-facts.ts';
import { isTaskId } from '../services/tasks/task-id.ts';
import { statusFilters, type TaskFilter } from '../services/tasks/task-summary.ts';

const MAX_ID_LENGTH = 100;
const VERB_PATTERN = /^[a-z]{1,8}$/;

/** A custom id: what it does (verb), which version of its arguments it has, and the arguments. */
export interface CustomId {
  verb: string;
  version: number;
  args: readonly string[];
}

/** Writes a custom id. It never contains a prompt, a URL or a price, only keys of stored rows or positions in lists. */
export function customId(verb: string, version: number, ...args: readonly string[]): string {
  const text = [verb, String(version), ...args.map(encodeArgument)].join('.');
  if (!VERB_PATTERN.test(verb) || text.length > MAX_ID_LENGTH)
    throw new RangeError(`Invalid custom id: ${verb}.${version}`);
  return text;
}

/** Returns undefined for a foreign or forged id. */
export function readCustomId(text: string): CustomId | undefined {
  const [verb = '', version = '', ...args] = text.split('.');
  if (text.length > MAX_ID_LENGTH || !VERB_PATTERN.test(verb) || !/^[1-9]\d{0,3}$/.test(version)) return undefined;
  const decoded = args.map(decodeArgument).filter((argument) => argument !== undefined);
  return decoded.length < args.length ? undefined : { verb, version: Number(version), args: decoded };
}

/** Short words stay unchanged; anything else becomes base64url after a tilde. */
function encodeArgument(argument: string): string {
  return /^[\w-]*$/.test(argument) ? argument : `~${Buffer.from(argument).toString('base64url')}`;
}

function decodeArgument(text: string): string | undefined {
  if (/^[\w-]*$/.test(text)) return text;
  return /^~[\w-]+$/.test(text) ? Buffer.from(text.slice(1), 'base64url').toString('utf8') : undefined;
}

/** Encodes a pointer as arguments. Ids can be forged, so `read` refuses arguments that `write` cannot produce. */
interface PointerCodec<Pointer> {
  write(pointer: Pointer): readonly string[];
  read(args: readonly string[]): Pointer | Refusal;
}

/** A button, option or form: creates its ids and reads what they point to. */
export interface Verb<Pointer> {
  readonly name: string;
  /** Whether it creates a new order. The task that it points to is only read. */
  readonly createsOrder: boolean;
  id(pointer: Pointer): string;
  read(id: CustomId): Pointer | Refusal;
}

/** Part of every id, so that a later version can give the arguments of a verb another form. */
const VERSION = 1;

export const verb = <Pointer>(
  name: string,
  { write, read }: PointerCodec<Pointer>,
  createsOrder = false,
): Verb<Pointer> => ({
  name,
  createsOrder,
  id: (pointer) => customId(name, VERSION, ...write(pointer)),
  read: (id) => (id.version === VERSION ? read(id.args) : new Refusal('refusals.outdatedButton')),
});

const orderVerb = <Pointer>(name: string, codec: PointerCodec<Pointer>): Verb<Pointer> => verb(name, codec, true);

const forgedIdRefusal = (): Refusal => new Refusal('refusals.unknownButton');

const noArguments: PointerCodec<void> = { write: () => [], read: () => undefined };

const oneArgument = <Argument extends string>(schema: z.ZodType<Argument>): PointerCodec<Argument> => ({
  write: (argument) => [argument],
  read: ([text]) => schema.safeParse(text).data ?? forgedIdRefusal(),
});

/** The arguments are in the order of the shape. */
function namedArguments<Shape extends z.ZodRawShape>(shape: Shape): PointerCodec<z.output<z.ZodObject<Shape>>>;
function namedArguments(shape: z.ZodRawShape): PointerCodec<Record<string, unknown>> {
  const names = Object.keys(shape);
  const schema = z.object(shape);
  return {
    write: (pointer) =>
      Object.entries(shape).map(([name, argument]) => String(z.encode(argument, pointer[name]) ?? '')),
    read: (args) =>
      schema.safeParse(Object.fromEntries(names.map((name, index) => [name, args[index]]))).data ?? forgedIdRefusal(),
  };
}

const taskArgument = z.string().refine(isTaskId);
const numberArgument = z.codec(z.string().regex(/^\d{1,4}$/), z.number(), {
  decode: Number,
  encode: (number) => String(Math.max(0, number)),
});

/** Undefined is written as an empty argument. */
const emptyOr = <Schema extends z.ZodType>(schema: Schema) =>
  z.codec(z.string(), z.unknown().pipe(schema.optional()), {
    decode: (text) => text || undefined,
    encode: (value) => String(value ?? ''),
  });

/** A choice that is written as its first letters. */
const shortened = <const Choice extends string>(choices: readonly Choice[], length: number) =>
  z.codec(z.string(), z.unknown().pipe(z.enum(choices)), {
    decode: (text) => choices.find((choice) => choice.slice(0, length) === text),
    encode: (choice) => String(choice).slice(0, length),
  });

const taskCodec = oneArgument(taskArgument);
const taskAndIndexCodec = namedArguments({ taskId: taskArgument, index: numberArgument });
const taskAndChoiceCodec = <Which extends string>(choices: readonly Which[]) =>
  namedArguments({ taskId: taskArgument, which: z.enum(choices) });

export type FormOrigin = ({ from: 'task'; taskId: string } | { from: 'menu'; isPrivate: boolean }) & {
  /** The draft with the images or the message that the form was opened from. */
  draftId: string | undefined;
};

const PRIVATE_ARGUMENT = 'alone';
const privacyArgument = z.codec(z.enum(['', PRIVATE_ARGUMENT]), z.boolean(), {
  decode: (text) => text !== '',
  encode: (isPrivate) => (isPrivate ? PRIVATE_ARGUMENT : ''),
});

const formOriginCodec: PointerCodec<FormOrigin> = {
  write(origin) {
    const first = origin.from === 'task' ? origin.taskId : privacyArgument.encode(origin.isPrivate);
    return origin.draftId === undefined ? [first] : [first, origin.draftId];
  },
  read([first = '', draftId]) {
    if (draftId !== undefined && !isTaskId(draftId)) return forgedIdRefusal();
    if (isTaskId(first)) return { from: 'task', taskId: first, draftId };
    const { data: isPrivate } = privacyArgument.safeParse(first);
    return isPrivate === undefined ? forgedIdRefusal() : { from: 'menu', isPrivate, draftId };
  },
};

/** A form that opens again after a refusal. Its reply appears where that of the original form would have. */
const correctedCodec = namedArguments({
  isPrivate: privacyArgument,
  formId: z.string().refine((formId) => readCustomId(formId) !== undefined),
});

const modelsPageCodec = namedArguments({
  list: z.enum(['own', 'compatible']),
  kind: emptyOr(z.enum(modelKinds)),
  page: numberArgument,
  text: emptyOr(z.string()).optional(),
});
export type ModelsPage = Parameters<typeof modelsPageCodec.write>[0];

/** The bytes left for the search text in a custom id when all other arguments have their maximum length. */
const MAX_SEARCH_BYTES = 28;

export const fitsCustomId = (words = ''): boolean => Buffer.byteLength(words) <= MAX_SEARCH_BYTES;

/** An unknown kind is accepted: another version of the bot may have written it. */
const filterCodec: PointerCodec<TaskFilter> = namedArguments({
  whose: shortened(['mine', 'server'], 1),
  kind: emptyOr(z.string().regex(/^[a-z-]{0,30}$/)),
  status: emptyOr(shortened(statusFilters, 2)),
  before: emptyOr(taskArgument).optional(),
  words: emptyOr(z.string().refine(fitsCustomId)).optional(),
});

const taskPageCodec: PointerCodec<{ taskId: string; list: TaskFilter }> = {
  write: ({ taskId, list }) => [taskId, ...filterCodec.write(list)],
  read([taskId = '', ...args]) {
    const list = filterCodec.read(args);
    return list instanceof Refusal ? list : isTaskId(taskId) ? { taskId, list } : forgedIdRefusal();
  },
};

const usageView = { by: z.enum(groupings), of: z.enum(usageOwners) };
const usageCodec = namedArguments({ range: z.enum(quickRanges), ...usageView });
const dayArgument = z.string().refine(isDay);
const exactUsageCodec = namedArguments({ start: dayArgument, end: dayArgument, ...usageView });

type FineTunePointer =
  | { do: 'page'; fineTuneId: string; page: number }
  | { do: 'follow'; fineTuneId: string }
  | { do: 'stop'; fineTuneId: string; followId: string };

/** Less than the remaining space, because ids with characters other than ASCII letters and digits grow in base64url. */
const MAX_FINE_TUNE_BYTES = 60;

export const fineTuneIdFits = (fineTuneId: string): boolean => Buffer.byteLength(fineTuneId) <= MAX_FINE_TUNE_BYTES;

const fineTuneCodec: PointerCodec<FineTunePointer> = {
  write(pointer) {
    if (pointer.do === 'page') return ['page', pointer.fineTuneId, String(pointer.page)];
    return pointer.do === 'follow' ? ['follow', pointer.fineTuneId] : ['stop', pointer.fineTuneId, pointer.followId];
  },
  read([action, fineTuneId = '', detail = '']) {
    if (fineTuneId === '') return forgedIdRefusal();
    if (action === 'page')
      return /^\d{1,4}$/.test(detail) ? { do: 'page', fineTuneId, page: Number(detail) } : forgedIdRefusal();
    if (action === 'follow') return { do: 'follow', fineTuneId };
    return action === 'stop' ? { do: 'stop', fineTuneId, followId: detail } : forgedIdRefusal();
  },
};

/** The index of a menu that replaces more buttons than a message can contain. Choosing an option counts as pressing its button. */
const indexCodec: PointerCodec<number> = {
  write: (index) => (index === 0 ? [] : [String(index)]),
  read: ([index = '0']) => (/^\d{1,2}$/.test(index) ? Number(index) : forgedIdRefusal()),
};

const reportedCodec = namedArguments({ taskId: taskArgument, messageId: z.string().regex(/^\d{1,20}$/) });

export const ruleSections = ['access', 'use', 'words', 'links', 'moderation', 'categories', 'log'] as const;
export type RuleSection = (typeof ruleSections)[number];

const digestsArgument = z.string().max(20).optional();

/** A form for a section. `opened`, `seen`: digests of what its reader has read, when it opened and in a refusal. */
function formCodec<Shape extends z.ZodRawShape>(shape: Shape) {
  const { write, read } = namedArguments({ ...shape, opened: digestsArgument, seen: digestsArgument });
  return { read, write: (pointer: Parameters<typeof write>[0]) => write(pointer).filter((text) => text !== '') };
}

/** A step of the set-up, or the overview after the last one, and the step that this finishes. */
const setupView = z.enum([...setupSteps, 'overview']);
const setupCodec = namedArguments({
  step: setupView,
  finished: emptyOr(z.enum(setupSteps)).optional(),
});

/** A section of the settings of a member, a channel or a server. */
const preferencesPointer = { of: z.enum(preferenceLevels), section: z.enum(preferenceSections) };

/** The commands that a prompt proposed by `/prompt` can be used with. */
export const proposalUses = ['imagine', 'image', 'video'] as const;
export type ProposalUse = (typeof proposalUses)[number];
const proposalCodec = namedArguments({ taskId: taskArgument, index: numberArgument, use: z.enum(proposalUses) });

/** The server that a button of `/budget` is about, or `all`. */
const budgetCodec = oneArgument(z.string().regex(/^(?:\d{17,20}|all)$/));

/** Messages keep their ids for years, so a used verb never gets another meaning. A verb about a task names it first; a task that a later argument names is where a list continues. */
export const customIds = {
  /** A button that the gateway returned with a result, and one whose action needs text first. */
  action: orderVerb('a', taskAndIndexCodec),
  actionText: orderVerb('w', taskAndIndexCodec),
  actionTextFilled: orderVerb('wf', taskAndIndexCodec),
  /** An action that a member's settings can open the prompt for, by how a changed prompt is sent: as a new order, by Custom Zoom, or when the gateway asks. */
  reroll: orderVerb('rr', taskCodec),
  zoom: orderVerb('zoom', taskAndIndexCodec),
  remix: orderVerb('remix', taskAndIndexCodec),
  change: orderVerb('chg', taskAndChoiceCodec(shortFollowUps)),
  upscaleAll: orderVerb('all', taskCodec),
  larger: orderVerb('large', taskAndChoiceCodec(modelSizes)),
  continue: verb('go', taskCodec),
  continueFilled: verb('gof', taskCodec),
  cancel: verb('cancel', taskCodec),
  retry: orderVerb('retry', taskCodec),
  retryPublicly: orderVerb('retryo', taskCodec),
  edit: orderVerb('edit', taskCodec),
  editFilled: orderVerb('editf', taskCodec),
  editPublicly: orderVerb('edito', taskCodec),
  editFilledPublicly: orderVerb('editfo', taskCodec),
  /** Opened from the menu of a message that only its reader sees. */
  editFilledPrivately: orderVerb('editfp', taskCodec),
  repeat: orderVerb('same', taskCodec),
  tryAgain: verb('again', taskCodec),
  /** Pressed on a `/tasks` page: the result is posted in a new message, and the page does not change. */
  tryAgainPublicly: verb('againo', taskCodec),
  tryAgainInNewMessage: verb('againb', taskCodec),
  dismiss: verb('dismiss', taskCodec),
  delete: verb('delete', taskCodec),
  /** Pressed on a message other than the one that is deleted. */
  deletePost: verb('unpost', taskCodec),
  show: verb('show', taskCodec),
  showMe: verb('showme', taskCodec),
  showAsk: verb('showask', taskCodec),
  showAll: verb('showall', taskCodec),
  albumPage: verb('album', taskAndIndexCodec),
  albumSong: verb('song', taskCodec),
  /** Lines are counted from 1. */
  line: orderVerb('line', taskAndIndexCodec),
  lineFilled: orderVerb('linef', taskCodec),
  allLines: orderVerb('lines', taskCodec),
  animate: orderVerb('anim', taskCodec),
  animateFilled: orderVerb('animf', formOriginCodec),
  /** Orders that wait for their member's decision. */
  runProposal: verb('anyway', taskCodec),
  cancelProposal: verb('drop', taskCodec),
  showPrompts: verb('prompts', taskCodec),
  runAsTyped: verb('typed', taskCodec),
  /** On the message of a batch. */
  cancelRest: verb('rest', taskCodec),
  retryFailed: verb('failed', taskCodec),
  batchTask: verb('of', taskCodec),
  /** On the reply to a message: opens the proposal, or the reason for a refusal, for the message's author only. */
  showProposal: verb('price', taskCodec),
  showReason: verb('why', taskCodec),
  /** On a reply that answers nothing, with the author of the message that it replies to. */
  deleteNotice: verb('unsay', oneArgument(z.string().regex(/^\d{17,20}$/))),
  makeVideo: orderVerb('film', taskCodec),
  makeVideoFilled: orderVerb('filmf', formOriginCodec),
  reference: orderVerb('ref', taskCodec),
  referenceFilled: orderVerb('reff', formOriginCodec),
  /** Opens a refused form again, by its draft. */
  correct: verb('correct', taskCodec),
  corrected: verb('correctf', correctedCodec),
  stop: verb('stop', taskCodec),
  continueConversation: orderVerb('more', taskCodec),
  continueConversationFilled: orderVerb('moref', taskCodec),
  messageQuestionFilled: orderVerb('aboutf', formOriginCodec),
  endConversation: verb('letgo', taskCodec),
  useProposal: orderVerb('use', proposalCodec),
  details: verb('details', taskCodec),
  /** A tool call, by its index among all calls of the answer. */
  allow: verb('allow', taskAndIndexCodec),
  decline: verb('decline', taskAndIndexCodec),
  endTalk: verb('endtalk', taskCodec),
  speak: verb('speak', taskCodec),
  speakFilled: verb('spoken', taskCodec),
  models: verb('models', modelsPageCodec),
  usage: verb('usage', usageCodec),
  exactUsage: verb('exact', exactUsageCodec),
  tasks: verb('tasks', filterCodec),
  task: verb('task', filterCodec),
  taskPage: verb('tp', taskPageCodec),
  taskDetails: verb('td', taskPageCodec),
  /** Pressed on the page of a task, which then shows the task as it has become. */
  deleteFromPage: verb('tx', taskPageCodec),
  hideResult: verb('th', taskPageCodec),
  showOpenly: verb('to', taskPageCodec),
  fineTune: verb('tune', fineTuneCodec),
  exportData: verb('export', noArguments),
  eraseData: verb('forget', noArguments),
  eraseDataConfirm: verb('forgets', noArguments),
  eraseDataConfirmAgain: verb('forgetr', noArguments),
  /** A moderator's decision about a held result. */
  allowResult: verb('allowr', taskCodec),
  withholdResult: verb('denyr', taskCodec),
  reportFilled: verb('report', reportedCodec),
  /** A moderator's decisions about a report. */
  reportRemove: verb('repdel', taskCodec),
  reportDismiss: verb('repoff', taskCodec),
  reportBlock: verb('repblock', taskCodec),
  reportBlockFilled: verb('repblocf', taskCodec),
  rules: verb('rules', oneArgument(z.enum(ruleSections))),
  rulesFilled: verb('rulesf', formCodec({ section: z.enum(ruleSections) })),
  /** Pressed on another page, which stays: the rules are shown in a new message. */
  rulesApart: verb('rulesn', oneArgument(z.enum(ruleSections))),
  rulesApartFilled: verb('rulesnf', formCodec({ section: z.enum(ruleSections) })),
  accessRemove: verb('access', noArguments),
  /** An admin's decision about a preview of changed rules. */
  rulesApply: verb('import', taskCodec),
  rulesCancel: verb('importc', taskCodec),
  budget: verb('budget', noArguments),
  resume: verb('resume', budgetCodec),
  deletedRoles: verb('budgetr', budgetCodec),
  setup: verb('setup', setupCodec),
  setupLanguage: verb('setupl', oneArgument(setupView)),
  preferences: verb('prefs', namedArguments(preferencesPointer)),
  preferencesFilled: verb('prefsf', formCodec(preferencesPointer)),
  preferencesReset: verb('prefsr', oneArgument(z.enum(preferenceLevels))),
  preferencesResetAnswer: verb(
    'prefsra',
    namedArguments({ of: z.enum(preferenceLevels), answer: z.enum(['reset', 'keep']) }),
  ),
  /** One of a list of presets, whose id was selected; the others name a preset by its id. */
  preset: verb('preset', noArguments),
  presetCopy: verb('presetc', taskCodec),
  presetRemove: verb('presetd', taskCodec),
  presetReport: verb('presetr', taskCodec),
  presetReportFilled: verb('presetf', taskCodec),
  list: verb('press', indexCodec),
} as const;

/** The id of the form that a corrected form stands for; any other id stays as it is. */
export function originalFormId(text: string): string {
  const id = readCustomId(text);
  const pointer = id?.verb === customIds.corrected.name ? customIds.corrected.read(id) : undefined;
  return pointer === undefined || pointer instanceof Refusal ? text : pointer.formId;
}
