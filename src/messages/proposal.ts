import { customIds } from '../discord/custom-ids.ts';
import { escapeText, inlineCode } from '../discord/markdown.ts';
import { buttonPlan, type MessagePlan } from '../discord/plan.ts';
import { durationText } from '../lib/formats.ts';
import type { Say } from '../locales/index.ts';
import { measuresOf } from '../services/money/measures.ts';
import { type Outlook, slowSeconds } from '../services/orders/outlook.ts';
import type { Proposal, ProposedOrder } from '../services/orders/proposals.ts';
import type { CommonRequest } from '../services/tasks/kind-spec.ts';
import { estimateText } from './money.ts';
import { actionNameOf } from './task-name.ts';

export interface ProposalReason {
  /** Why the member is asked, shown before the price. */
  reason: string;
  /** The label of the button that submits. */
  run?: string;
}

/** Asks a member whether orders are to be submitted. */
export function proposalQuestion(
  { id, orders, price, batch, hidesPrompt, until, ...bounds }: Proposal,
  { reason, run: runLabel, hasRisen = false, outlook }: ProposalReason & { hasRisen?: boolean; outlook: Outlook },
  say: Say,
): MessagePlan {
  const cost = price === undefined ? say('cost.unknown') : estimateText({ ...bounds, amount: price }, say);
  const runAll = orders.length === 1 ? say('proposal.run') : say('proposal.runAll', { count: orders.length });
  return {
    content: [
      ...(hidesPrompt ? [] : [...requestLines(orders, say), ...optionLines(orders, say)]),
      ...(hasRisen ? [say('proposal.risen')] : []),
      reason,
      ...outlookNotes(orders, outlook, say),
      say('proposal.cost', { cost, count: orders.length, until: Math.floor(until / 1000) }),
    ].join('\n'),
    controls: [
      buttonPlan(runLabel ?? runAll, customIds.runProposal.id(id), { style: 'primary' }),
      ...(batch && orders.length > 1 ? [buttonPlan(say('batch.buttons.showAll'), customIds.showPrompts.id(id))] : []),
      ...(batch?.asTyped ? [buttonPlan(say('batch.buttons.asTyped'), customIds.runAsTyped.id(id))] : []),
      buttonPlan(say('task.buttons.cancel'), customIds.cancelProposal.id(id)),
    ],
  };
}

/** What a member should know before confirming orders: which models are slow or failing. */
function outlookNotes(orders: readonly ProposedOrder[], outlook: Outlook, say: Say): string[] {
  const notes = orders.flatMap((order) => {
    const { typicalMs, failingModel } = outlook.prospectOf(order);
    if (failingModel) {
      const since = Math.floor(failingModel.since / 1000);
      const { model } = failingModel;
      if (model === undefined) return [say('outlook.failingKind', { since })];
      return [say('outlook.failingModel', { model: inlineCode(model), since })];
    }
    const duration = slowSeconds(typicalMs);
    return duration === undefined ? [] : [say('outlook.slow', { duration })];
  });
  return [...new Set(notes)];
}

/** All requests together must leave space for the rest of the message. */
const MAX_PROMPTS_LENGTH = 1_200;
const MAX_PROMPT_LENGTH = 300;

/** Everything that would be submitted. */
export function requestLines(orders: readonly ProposedOrder[], say: Say): string[] {
  const max = Math.min(MAX_PROMPT_LENGTH, Math.floor(MAX_PROMPTS_LENGTH / orders.length));
  return orders.map((order) => requestLine(order, max, say)).filter((line) => line !== '');
}

const MAX_MODEL_LENGTH = 200;
const MAX_OPTION_LENGTH = 60;

/** The models and options that the prices depend on. */
function optionLines(orders: readonly ProposedOrder[], say: Say): string[] {
  const lines = new Set(orders.map(({ request }) => optionLine(request, say)).filter((line) => line !== ''));
  return [...lines].map((line) => `-# ${line}`);
}

function optionLine(request: CommonRequest, say: Say): string {
  const aspects = 'aspectRatio' in request ? [String(request.aspectRatio)] : [];
  const { size = aspects, resolution = [], seconds, mode = [] } = measuresOf(request);
  const option = (text: string): string => escapeText(text, MAX_OPTION_LENGTH);
  return [
    ...(request.model ? [say('task.facts.model', { model: escapeText(request.model, MAX_MODEL_LENGTH) })] : []),
    ...[...size, ...resolution].map((text) => say('video.facts.size', { size: option(text) })),
    ...(seconds === undefined ? [] : [durationText(Number(seconds), say)]),
    ...mode.map((text) => say('video.facts.mode', { mode: option(text) })),
  ].join(' · ');
}

function requestLine(order: ProposedOrder, max: number, say: Say): string {
  const { title, typed, words, prompt = '' } = order.request;
  const name = escapeText(words ?? title ?? typed ?? prompt, max);
  const label = actionNameOf(order, say);
  if (name === '') return label ?? '';
  return label === undefined ? `**${name}**` : say('labeled', { label, value: `**${name}**` });
}
