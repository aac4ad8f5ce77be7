import { answerOf, wordsOf } from '../asks/transitions.ts';
import type { EarlierTurn } from '../gateway/realtime/events.ts';
import type { Task } from '../tasks/task.ts';

/** A model takes in so much without being slow or dear; what came before is left out, the oldest first. */
const MOST_TURNS = 20;
const MOST_LETTERS = 60_000;
/** Stands for a sound that the gateway did not write down: without it the answer to it would come from nowhere. */
const NOT_WRITTEN_DOWN = '[A spoken message that was not written down.]';

/** The conversation so far, for a session that did not hear it. What is gone, or not to be remembered, is left out. */
export async function earlierIn(
  { talk }: Task,
  get: (id: string) => Promise<Task | undefined>,
): Promise<EarlierTurn[]> {
  const turns: EarlierTurn[][] = [];
  let letters = 0;
  for (const id of talk?.turns.toReversed() ?? []) {
    if (turns.length === MOST_TURNS) break;
    const task = await get(id);
    if (task?.kind !== 'said' || task.unwanted || answerOf(task).isForgotten) continue;
    const turn = turnOf(task);
    letters += turn.reduce((sum, { text }) => sum + text.length, 0);
    if (letters > MOST_LETTERS) break;
    turns.push(turn);
  }
  return turns.reverse().flat();
}

function turnOf(task: Task): EarlierTurn[] {
  const { prompt, sound } = task.request;
  const { heard = sound === undefined ? undefined : NOT_WRITTEN_DOWN } = answerOf(task);
  const said = [prompt, heard].filter((words) => typeof words === 'string' && words !== '').join('\n\n');
  const text = wordsOf(task);
  return [{ by: 'member', text: said }, ...(text === '' ? [] : [{ by: 'model' as const, text }])];
}
