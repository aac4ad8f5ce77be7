import { customIds, proposalUses } from '../../discord/custom-ids.ts';
import { reasonText, refusalMessage } from '../../discord/funnel.ts';
import { escapeText, subjectLink } from '../../discord/markdown.ts';
import { type ButtonPlan, buttonPlan } from '../../discord/plan.ts';
import { newWords } from '../../lib/new-words.ts';
import { asSentence } from '../../lib/text.ts';
import type { Say } from '../../locales/index.ts';
import { MAX_EFFORT_LENGTH } from '../../services/conversations/ask-request.ts';
import { type CostlyTool, parseArguments } from '../../services/conversations/ask-tools.ts';
import { answerOf, answerText, callsOf, waitingCalls } from '../../services/conversations/ask-transitions.ts';
import { isProposing, proposalsOf } from '../../services/conversations/prompt-help.ts';
import type { AnswerCall } from '../../services/tasks/answer.ts';
import { hasEnded, isOfKind, type Task } from '../../services/tasks/task.ts';
import { titleOf } from '../../services/tasks/task-facts.ts';
import { estimateText } from '../money.ts';
import { unconfirmedButtons } from '../task-buttons.ts';

/** The differences between the answers of `/ask` and those of a live conversation. */
export interface AnswerStyle {
  /** The question, shortened to `max` characters. */
  title(task: Task, max: number, say: Say): string;
  /** Small lines below the title. */
  facts(task: Task, parentLink: string | undefined, say: Say): string[];
  /** Whether the answer belongs to a live conversation, which has its own messages for failures. */
  isTalk: boolean;
  stoppedText(task: Task, say: Say): string;
  buttons(task: Task, say: Say): ButtonPlan[];
}

const MAX_MODEL_LENGTH = 60;
const MAX_REASON_LENGTH = 160;

export const askStyle: AnswerStyle = {
  title: (task, max) => escapeText(titleOf(task), max),
  facts(task, parentLink, say) {
    const { model = '', request } = task;
    const effort =
      request.effort === undefined
        ? ''
        : ` · ${say('ask.effort', { effort: escapeText(request.effort, MAX_EFFORT_LENGTH) })}`;
    const aboutLink = subjectLink(task);
    const { help, language = '' } = isOfKind('ask', task) ? task.request : {};
    return [
      say('ask.facts', { model: escapeText(model, MAX_MODEL_LENGTH) }) + effort,
      ...(help === undefined
        ? []
        : [say(`prompt.facts.${help}`, { language: escapeText(language, MAX_MODEL_LENGTH) })]),
      ...(parentLink === undefined ? [] : [say('ask.title', { link: parentLink })]),
      ...(isOfKind('ask', task) && task.request.startsAnew ? [say('ask.startsAnew')] : []),
      ...(aboutLink === undefined ? [] : [say('ask.about.link', { link: aboutLink })]),
    ];
  },
  isTalk: false,
  stoppedText: (_task, say) => say('ask.stopped'),
  buttons: answerButtons,
};

export function failureText(task: Task, { isTalk, stoppedText }: AnswerStyle, say: Say): string {
  const { cause, reason: failureReason, refusal } = task.failure ?? {};
  switch (cause) {
    case 'stopped':
      return refusal ? refusalMessage(refusal, say) : stoppedText(task, say);
    case 'interrupted':
      return say(isTalk ? 'talk.interrupted' : 'ask.interrupted');
    case 'cut':
      return say(isTalk ? 'talk.cut' : 'ask.cut');
    case 'dismissed':
      return say('task.dismissed');
    case 'refused':
      return refusal ? refusalMessage(refusal, say) : say('ask.failedSilently');
    default: {
      const reason = asSentence(escapeText(reasonText(failureReason, say), MAX_REASON_LENGTH));
      if (reason === '') return say(isTalk ? 'talk.failedSilently' : 'ask.failedSilently');
      return say(isTalk ? 'talk.failed' : 'ask.failed', { reason });
    }
  }
}

export function incompleteText(rawReason: string, { isTalk }: AnswerStyle, say: Say): string {
  const reason = escapeText(rawReason, MAX_REASON_LENGTH);
  if (reason === '') return say(isTalk ? 'talk.incomplete' : 'ask.incomplete');
  return say(isTalk ? 'talk.incompleteBecause' : 'ask.incompleteBecause', { reason });
}

function answerButtons(task: Task, say: Say): ButtonPlan[] {
  const { id, state } = task;
  if (state === 'unconfirmed') return unconfirmedButtons(task, say);
  if (state === 'submitting') return [];
  const stop = buttonPlan(say('ask.buttons.stop'), customIds.stop.id(id), { emoji: '⏹️' });
  if (!hasEnded(task)) return [...decisionButtons(task, say), stop];
  const remove = buttonPlan(say('task.buttons.delete'), customIds.delete.id(id), { emoji: '🗑️' });
  if (task.failure?.cause === 'dismissed') return [remove];
  const retry = task.failure ? [buttonPlan(say('task.buttons.retry'), customIds.retry.id(id), { emoji: '🔁' })] : [];
  const details = buttonPlan(say('ask.buttons.details'), customIds.details.id(id));
  if (isOfKind('ask', task) && task.request.help) {
    const proposals = promptUseButtons(task, say);
    const isEmpty = proposals.length === 0 && isProposing(task) && !task.failure;
    const again = isEmpty ? [buttonPlan(say('task.buttons.same'), customIds.repeat.id(id), { emoji: '🔁' })] : retry;
    return [...proposals, ...again, { ...details, startsRow: again.length === 0 }, remove];
  }
  if (answerText(task) === '' || answerOf(task).isForgotten) return [...retry, details, remove];
  return [
    buttonPlan(say('ask.buttons.continue'), customIds.continueConversation.id(id), { style: 'primary' }),
    ...retry,
    buttonPlan(say('ask.buttons.forget'), customIds.endConversation.id(id)),
    details,
    remove,
  ];
}

/** Buttons for tool calls that cost money, which are only carried out once the owner confirms them. */
function decisionButtons(task: Task, say: Say): ButtonPlan[] {
  return waitingCalls(task).flatMap((call): ButtonPlan[] => {
    const number = String(numberOf(task, call));
    const hasOthers = proposalCount(task) > 1;
    const pointer = { taskId: task.id, index: callsOf(task).indexOf(call) + 1 };
    return [
      buttonPlan(
        hasOthers ? say('ask.buttons.yesNumbered', { number }) : say('ask.buttons.yes'),
        customIds.allow.id(pointer),
        { style: 'good' },
      ),
      buttonPlan(
        hasOthers ? say('ask.buttons.noNumbered', { number }) : say('ask.buttons.no'),
        customIds.decline.id(pointer),
      ),
    ];
  });
}

/** Also counts proposals that were decided, so that the others keep their numbers. */
const proposalCount = (task: Task): number =>
  (answerOf(task).rounds.at(-1)?.calls ?? []).filter(({ name }) => name === 'make_image' || name === 'make_video')
    .length;

const MAX_PROMPT_LENGTH = 90;
const MAX_LINES = 5;

/** The model's tool calls and their outcomes. Those that wait for a decision are numbered. */
export function callLines(task: Task, say: Say): string[] {
  const undecidedCalls = waitingCalls(task);
  const { rounds } = answerOf(task);
  const decidedCalls = rounds.flatMap(({ calls }) => calls.filter(({ state }) => state !== 'waiting'));
  const shownLines = decidedCalls.slice(0, MAX_LINES).map((call) => `-# 🔧 ${callLine(call, say)}`);
  const more =
    decidedCalls.length > MAX_LINES ? [`-# ${say('ask.calls.more', { count: decidedCalls.length - MAX_LINES })}`] : [];
  if (undecidedCalls.length === 0 || task.failure) return [...shownLines, ...more];
  const waitingLines = undecidedCalls.map((call) => {
    const line = callLine(call, say);
    return proposalCount(task) > 1 ? `${numberOf(task, call)}. ${line}` : line;
  });
  // Pending decisions come first, so that they are always visible.
  return [say('ask.calls.asked'), ...waitingLines, ...shownLines, ...more];
}

/** The position of a call in its response, counted from 1. It does not change when other calls are decided. */
const numberOf = (task: Task, { callId }: AnswerCall): number =>
  (answerOf(task).rounds.at(-1)?.calls ?? []).findIndex((one) => one.callId === callId) + 1;

function callLine(call: AnswerCall, say: Say): string {
  switch (call.name) {
    case 'make_image':
    case 'make_video':
      return generationLine(call, call.name, say);
    case 'find_models':
      return say('ask.calls.find_models', {
        text: escapeText(parseArguments(call.name, call.arguments)?.text ?? '', MAX_PROMPT_LENGTH),
      });
    case 'list_my_tasks':
      return say('ask.calls.list_my_tasks');
    default:
      return say('ask.calls.other', { name: escapeText(call.name, MAX_PROMPT_LENGTH) });
  }
}

function generationLine({ state, price, arguments: rawArguments }: AnswerCall, tool: CostlyTool, say: Say): string {
  const { prompt = '', model } = parseArguments(tool, rawArguments) ?? {};
  const name = escapeText(prompt, MAX_PROMPT_LENGTH);
  const promptText =
    model === undefined ? name : say('withDetail', { name, detail: escapeText(model, MAX_PROMPT_LENGTH) });
  if (state !== 'waiting' || !price) return say(`ask.calls.${tool}.${state}`, { prompt: promptText });
  const cost = estimateText(price, say);
  return say(`ask.priced.${tool}`, { prompt: promptText, cost });
}

/** More than a whole prompt takes with all of its characters escaped. */
const MAX_LENGTH = 13_000;

export const proposalText = (task: Task): string =>
  proposalsOf(task)
    .map((proposal, index) => `${index + 1}. ${withNewInBold(task.request.prompt ?? '', proposal)}`)
    .join('\n\n');

/** Each word is bold by itself, because a long text is split between words. A text without a word in common has no bold words. */
function withNewInBold(original: string, proposal: string): string {
  const words = newWords(original, proposal) ?? [];
  if (words.every(({ isNew }) => isNew)) return escapeText(proposal, MAX_LENGTH);
  return words
    .map(({ word, isNew }) => (isNew ? `**${escapeText(word, MAX_LENGTH)}**` : escapeText(word, MAX_LENGTH)))
    .join(' ');
}

/** A row for each proposal. */
function promptUseButtons(task: Task, say: Say): ButtonPlan[] {
  const proposals = proposalsOf(task);
  return proposals.flatMap((_, index) =>
    proposalUses.map((use) => {
      const name = say(`prompt.uses.${use}`);
      const label = proposals.length === 1 ? name : `${name} ${index + 1}`;
      return buttonPlan(label, customIds.useProposal.id({ taskId: task.id, index, use }), {
        startsRow: use === proposalUses[0],
      });
    }),
  );
}
