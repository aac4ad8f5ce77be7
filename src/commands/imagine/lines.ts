import { customIds } from '../../discord/custom-ids.ts';
import type { FormPlan } from '../../discord/plan.ts';
import { Refusal, throwIfRefusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import { loadForForm, pressedTask, propose, submitOrder } from '../../messages/pressed-task.ts';
import { promptForm, readPromptForm } from '../../messages/prompt-form.ts';
import { linesWithButtons } from '../../messages/result-lines.ts';
import { lineAt } from '../../services/tasks/result-text.ts';
import type { Task } from '../../services/tasks/task.ts';
import { spoilerOf } from '../../services/tasks/task-facts.ts';
import { on } from '../feature.ts';
import type { FollowUp } from './follow-ups.ts';
import { type ImagineRequest, imagineRequest } from './request.ts';

/** Opens the form of `/imagine` with one line of a description or a shortened prompt. */
const lineOpener = on(customIds.line, {
  async open({ taskId, index }, context) {
    const task = await loadForForm(pressedTask(taskId, context), context);
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
    const lines = linesWithButtons(parent.text ?? '');
    if (lines.length === 0) throw new Refusal('refusals.noResult');
    const orders = lines.map((prompt) => imagineOrder(parent, throwIfRefusal(imagineRequest({ prompt }))));
    const reason = context.say('task.lines.allAtOnce', { count: orders.length });
    const isPrivate = parent.route.isPrivate || pressedMessage.isPrivate;
    return propose(orders, { reason }, context, isPrivate ? 'private' : 'public');
  },
});

export const lineHandlers = [lineOpener, lineSubmit, allLinesButton];
