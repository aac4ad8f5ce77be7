import type { RealtimeResponse } from '../gateway/realtime-events.ts';
import type { Voice } from '../tasks/answer.ts';
import { hasEnded, type Talk, type TalkEnd, type Task } from '../tasks/task.ts';
import { answerOf, completeAnswer, endAnswerEarly, type StopReason, withAnswer, withUsage } from './ask-transitions.ts';

/** More turns than any conversation has; far fewer are restored. */
const MAX_TURNS = 500;

export const talkOf = ({ talk, times }: Task): Talk => talk ?? { turns: [], heardAt: times.accepted ?? times.created };

export function markRunning(task: Task): Task {
  if (hasEnded(task) || (task.state === 'running' && task.talk)) return task;
  return { ...task, state: 'running', talk: talkOf(task) };
}

export function addTurn(task: Task, utteranceId: string, time: number): Task {
  const talk = talkOf(task);
  if (talk.turns.includes(utteranceId)) return task;
  const turns = [...talk.turns, utteranceId].slice(-MAX_TURNS);
  return { ...task, talk: { ...talk, turns, heardAt: Math.max(talk.heardAt, time) } };
}

export function removeTurn(task: Task, utteranceId: string): Task {
  const { talk } = task;
  if (!talk?.turns.includes(utteranceId)) return task;
  return { ...task, talk: { ...talk, turns: talk.turns.filter((id) => id !== utteranceId) } };
}

export function endTalk(task: Task, end: TalkEnd, now: number): Task {
  if (hasEnded(task)) return task;
  return { ...task, state: 'ready', talk: { ...talkOf(task), end }, times: { ...task.times, ended: now } };
}

export function setTranscript(task: Task, heard: string): Task {
  return hasEnded(task) || answerOf(task).heard === heard ? task : withAnswer(task, { heard });
}

interface Outcome {
  response: RealtimeResponse;
  /** Whether text or audio has arrived. Such a response counts even if its usage is not known. */
  hasContent: boolean;
  voice: Voice | undefined;
  /** Undefined if the reply was not stopped by the bot or a member. */
  stopReason: StopReason | undefined;
  /** The cost of the response's tokens, if they have an exact price. */
  cost?: string | undefined;
}

/** Records the whole answer, however it ended: text, voice and usage are stored in one change. */
export function concludeAnswer(
  task: Task,
  { response, hasContent, voice, stopReason, cost }: Outcome,
  now: number,
): Task {
  if (hasEnded(task)) return task;
  const { text, end, error, reason } = response;
  const updated = withAnswer(countUsage(task, response, hasContent, cost), {
    draft: text || answerOf(task).draft,
    ...(voice && { voice }),
  });
  if (end === 'completed') return completeAnswer(updated, undefined, now);
  if (end === 'incomplete') return completeAnswer(updated, reason ?? '', now);
  const cause = stopReason ?? (end === 'failed' ? 'failed' : 'cut');
  return endAnswerEarly(updated, cause, stopReason === 'stopped' ? undefined : error, now);
}

/** A response is counted once, however often it is reported. */
function countUsage(task: Task, { id, usage }: RealtimeResponse, hasContent: boolean, cost: string | undefined): Task {
  const answer = answerOf(task);
  const { counted: countedIds = [] } = answer;
  if (countedIds.includes(id) || (!usage && !hasContent)) return task;
  return withAnswer(task, { counted: [...countedIds, id], ...withUsage(answer, usage, cost) });
}
