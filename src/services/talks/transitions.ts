import { answered, answerOf, brokenOff, summed, type TakenBack, withAnswer } from '../asks/transitions.ts';
import type { RealtimeResponse } from '../gateway/realtime/events.ts';
import type { Voice } from '../tasks/answer.ts';
import { hasEnded, type Talk, type TalkEnd, type Task } from '../tasks/task.ts';

/** More than any conversation has; far fewer are restored. */
const MOST_TURNS = 500;

export const talkOf = ({ talk, times }: Task): Talk => talk ?? { turns: [], heardAt: times.accepted ?? times.created };

export function underWay(task: Task): Task {
  if (hasEnded(task) || (task.state === 'running' && task.talk)) return task;
  return { ...task, state: 'running', talk: talkOf(task) };
}

export function turnTaken(task: Task, said: string, at: number): Task {
  const talk = talkOf(task);
  if (talk.turns.includes(said)) return task;
  const turns = [...talk.turns, said].slice(-MOST_TURNS);
  return { ...task, talk: { ...talk, turns, heardAt: Math.max(talk.heardAt, at) } };
}

export function turnGone(task: Task, said: string): Task {
  const { talk } = task;
  if (!talk?.turns.includes(said)) return task;
  return { ...task, talk: { ...talk, turns: talk.turns.filter((id) => id !== said) } };
}

export function talkOver(task: Task, end: TalkEnd, now: number): Task {
  if (hasEnded(task)) return task;
  return { ...task, state: 'ready', talk: { ...talkOf(task), end }, times: { ...task.times, ended: now } };
}

export function heardAs(task: Task, heard: string): Task {
  return hasEnded(task) || answerOf(task).heard === heard ? task : withAnswer(task, { heard });
}

interface Outcome {
  response: RealtimeResponse;
  /** Text or audio has come. */
  isAnything: boolean;
  voice: Voice | undefined;
  takenBack: TakenBack | undefined;
}

/** The whole answer, however it ended: text, voice and usage are stored in one change. */
export function concluded(task: Task, { response, isAnything, voice, takenBack }: Outcome, now: number): Task {
  if (hasEnded(task)) return task;
  const { text, end, error, reason } = response;
  const all = withAnswer(counted(task, response, isAnything), {
    draft: text || answerOf(task).draft,
    ...(voice && { voice }),
  });
  if (end === 'completed') return answered(all, undefined, now);
  if (end === 'incomplete') return answered(all, reason ?? '', now);
  const cause = takenBack ?? (end === 'failed' ? 'failed' : 'cut');
  return brokenOff(all, cause, takenBack === 'stopped' ? undefined : error, now);
}

/** A response is counted once, however often it is reported. */
function counted(task: Task, { id, usage }: RealtimeResponse, isAnything: boolean): Task {
  const { counted: known = [], tokens } = answerOf(task);
  if (known.includes(id) || (!usage && !isAnything)) return task;
  return withAnswer(task, { counted: [...known, id], tokens: summed(tokens, usage) });
}
