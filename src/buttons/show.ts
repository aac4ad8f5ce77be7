import type { Services } from '../commands/services.ts';
import { isShowable, seenTask } from '../commands/tasks/audience.ts';
import { customId } from '../discord/custom-id.ts';
import type { Ask, Button, Outcome } from '../discord/handlers.ts';
import { Refusal } from '../lib/refusal.ts';
import { isClosed, type MessagePlace } from '../services/tasks/task.ts';
import { collected, shownBeside } from '../services/tasks/transitions.ts';
import { taskIn } from './task-argument.ts';

const SHOW = { verb: 'show', version: 1 } as const;
const SHOW_ME = { verb: 'showme', version: 1 } as const;
const SHOW_ASK = { verb: 'showask', version: 1 } as const;
const SHOW_ALL = { verb: 'showall', version: 1 } as const;

export const showId = (taskId: string): string => customId(SHOW.verb, SHOW.version, taskId);
export const showMeId = (taskId: string): string => customId(SHOW_ME.verb, SHOW_ME.version, taskId);
export const showAskId = (taskId: string): string => customId(SHOW_ASK.verb, SHOW_ASK.version, taskId);

/** Brings a result into this channel again, with buttons that work. */
export const showButton: Button<Services> = {
  ...SHOW,
  answers: 'openly',
  run: ({ args }, ask) => bring(args, ask, (task) => !isClosed(task)),
};

/** The same to whoever asks alone. */
export const showMeButton: Button<Services> = {
  ...SHOW_ME,
  answers: 'beside',
  run: ({ args }, ask) => bring(args, ask, () => ask.origin.route.isPrivate),
};

/** What was meant for one would be seen by others: that is asked first. */
export const showAskButton: Button<Services> = {
  ...SHOW_ASK,
  // The page stays, with its way back.
  answers: 'beside',
  async run({ args }, ask) {
    const { id } = await seenTask(taskIn(args), ask);
    const yes = customId(SHOW_ALL.verb, SHOW_ALL.version, id);
    return {
      content: ask.say('tasks.showAsk'),
      controls: [
        { type: 'button', id: yes, label: ask.say('tasks.buttons.showAll'), look: 'danger' },
        { type: 'button', id: showMeId(id), label: ask.say('tasks.buttons.showMe') },
      ],
    };
  },
};

export const showAllButton: Button<Services> = {
  ...SHOW_ALL,
  answers: 'openly',
  run: ({ args }, ask) => bring(args, ask, ({ requesterId }) => requesterId === ask.place.userId),
};

type Showable = Awaited<ReturnType<typeof seenTask>>;

/** Ids can be forged, so whether it may be shown this way is asked of the task. */
async function bring(
  args: readonly string[],
  ask: Ask<Services>,
  mayBeShown: (task: Showable) => boolean,
): Promise<Outcome> {
  const task = await seenTask(taskIn(args), ask);
  if (!isShowable(task) || !mayBeShown(task)) throw new Refusal('refusals.noResult');
  const brought = await ask.services.brought(task, ask.place);
  return { ...brought, shown: (message) => noted(task, message, ask) };
}

/** Once it stands there: its owner has it now, and what others see is remembered, so that it can be deleted with the rest. */
async function noted(
  { id, requesterId }: Showable,
  message: MessagePlace | undefined,
  { place, origin, services }: Ask<Services>,
): Promise<void> {
  const { guildId } = place;
  await services.tasks.change(id, (task) => {
    const known = requesterId === place.userId ? collected(task) : task;
    return message && !origin.route.isPrivate
      ? shownBeside(known, { ...message, ...(guildId !== undefined && { guildId }) })
      : known;
  });
}
