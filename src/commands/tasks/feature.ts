import { customIds, fitsPointer } from '../../discord/custom-ids.ts';
import { type Ask, button, command, type Outcome } from '../../discord/handlers.ts';
import { linkTo } from '../../discord/markdown.ts';
import { definedIn } from '../../lib/entries.ts';
import { Refusal } from '../../lib/refusal.ts';
import { type Sentences, sentenceAt } from '../../locales/index.ts';
import { buttonPlan } from '../../messages/task-buttons.ts';
import { collected, shownBeside } from '../../services/tasks/delivery-state.ts';
import { isClosed, type MessagePlace, type Task } from '../../services/tasks/task.ts';
import { isTaskId } from '../../services/tasks/task-id.ts';
import { type Filter, standings } from '../../services/tasks/task-line.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';
import { isShowable, mayDeleteMessage, seenTask } from './audience.ts';
import { taskList } from './list.ts';
import { ownDataButtons } from './own-data.ts';
import { taskAnswer } from './page.ts';
import { text } from './text.ts';

/** Turns the pages of `/tasks`, and leads back from a task to the list. */
export const tasksPageButton = button(customIds.tasks, {
  answers: 'here',
  run: (filter, ask: Ask<Services>) => taskList(filter, ask),
});

export const chooseTask = button(customIds.task, {
  answers: 'here',
  async run(filter, ask: Ask<Services>, [id = '']) {
    if (!isTaskId(id)) throw new Refusal('refusals.unknownButton');
    return taskAnswer(id, filter, ask);
  },
});

/** Shows a result in this channel again, with working buttons. */
const showButton = button(customIds.show, {
  answers: 'openly',
  run: (taskId, ask: Ask<Services>) => bring(taskId, ask, (task) => !isClosed(task)),
});

const showMeButton = button(customIds.showMe, {
  answers: 'beside',
  run: (taskId, ask: Ask<Services>) => bring(taskId, ask, () => ask.origin.route.isPrivate),
});

/** Asks before a private result is shown to others. */
const showAskButton = button(customIds.showAsk, {
  // The page with its button back to the list stays.
  answers: 'beside',
  async run(taskId, ask: Ask<Services>) {
    const { id } = await seenTask(taskId, ask);
    const showAll = buttonPlan(ask.say('tasks.buttons.showAll'), customIds.showAll.id(id), { look: 'danger' });
    const showMe = buttonPlan(ask.say('tasks.buttons.showMe'), customIds.showMe.id(id));
    return { content: ask.say('tasks.showAsk'), controls: [showAll, showMe] };
  },
});

const showAllButton = button(customIds.showAll, {
  answers: 'openly',
  run: (taskId, ask: Ask<Services>) => bring(taskId, ask, ({ requesterId }) => requesterId === ask.place.userId),
});

/** Ids can be forged, so the task itself decides whether it may be shown this way. */
async function bring(taskId: string, ask: Ask<Services>, mayBeShown: (task: Task) => boolean): Promise<Outcome> {
  const task = await seenTask(taskId, ask);
  if (!isShowable(task) || !mayBeShown(task)) throw new Refusal('refusals.noResult');
  const brought = await ask.services.brought(task, ask.place);
  return { ...brought, shown: (message) => noted(task, message, ask) };
}

/** Records that the owner has the result now, and a public copy, so that it can be deleted with the task. */
async function noted(
  { id, requesterId }: Task,
  message: MessagePlace | undefined,
  { place, origin, services }: Ask<Services>,
): Promise<void> {
  const copy = message && { ...message, ...definedIn({ guildId: place.guildId }) };
  await services.tasks.book.change(id, (task) => {
    const known = requesterId === place.userId ? collected(task) : task;
    return copy && !origin.route.isPrivate ? shownBeside(known, copy) : known;
  });
}

const deletePostButton = button(customIds.deletePost, {
  answers: 'beside',
  async run(taskId, ask: Ask<Services>) {
    const task = await seenTask(taskId, ask);
    if (!mayDeleteMessage(task, ask)) throw new Refusal('refusals.notYours');
    const { removed, left, isLater } = await ask.services.tasks.removeMessage(task);
    if (isLater) throw new Refusal('refusals.messageStays');
    if (left.length > 0) return { content: ask.say('tasks.deleteStays', { link: left.map(linkTo).join(' ') }) };
    return { content: ask.say(removed > 0 ? 'tasks.deleted' : 'tasks.deletedBefore') };
  },
});

type Named = { text: Sentences };

/** Its filter offers every kind of task. A kind without a name in this feature's text has the one that its own feature gives it. */
export const tasks = (kinds: readonly string[], features: readonly Named[] = []): Feature<typeof text> => ({
  command: command({
    name: 'tasks',
    isPrivate: true,
    options: {
      text: { type: 'text' },
      kind: { type: 'text', choices: kinds },
      state: { type: 'text', choices: standings },
      whose: { type: 'text', choices: ['mine', 'server'] },
    },
    parse({ text, kind, state, whose = 'mine' }): Filter | Refusal {
      const words = text?.trim() || undefined;
      return fitsPointer(words) ? { whose, kind, standing: state, words } : new Refusal('refusals.tasksTextTooLong');
    },
    run: (filter, ask: Ask<Services>) => taskList(filter, ask),
  }),
  text: textWith(kinds, features),
  buttons: [
    ...[tasksPageButton, chooseTask, showButton, showMeButton, showAskButton, showAllButton, deletePostButton],
    ...ownDataButtons,
  ],
});

function textWith(kinds: readonly string[], features: readonly Named[]): typeof text {
  const { command } = text;
  const named = kinds.flatMap((kind) => features.map((one) => [kind, sentenceAt(one.text, ['tasks', 'kinds', kind])]));
  const names = Object.fromEntries(named.filter(([, name]) => name !== undefined));
  return {
    ...text,
    command: { ...command, choices: { ...command.choices, kind: { ...names, ...command.choices.kind } } },
  };
}
