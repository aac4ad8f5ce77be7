import { customIds } from '../../discord/custom-ids.ts';
import { requirePostPermissions } from '../../discord/guards.ts';
import { mayManageMessages } from '../../discord/interaction-facts.ts';
import { escapeText, inlineCode } from '../../discord/markdown.ts';
import type { FormPlan, MessagePlan } from '../../discord/plan.ts';
import { listText } from '../../lib/formats.ts';
import { Refusal, throwIfRefusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import { costOfTask } from '../../messages/money.ts';
import { loadForForm, ownTask, pressedTask, requireKind } from '../../messages/pressed-task.ts';
import { sourcesText } from '../../messages/sources.ts';
import { MAX_EFFORT_LENGTH } from '../../services/conversations/ask-request.ts';
import { type CostlyTool, decidedOutputs, parseArguments } from '../../services/conversations/ask-tools.ts';
import { answerOf, answerText, callsOf } from '../../services/conversations/ask-transitions.ts';
import { MAX_PERSONA_NAME_LENGTH } from '../../services/orders/preference-set.ts';
import type { AnswerCall } from '../../services/tasks/answer.ts';
import type { TaskKind } from '../../services/tasks/kind-spec.ts';
import { hasEnded, isOfKind, type Task, type TaskOf } from '../../services/tasks/task.ts';
import type { OrderedRequest } from '../../services/tasks/transitions.ts';
import { maySeeCost, remainingForOwner } from '../account-access.ts';
import { type Context, on, type Services } from '../feature.ts';
import { imageRequest } from '../image/request.ts';
import { chooseModel } from '../options.ts';
import { videoOrder, videoRequest } from '../video/request.ts';
import { filesIn, nextQuestion, submitQuestion } from './questions.ts';

/** Submits a tool call of the model as if the member had used the command; the result appears in a new message. */
export const allowToolCall = on(customIds.allow, {
  reply: 'new-message',
  async run(pointer, context) {
    const { task, call } = await waitingCall(pointer, context);
    const name = costlyTool(call);
    const { origin, facts, services } = context;
    throwIfRefusal(requirePostPermissions(facts, { private: origin.route.isPrivate }));
    const order = await orderOf(name, call, services);
    await services.conversations.asks.approveCall(task.id, call.callId, decidedOutputs[name], () =>
      services.tasks.orders.submit({ ...origin, ...order, parent: task }),
    );
    return 'shown by delivery';
  },
});

export const declineToolCall = on(customIds.decline, {
  reply: 'here',
  async run(pointer, context) {
    const { task, call } = await waitingCall(pointer, context);
    await context.services.conversations.asks.declineCall(task.id, call.callId, decidedOutputs.declined);
    return 'shown by delivery';
  },
});

type CallPointer = Parameters<typeof customIds.allow.id>[0];

async function waitingCall({ taskId, index }: CallPointer, context: Context) {
  const task = requireKind('ask', await ownTask(taskId, context));
  const call = callsOf(task)[index - 1];
  if (call?.state !== 'waiting' || task.state !== 'needs-input') throw new Refusal('refusals.alreadyDecided');
  return { task, call };
}

function costlyTool({ name }: AnswerCall): CostlyTool {
  if (name === 'make_image' || name === 'make_video') return name;
  throw new Refusal('refusals.unknownButton');
}

async function orderOf(name: CostlyTool, call: AnswerCall, services: Services): Promise<OrderedRequest<TaskKind>> {
  const parsed = parseArguments(name, call.arguments);
  if (!parsed) throw new Refusal('refusals.unknownButton');
  const { prompt } = parsed;
  if (name === 'make_image') {
    const request = throwIfRefusal(imageRequest({ prompt }));
    return { kind: 'image', request: { ...request, model: await chooseModel('image', parsed.model, services) } };
  }
  const draft = throwIfRefusal(videoRequest({ prompt }));
  const model = await chooseModel('video', parsed.model, services);
  return videoOrder(draft, { model, fields: services.settings.gateway.fields });
}

const stopButton = on(customIds.stop, {
  reply: 'here',
  async run(taskId, context) {
    const task = await ownTask(taskId, context);
    if (!task.traits.isText || hasEnded(task)) throw new Refusal('refusals.notStoppable');
    const { asks, talks } = context.services.conversations;
    await (isOfKind('ask', task) ? asks.stop(task) : talks.stopAnswer(task));
    return 'shown by delivery';
  },
});

async function openQuestionForm(taskId: string, context: Context): Promise<FormPlan> {
  const task = requireKind('ask', await loadForForm(pressedTask(taskId, context), context));
  const { say } = context;
  return {
    id: customIds.continueConversationFilled.id(task.id),
    title: say('ask.form.title'),
    fields: [
      { type: 'text', name: 'words', label: say('ask.form.question'), isLong: true, required: true },
      { type: 'file', name: 'file', max: 2, label: say('ask.form.file'), hint: say('ask.form.fileHint') },
    ],
  };
}

const nextQuestionSubmit = on(customIds.continueConversationFilled, {
  reply: 'new-message',
  onlyOrders: true,
  reopen: openQuestionForm,
  parse({ fields, files }) {
    const prompt = (fields.words ?? '').trim();
    return prompt === '' ? new Refusal('refusals.promptMissing') : { prompt, ...filesIn(files.file ?? []) };
  },
  async run(taskId, context, question) {
    const continued = requireKind('ask', await pressedTask(taskId, context));
    const next = nextQuestion(question, continued, context.origin);
    return submitQuestion(next.question, next.previous, context);
  },
});

/** Deletes a reply to a message that was not answered. */
const deleteNoticeButton = on(customIds.deleteNotice, {
  reply: 'here',
  async run(memberId, { facts }) {
    if (facts.userId !== memberId && !mayManageMessages(facts)) throw new Refusal('refusals.notYoursToDelete');
    return 'deleted';
  },
});

const detailsButton = on(customIds.details, {
  reply: 'new-private',
  async run(taskId, context) {
    const task = requireKind('ask', await pressedTask(taskId, context));
    const { services, say } = context;
    const turns = await services.conversations.asks.countEarlierTurns(task);
    const canSeeCost = await maySeeCost(task, context);
    const cost = canSeeCost ? costOfTask(task, await services.tasks.ledger?.costOf(task), say) : undefined;
    const left = cost && remainingForOwner(task, context);
    const spent = [
      ...(cost === undefined ? [] : [say('ask.details.cost', { cost })]),
      ...(left === undefined ? [] : [say('ask.details.left', { left })]),
    ];
    return answerDetails(task, turns, spent, say);
  },
});

const MAX_MODEL_LENGTH = 200;

/** Values that the gateway has not reported are not guessed. */
function answerDetails(task: TaskOf<'ask'>, turns: number, spent: readonly string[], say: Say): MessagePlan {
  const { request, times } = task;
  const { rounds } = answerOf(task);
  const sources = sourcesText(request, say);
  const duration = Math.max(1, Math.round(((times.ended ?? times.created) - times.created) / 1000));
  const toolCallCount = rounds.reduce((sum, { calls }) => sum + calls.length, 0);
  const lines = [
    say('ask.details.model', { model: inlineCode(escapeText(task.model ?? '', MAX_MODEL_LENGTH)) }),
    ...(request.effort !== undefined
      ? [say('ask.details.effort', { effort: escapeText(request.effort, MAX_EFFORT_LENGTH) })]
      : []),
    ...tokenLines(task, say),
    ...spent,
    ...(times.ended === undefined ? [] : [say('ask.details.seconds', { duration })]),
    say('ask.details.characters', { count: answerText(task).length }),
    ...(toolCallCount === 0 ? [] : [say('ask.details.tools', { count: toolCallCount })]),
    ...(turns === 0 ? [] : [say('ask.details.turns', { count: turns })]),
    ...transcriptLines(task, say),
    ...leftOutLines(task, say),
    ...(request.instructions === undefined ? [] : [say('ask.details.instructions')]),
    ...(request.personaName === undefined
      ? []
      : [say('ask.details.persona', { name: escapeText(request.personaName, MAX_PERSONA_NAME_LENGTH) })]),
    ...(sources === undefined ? [] : [say('ask.details.sources', { sources })]),
    ...(request.schema === undefined ? [] : [say('ask.details.schema')]),
    say('ask.details.reference', { reference: inlineCode(task.id) }),
  ];
  return { page: { title: say('ask.details.title'), blocks: [lines.join('\n')] } };
}

const MAX_LISTED_FILES = 10;
const MAX_FILE_NAME_LENGTH = 60;
const MAX_TRANSCRIPT_LENGTH = 1_500;

function transcriptLines(task: Task, say: Say): string[] {
  const { heard } = answerOf(task);
  const { sound } = task.request;
  if (heard === undefined || !sound) return [];
  const name = escapeText(sound.name, MAX_FILE_NAME_LENGTH);
  return [say('ask.details.transcript', { name, text: escapeText(heard, MAX_TRANSCRIPT_LENGTH) })];
}

/** Lists the files of earlier questions that were not sent to the model again. */
function leftOutLines(task: Task, say: Say): string[] {
  const { leftOut = [] } = answerOf(task);
  const visibleFiles = leftOut.filter(({ why }) => why !== 'hidden');
  const hiddenCount = leftOut.length - visibleFiles.length;
  const lines = hiddenCount === 0 ? [] : [say('ask.details.leftOutHidden', { count: hiddenCount })];
  if (visibleFiles.length === 0) return lines;
  const shownFiles = visibleFiles.slice(0, MAX_LISTED_FILES).map(({ name, why }) => {
    const facts = { name: escapeText(name, MAX_FILE_NAME_LENGTH), detail: say(`ask.details.leftOutReasons.${why}`) };
    return say('withDetail', facts);
  });
  const count = visibleFiles.length - shownFiles.length;
  const listed = listText(shownFiles, say);
  const files = count === 0 ? listed : say('ask.details.leftOutMore', { files: listed, count });
  return [say('ask.details.leftOut', { files }), ...lines];
}

function tokenLines(task: Task, say: Say): string[] {
  const { input, cached, output, reasoning } = answerOf(task).tokens ?? {};
  if (input === undefined && output === undefined) return [say('ask.details.noTokens')];
  const counted = (count: number | undefined): string => count?.toLocaleString(say.language) ?? '?';
  return [
    say('ask.details.tokens', { input: counted(input), output: counted(output) }),
    ...(cached ? [say('ask.details.cached', { cached: counted(cached) })] : []),
    ...(reasoning ? [say('ask.details.reasoning', { reasoning: counted(reasoning) })] : []),
  ];
}

/** Ends a conversation, so that none of it is sent to a model again. */
const endConversationButton = on(customIds.endConversation, {
  reply: 'new-private',
  async run(taskId, context) {
    const { asks } = context.services.conversations;
    const { answers } = context.services.messages;
    answers.updateButtons(await asks.forget(requireKind('ask', await ownTask(taskId, context))));
    return { content: context.say('ask.forgotten') };
  },
});

/** Why a message was not answered, on the reply to it. Only its author has the draft. */
const reasonButton = on(customIds.showReason, {
  reply: 'new-private',
  run: async (draftId, { services, facts }) => ({
    content: await services.tasks.drafts.reason(draftId, facts.userId),
  }),
});

export const askButtons = [
  on(customIds.continueConversation, { open: openQuestionForm }),
  ...[nextQuestionSubmit, stopButton, detailsButton, endConversationButton, reasonButton, deleteNoticeButton],
];
