import { Refusal } from '../lib/refusal.ts';
import type { ListName } from '../services/models/catalogue.ts';
import { type ModelKind, modelKinds } from '../services/models/families.ts';
import { type ModelSize, modelSizes } from '../services/models/ids.ts';
import { type ShortFollowUp, shortFollowUps } from '../services/tasks/task-facts.ts';
import { isTaskId } from '../services/tasks/task-id.ts';
import { statusFilters, type TaskFilter } from '../services/tasks/task-summary.ts';
import { type QuickRange, quickRanges } from '../services/usage/days.ts';
import { type Grouping, groupings } from '../services/usage/sheet.ts';

const LONGEST = 100;
const WORD = /^[a-z]{1,8}$/;

/** A custom id: what it does (verb), which version of its arguments it has, and the arguments. */
export interface CustomId {
  verb: string;
  version: number;
  args: readonly string[];
}

/** Never holds a prompt, an address or a price: only keys for a store or a list. */
export function customId(verb: string, version: number, ...args: readonly string[]): string {
  const text = [verb, String(version), ...args.map(encodeArgument)].join('.');
  if (!WORD.test(verb) || text.length > LONGEST) throw new RangeError(`This is no custom id: ${verb}.${version}`);
  return text;
}

/** undefined: not one of ours, or forged. */
export function readCustomId(text: string): CustomId | undefined {
  const [verb = '', version = '', ...args] = text.split('.');
  if (text.length > LONGEST || !WORD.test(verb) || !/^[1-9]\d{0,3}$/.test(version)) return undefined;
  const decoded = args.map(decodeArgument).filter((argument) => argument !== undefined);
  return decoded.length < args.length ? undefined : { verb, version: Number(version), args: decoded };
}

/** Short words stay as they are; anything else is base64url behind a tilde. */
function encodeArgument(argument: string): string {
  return /^[\w-]*$/.test(argument) ? argument : `~${Buffer.from(argument).toString('base64url')}`;
}

function decodeArgument(text: string): string | undefined {
  if (/^[\w-]*$/.test(text)) return text;
  return /^~[\w-]+$/.test(text) ? Buffer.from(text.slice(1), 'base64url').toString('utf8') : undefined;
}

/** How a pointer is written as arguments and read back. Ids can be forged, so anything else is refused. */
interface PointerCodec<Pointer> {
  write(pointer: Pointer): readonly string[];
  read(args: readonly string[]): Pointer | Refusal;
}

/** A button, option or form: makes its ids, and reads what they point at. */
export interface Verb<Pointer> {
  readonly name: string;
  id(pointer: Pointer): string;
  read(id: CustomId): Pointer | Refusal;
}

/** A new meaning is a new version. `understands` lists older ones that messages still carry. */
export function verb<Pointer>(
  name: string,
  { write, read }: PointerCodec<Pointer>,
  { version = 1, understands = [] }: { version?: number; understands?: readonly number[] } = {},
): Verb<Pointer> {
  const known = [version, ...understands];
  return {
    name,
    id: (pointer) => customId(name, version, ...write(pointer)),
    read: (id) => (known.includes(id.version) ? read(id.args) : new Refusal('refusals.outdatedButton')),
  };
}

const forged = (): Refusal => new Refusal('refusals.unknownButton');

const onNothing: PointerCodec<void> = { write: () => [], read: () => undefined };

const onTask: PointerCodec<string> = {
  write: (taskId) => [taskId],
  read: ([id = '']) => (isTaskId(id) ? id : forged()),
};

const onTaskPlace: PointerCodec<{ taskId: string; place: number }> = {
  write: ({ taskId, place }) => [taskId, String(place)],
  read: ([taskId = '', place = '']) =>
    isTaskId(taskId) && /^\d{1,2}$/.test(place) ? { taskId, place: Number(place) } : forged(),
};

const onTaskAndOneOf = <Which extends string>(
  known: readonly Which[],
): PointerCodec<{ taskId: string; which: Which }> => ({
  write: ({ taskId, which }) => [taskId, which],
  read([taskId = '', text]) {
    const which = known.find((one) => one === text);
    return isTaskId(taskId) && which !== undefined ? { taskId, which } : forged();
  },
});

/** Where a form was opened: on the message of a task, or from the menu of any message. */
export type FormOrigin = { from: 'task'; taskId: string } | { from: 'menu'; isPrivate: boolean };

const ALONE = 'alone';

const onFormOrigin: PointerCodec<FormOrigin> = {
  write: (origin) => (origin.from === 'task' ? [origin.taskId] : origin.isPrivate ? [ALONE] : []),
  read([first]) {
    if (first === undefined || first === ALONE) return { from: 'menu', isPrivate: first === ALONE };
    return isTaskId(first) ? { from: 'task', taskId: first } : forged();
  },
};

export interface ModelsPage {
  list: ListName;
  kind: ModelKind | undefined;
  text: string | undefined;
  page: number;
}

const onModels: PointerCodec<ModelsPage> = {
  write: ({ list, kind, text, page }) => [list, kind ?? '', String(Math.max(0, page)), text ?? ''],
  read([list, kind, page = '', text]) {
    const known = kind === '' ? undefined : modelKinds.find((one) => one === kind);
    if ((list !== 'own' && list !== 'compatible') || (kind !== '' && !known) || !/^\d{1,4}$/.test(page))
      return forged();
    return { list, kind: known, page: Number(page), text: text || undefined };
  },
};

/** With everything else as long as possible, so many bytes of a filter's words fit into a custom id. */
const MAX_WORD_BYTES = 30;

export const fitsCustomId = (words = ''): boolean => Buffer.byteLength(words) <= MAX_WORD_BYTES;

const short = (standing: string): string => standing.slice(0, 2);

const KIND = /^[a-z-]{0,30}$/;

/** A kind that is unknown here may come from a bot that knew other kinds. */
const onFilter: PointerCodec<TaskFilter> = {
  write({ whose, kind = '', standing = '', before = '', words = '' }) {
    return [whose.charAt(0), kind, short(standing), before, words];
  },
  read([whose, kind = '', standing, before = '', words = '']) {
    const knownStanding = statusFilters.find((one) => short(one) === standing);
    if ((whose !== 'm' && whose !== 's') || !KIND.test(kind) || (standing !== '' && !knownStanding)) return forged();
    if ((before !== '' && !isTaskId(before)) || !fitsCustomId(words)) return forged();
    return {
      whose: whose === 'm' ? 'mine' : 'server',
      kind: kind || undefined,
      standing: knownStanding,
      before: before || undefined,
      words: words || undefined,
    };
  },
};

const onUsage: PointerCodec<{ range: QuickRange; by: Grouping }> = {
  write: ({ range, by }) => [range, by],
  read([name, grouping]) {
    const range = quickRanges.find((one) => one === name);
    const by = groupings.find((one) => one === grouping);
    return range && by ? { range, by } : forged();
  },
};

type FineTunePointer =
  | { do: 'page'; fineTuneId: string; page: number }
  | { do: 'follow'; fineTuneId: string }
  | { do: 'stop'; fineTuneId: string; followId: string };

/** Anything but ASCII letters and digits grows in base64url. */
const MAX_FINE_TUNE_BYTES = 60;

export const fitsButtons = (fineTuneId: string): boolean => Buffer.byteLength(fineTuneId) <= MAX_FINE_TUNE_BYTES;

const onFineTune: PointerCodec<FineTunePointer> = {
  write(pointer) {
    if (pointer.do === 'page') return ['page', pointer.fineTuneId, String(pointer.page)];
    return pointer.do === 'follow' ? ['follow', pointer.fineTuneId] : ['stop', pointer.fineTuneId, pointer.followId];
  },
  read([what, fineTuneId = '', detail = '']) {
    if (fineTuneId === '') return forged();
    if (what === 'page') return /^\d{1,4}$/.test(detail) ? { do: 'page', fineTuneId, page: Number(detail) } : forged();
    if (what === 'follow') return { do: 'follow', fineTuneId };
    return what === 'stop' ? { do: 'stop', fineTuneId, followId: detail } : forged();
  },
};

/** A menu that replaces more buttons than a message holds: choosing an option presses its button. */
const onList: PointerCodec<number> = {
  write: (index) => (index === 0 ? [] : [String(index)]),
  read: ([index = '0']) => (/^\d{1,2}$/.test(index) ? Number(index) : forged()),
};

/** Messages keep their ids for years, so a verb that was once used never gets another meaning. */
export const customIds = {
  /** A button that the gateway returned with a result, and one whose action needs text first. */
  action: verb('a', onTaskPlace),
  actionText: verb('w', onTaskPlace),
  actionTextFilled: verb('wf', onTaskPlace),
  change: verb('chg', onTaskAndOneOf<ShortFollowUp>(shortFollowUps)),
  upscaleAll: verb('all', onTask),
  larger: verb('large', onTaskAndOneOf<ModelSize>(modelSizes)),
  continue: verb('go', onTask),
  continueFilled: verb('gof', onTask),
  cancel: verb('cancel', onTask),
  retry: verb('retry', onTask),
  retryOpenly: verb('retryo', onTask),
  edit: verb('edit', onTask),
  editFilled: verb('editf', onTask),
  editOpenly: verb('edito', onTask),
  editFilledOpenly: verb('editfo', onTask),
  repeat: verb('same', onTask),
  tryAgain: verb('again', onTask),
  /** From a separate page, which stays unchanged. */
  tryAgainOpenly: verb('againo', onTask),
  tryAgainBeside: verb('againb', onTask),
  dismiss: verb('dismiss', onTask),
  delete: verb('delete', onTask),
  /** From another message than the one that is deleted. */
  deletePost: verb('unpost', onTask),
  show: verb('show', onTask),
  showMe: verb('showme', onTask),
  showAsk: verb('showask', onTask),
  showAll: verb('showall', onTask),
  albumPage: verb('album', onTaskPlace),
  albumSong: verb('song', onTask),
  /** Lines count from 1. */
  line: verb('line', onTaskPlace),
  lineFilled: verb('linef', onTask),
  allLines: verb('lines', onTask),
  allLinesConfirmed: verb('lineyes', onTask),
  animate: verb('anim', onTask),
  animateFilled: verb('animf', onTask),
  /** An order that waits for its member's confirmation. */
  submitDraft: verb('anyway', onTask),
  makeVideo: verb('film', onTask),
  makeVideoFilled: verb('filmf', onFormOrigin),
  reference: verb('ref', onTask),
  referenceFilled: verb('reff', onFormOrigin),
  stop: verb('stop', onTask),
  continueConversation: verb('more', onTask),
  continueConversationFilled: verb('moref', onTask),
  eraseConversation: verb('letgo', onTask),
  details: verb('details', onTask),
  /** A tool call, by its index in the last response. */
  allow: verb('allow', onTaskPlace),
  decline: verb('decline', onTaskPlace),
  endTalk: verb('endtalk', onTask),
  speak: verb('speak', onTask),
  speakFilled: verb('spoken', onTask),
  models: verb('models', onModels),
  usage: verb('usage', onUsage),
  tasks: verb('tasks', onFilter),
  task: verb('task', onFilter),
  fineTune: verb('tune', onFineTune),
  exportData: verb('export', onNothing),
  eraseData: verb('forget', onNothing),
  eraseDataConfirm: verb('forgets', onNothing),
  eraseDataConfirmAgain: verb('forgetr', onNothing),
  list: verb('press', onList),
} as const;
