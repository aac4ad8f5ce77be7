import { customIds } from '../../discord/custom-ids.ts';
import type { FormPlan } from '../../discord/plan.ts';
import { Refusal, throwIfRefusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import { loadForForm, ownTask, pressedTask, propose, submitOrder } from '../../messages/pressed-task.ts';
import { type PromptFormValues, promptForm, readPromptForm } from '../../messages/prompt-form.ts';
import { linesWithButtons } from '../../messages/result-lines.ts';
import { openEditForm } from '../../messages/shared-buttons.ts';
import type { WrittenWords } from '../../services/orders/words.ts';
import { customZoomIndex, meaningOfAction, zoomOf } from '../../services/tasks/actions.ts';
import { sides } from '../../services/tasks/materials.ts';
import { lineAt } from '../../services/tasks/result-text.ts';
import type { Task } from '../../services/tasks/task.ts';
import { assertHasResult, editablePrompt, editedWords, promptOf, spoilerOf } from '../../services/tasks/task-facts.ts';
import { type Context, on } from '../feature.ts';
import { flagSubjectRefusal, flagValueRefusal, hasZoom } from './flags.ts';
import { actionOrder, changeOrder, drawnRegion, type FollowUp, initialPrompt, sideRegion } from './follow-ups.ts';
import { type ImagineRequest, imagineRequest } from './request.ts';

/** Submits the action of a button that the gateway returned with a result. The new task belongs to the member who pressed it. */
const actionButton = on(customIds.action, {
  reply: 'new-message',
  onlyOrders: true,
  run: async ({ taskId, index }, context) =>
    submitOrder(actionOrder(await pressedTask(taskId, context), index), context),
});

const changeButton = on(customIds.change, {
  reply: 'new-message',
  onlyOrders: true,
  run: async ({ taskId, which }, context) =>
    submitOrder(changeOrder(await pressedTask(taskId, context), which), context),
});

/** A reroll with another prompt is a new request with that prompt. */
const rerollButton = on(customIds.reroll, {
  reply: 'new-message',
  onlyOrders: true,
  remix: { byDefault: false, open: openEditForm(customIds.editFilled) },
  async run(taskId, context) {
    const parent = await pressedTask(taskId, context);
    const index = parent.actions.findIndex(({ customId }) => meaningOfAction(customId).family === 'reroll');
    return submitOrder(index < 0 ? changeOrder(parent, 'R') : actionOrder(parent, index), context);
  },
});

/** The gateway takes no prompt for a fixed zoom, but one for the same Custom Zoom. */
const zoomButton = on(customIds.zoom, {
  reply: 'new-message',
  onlyOrders: true,
  remix: { byDefault: false, open: openPromptForm },
  run: async ({ taskId, index }, context) =>
    submitOrder(actionOrder(await pressedTask(taskId, context), index), context),
});

/** The gateway asks for a prompt, and gets that of the result if the member's settings do not want it opened. */
const remixButton = on(customIds.remix, {
  reply: 'new-message',
  onlyOrders: true,
  remix: { byDefault: true, open: openPromptForm },
  async run({ taskId, index }, context) {
    const parent = await pressedTask(taskId, context);
    const prompt = editablePrompt(parent);
    const written = prompt === '' ? undefined : editedWords(parent, prompt);
    return submitOrder(actionOrder(parent, index, written), context);
  },
});

/** Upscales all four images, with a task and a message each, once the member has confirmed it. */
const upscaleAllButton = on(customIds.upscaleAll, {
  reply: 'new-private',
  async run(taskId, context, { message: pressedMessage }) {
    const parent = await pressedTask(taskId, context);
    const orders = upscalesOf(parent);
    if (orders.length === 0) throw new Refusal('refusals.noResult');
    const reason = context.say('task.upscaleAll', { count: orders.length });
    const isPrivate = parent.route.isPrivate || pressedMessage.isPrivate;
    return propose(orders, { reason }, context, isPrivate ? 'private' : 'public');
  },
});

function upscalesOf(parent: Task) {
  if (parent.actions.length === 0)
    return (['U1', 'U2', 'U3', 'U4'] as const).map((followUp) => changeOrder(parent, followUp));
  return parent.actions.flatMap(({ customId: id }, index) =>
    meaningOfAction(id).family === 'upscale' ? [actionOrder(parent, index)] : [],
  );
}

/** Opens the form of an action that needs a prompt, before anything is sent to the gateway. A fixed zoom with a prompt is a Custom Zoom. */
async function openPromptForm({ taskId, index }: { taskId: string; index: number }, context: Context) {
  const task = await loadForForm(pressedTask(taskId, context), context);
  assertHasResult(task);
  const action = task.actions[index];
  if (!action) throw new Refusal('refusals.unknownButton');
  const sentIndex = zoomOf(meaningOfAction(action.customId)) === undefined ? index : customZoomIndex(task);
  const id = customIds.actionTextFilled.id({ taskId, index: sentIndex });
  const needsRegion = takesRegion(action.customId);
  return promptForm(
    { id, title: action.label, prompt: initialPrompt(task, index), hasRegion: needsRegion },
    context.say,
  );
}

const promptSubmit = on(customIds.actionTextFilled, {
  reply: 'new-message',
  onlyOrders: true,
  reopen: openPromptForm,
  parse: readPromptForm,
  async run({ taskId, index }, context, filled) {
    const parent = await pressedTask(taskId, context);
    const written = writtenWordsOf(filled, parent, parent);
    requireSendable(parent.actions[index]?.customId ?? '', written, initialPrompt(parent, index));
    return submitOrder(actionOrder(parent, index, written), context);
  },
});

async function openContinueForm(taskId: string, context: Context) {
  const task = await loadForForm(ownTask(taskId, context), context);
  if (task.state !== 'needs-input') throw new Refusal('refusals.promptNotNeeded');
  const needsRegion = task.kind === 'action' && takesRegion(task.request.customId);
  // The gateway's own version of a prompt has its suffix.
  const words = (task.request.suffix === undefined && task.finalPrompt) || editablePrompt(task);
  const id = customIds.continueFilled.id(task.id);
  return promptForm({ id, title: context.say('promptForm.title'), prompt: words, hasRegion: needsRegion }, context.say);
}

const continueSubmit = on(customIds.continueFilled, {
  reply: 'here',
  reopen: openContinueForm,
  parse: readPromptForm,
  async run(taskId, context, filled) {
    const task = await ownTask(taskId, context);
    const parent =
      task.parentId === undefined ? task : ((await context.services.tasks.book.get(task.parentId)) ?? task);
    const written = writtenWordsOf(filled, task, parent);
    requireSendable(task.kind === 'action' ? task.request.customId : '', written, promptOf(task));
    const { origin, services } = context;
    // A corrected form was opened from its refusal, so the task stays in its own message.
    const shownIn = origin.message ? origin : { ...origin, route: task.route };
    await services.tasks.words.provide(task.id, shownIn, written);
    return origin.message ? 'shown by delivery' : 'deleted';
  },
});

const takesRegion = (customId: string): boolean => meaningOfAction(customId).promptRequirement === 'with-region';

/** `initial`: the prompt that the form started with. One without words belongs to images, and can stay so. */
function requireSendable(customId: string, { words, region }: WrittenWords, initial: string): void {
  if (takesRegion(customId) && !region) throw new Refusal('refusals.regionMissing');
  if (meaningOfAction(customId).family === 'custom-zoom' && !hasZoom(words)) throw new Refusal('refusals.zoomMissing');
  throwIfRefusal(flagValueRefusal(words));
  throwIfRefusal(flagSubjectRefusal(words, flagSubjectRefusal(initial, false) !== undefined));
}

function writtenWordsOf({ prompt, side, maskFile }: PromptFormValues, prompted: Task, parent: Task): WrittenWords {
  const knownSide = sides.find((one) => one === side);
  if (maskFile && knownSide) throw new Refusal('refusals.regionBoth');
  const region = maskFile ? drawnRegion(parent, maskFile) : knownSide && sideRegion(parent, knownSide);
  return { ...editedWords(prompted, prompt), ...(region && { region }) };
}

/** Opens the form of `/imagine` with one line of a description or a shortened prompt. */
const lineOpener = on(customIds.line, {
  async open({ taskId, index }, context) {
    const task = await loadForForm(pressedTask(taskId, context), context);
    assertHasResult(task);
    const words = lineAt(task.text ?? '', index);
    if (words === undefined) throw new Refusal('refusals.unknownButton');
    return lineForm(task.id, words, context.say);
  },
});

const lineForm = (taskId: string, prompt: string, say: Say): FormPlan =>
  promptForm(
    { id: customIds.lineFilled.id(taskId), title: say('promptForm.imagineTitle'), prompt, hasRegion: false },
    say,
  );

const lineSubmit = on(customIds.lineFilled, {
  reply: 'new-message',
  onlyOrders: true,
  reopen: async (taskId, { say }) => lineForm(taskId, '', say),
  parse(filled) {
    const values = readPromptForm(filled);
    return values instanceof Refusal ? values : imagineRequest({ prompt: values.prompt });
  },
  async run(taskId, context, request) {
    const parent = await pressedTask(taskId, context);
    return submitOrder(imagineOrder(parent, request), context);
  },
});

/** Builds an order for images from a line. The gateway has buttons for this too, but they also need a prompt, and many gateways refuse them. */
function imagineOrder(parent: Task, request: ImagineRequest): FollowUp<'imagine'> {
  return { kind: 'imagine', parent, request: { ...request, ...spoilerOf(parent) } };
}

/** Generating images from every line submits several tasks, so the member confirms them first, privately. */
const allLinesButton = on(customIds.allLines, {
  reply: 'new-private',
  async run(taskId, context, { message: pressedMessage }) {
    const parent = await pressedTask(taskId, context);
    assertHasResult(parent);
    const lines = linesWithButtons(parent.text ?? '');
    if (lines.length === 0) throw new Refusal('refusals.noResult');
    const orders = lines.map((prompt) => imagineOrder(parent, throwIfRefusal(imagineRequest({ prompt }))));
    const reason = context.say('task.lines.allAtOnce', { count: orders.length });
    const isPrivate = parent.route.isPrivate || pressedMessage.isPrivate;
    return propose(orders, { reason }, context, isPrivate ? 'private' : 'public');
  },
});

export const imagineButtons = [
  ...[actionButton, rerollButton, zoomButton, remixButton, changeButton, upscaleAllButton],
  on(customIds.actionText, { open: openPromptForm }),
  on(customIds.continue, { open: openContinueForm }),
  ...[promptSubmit, continueSubmit, lineOpener, lineSubmit, allLinesButton],
];
