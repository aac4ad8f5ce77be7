import { customIds, type FormOrigin } from '../../discord/custom-ids.ts';
import {
  type ButtonPlan,
  buttonPlan,
  choiceField,
  type FieldPlan,
  type FormPlan,
  type FormValues,
} from '../../discord/plan.ts';
import { withoutUndefined } from '../../lib/entries.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import type { KindView, MessageContext } from '../../messages/kind-view.ts';
import { loadForForm, pressedTask, submitOrder } from '../../messages/pressed-task.ts';
import { promptFields, promptIn } from '../../messages/prompt-form.ts';
import { meaningOfAction } from '../../services/tasks/actions.ts';
import type { MemberFile } from '../../services/tasks/materials.ts';
import type { Task } from '../../services/tasks/task.ts';
import { assertHasResult, editablePrompt, editedPrompt, hasResult } from '../../services/tasks/task-facts.ts';
import { actionOf, typeOf } from '../../services/tasks/task-type.ts';
import { type Context, on } from '../feature.ts';
import { imagesOfForm, keepImages, resultNote } from '../form-images.ts';
import { imagesOfResult } from '../options.ts';
import { type FollowUp, followUpFields } from './follow-ups.ts';
import { motions } from './request.ts';

/** The gateway's endpoint for videos of the image-prompt family. Like a button, it may be refused. */
export const VIDEO_ENDPOINT = 'submit/video';

/** What this endpoint can make from a result: a video from one image, or an extended video. */
function videoAction(task: Task): 'animate' | 'extend' | undefined {
  if (!hasResult(task) || task.remoteId === undefined) return undefined;
  const { media } = task;
  const family = task.kind === 'animate' ? task.kind : actionOf(task)?.family;
  if (family === 'animate' || family === 'extend')
    return media.length > 0 && media.every((medium) => medium.kind === 'video') ? 'extend' : undefined;
  return typeOf(task) === 'upscale' && media.length === 1 && media[0]?.kind === 'image' ? 'animate' : undefined;
}

/** Opens the form that makes a video from an image or extends a video, if the gateway has no working button for it. */
const animateOpener = on(customIds.animate, {
  async open(taskId, context, pressedMessage) {
    // Do not open the form if the gateway refused the endpoint a moment ago.
    if (!context.services.tasks.offers.isOffered(VIDEO_ENDPOINT)) throw new Refusal('gateway.not-offered');
    const task = await loadForForm(pressedTask(taskId, context), context);
    if (videoAction(task) === 'extend') return formFor({ from: 'task', taskId, draftId: undefined }, task, context.say);
    assertHasResult(task);
    if (videoAction(task) !== 'animate') throw new Refusal('refusals.noResult');
    // The file on the message exists as long as the message does; the gateway's copy may be gone.
    const draftId = await keepImages(imagesOfResult(task, pressedMessage).slice(0, 1), context);
    return formFor({ from: 'task', taskId, draftId }, task, context.say);
  },
});

function formFor(origin: FormOrigin, task: Task, say: Say): FormPlan {
  const id = customIds.animateFilled.id(origin);
  return videoAction(task) === 'extend'
    ? extendForm({ id, words: editablePrompt(task), count: task.media.length }, say)
    : animateForm({ id, task }, say);
}

/** Such a form is only opened from a result. */
function pressedResult(origin: FormOrigin, context: Context): Promise<Task> {
  if (origin.from !== 'task') throw new Refusal('refusals.unknownButton');
  return pressedTask(origin.taskId, context);
}

const animateSubmit = on(customIds.animateFilled, {
  reply: 'new-message',
  onlyOrders: true,
  reopen: async (origin, context) =>
    formFor(origin, await loadForForm(pressedResult(origin, context), context), context.say),
  parse: animateValues,
  async run(origin, context, values) {
    const parent = await pressedResult(origin, context);
    const image = origin.draftId === undefined ? undefined : (await imagesOfForm(origin, context)).images[0];
    return submitOrder(orderOf(parent, image, values), context);
  },
});

export const animateHandlers = [animateOpener, animateSubmit];

function animateValues({ fields, files }: FormValues) {
  const { loop = '', which: videoNumber = '1' } = fields;
  return {
    words: promptIn(fields),
    motion: motions.find((one) => one === fields.motion) ?? 'low',
    loop: loop === '' ? undefined : loop === 'yes',
    lastFrame: files.end?.[0],
    videoNumber: Number(videoNumber),
  };
}

function orderOf(
  parent: Task,
  image: MemberFile | undefined,
  { words, motion, loop, lastFrame, videoNumber }: ReturnType<typeof animateValues>,
): FollowUp<'animate'> {
  const action = videoAction(parent);
  if (action === undefined) throw new Refusal('refusals.noResult');
  const { of: taskId, prompt, typed = prompt, title = typed, spoiler } = followUpFields(parent);
  // Only the form of an extension starts with the prompt of its video.
  const edited = action === 'extend' && words !== '' ? editedPrompt(parent, words) : { prompt: words };
  const request = {
    ...edited,
    // Some gateways ask for the prompt again.
    ...(words !== '' && { words: edited.prompt, typedWords: words }),
    motion,
    ...withoutUndefined({ loop, title: words === '' ? title : undefined, spoiler }),
  };
  if (action === 'extend') {
    if (parent.media[videoNumber - 1] === undefined) throw new Refusal('refusals.unknownButton');
    return { kind: 'animate', parent, request: { ...request, extend: { taskId, index: videoNumber } } };
  }
  if (image === undefined) throw new Refusal('refusals.formGone');
  const images = [image, ...(lastFrame ? [lastFrame] : [])];
  return { kind: 'animate', parent, request: { ...request, pictures: images } };
}

function animateForm({ id, task }: { id: string; task: Task }, say: Say): FormPlan {
  const loop = choiceField('loop', say('animate.loop'), ['yes', 'no'], (value) => say(`animate.loops.${value}`));
  return {
    id,
    title: say('animate.title'),
    fields: [
      resultNote(task, say),
      { type: 'text', name: 'words', label: say('animate.prompt'), hint: say('animate.promptHint'), isLong: true },
      motionField(say),
      { ...loop, required: false },
      { type: 'file', name: 'end', accept: ['image'], label: say('animate.lastFrame') },
    ],
  };
}

function extendForm({ id, words, count }: { id: string; words: string; count: number }, say: Say): FormPlan {
  const numbers = Array.from({ length: count }, (_, index) => String(index + 1));
  const whichField = choiceField(
    'which',
    say('animate.which'),
    numbers,
    (number) => say('animate.video', { number }),
    '1',
  );
  return {
    id,
    title: say('animate.extendTitle'),
    fields: [
      ...promptFields(words, { label: say('animate.prompt') }, say),
      motionField(say),
      ...(count > 1 ? [whichField] : []),
    ],
  };
}

const motionField = (say: Say): FieldPlan =>
  choiceField('motion', say('animate.motion'), motions, (value) => say(`animate.motions.${value}`), 'low');

/** The view of an animation. `videoButtons` offers to extend it, if the gateway has no working button for that. */
export const animateView: KindView<'animate'> = {
  facts: ({ request: { motion, loop } }, say) => [
    `-# ${[say(`task.animate.${motion}`), ...(loop ? [say('task.animate.loop')] : [])].join(' · ')}`,
  ],
  moreButtons: videoButtons,
};

export function videoButtons(task: Task, offering: MessageContext, say: Say): ButtonPlan[] {
  const action = videoAction(task);
  if (action === undefined || !offering.isOffered(VIDEO_ENDPOINT)) return [];
  const hasGatewayButton = task.actions.some(
    ({ customId }) => meaningOfAction(customId).family === action && offering.isOffered(customId),
  );
  if (hasGatewayButton) return [];
  const options = { emoji: '🎞️', startsRow: true };
  return [buttonPlan(say(`task.buttons.${action}`), customIds.animate.id(task.id), options)];
}
