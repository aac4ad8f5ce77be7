import { z } from 'zod';
import { GatewayError, type GatewayErrorKind } from '../gateway/errors.ts';
import type { EarlierTurn } from '../gateway/realtime-events.ts';
import type { TaskBook } from '../orders/book.ts';
import { defineRequest, type KindSpec } from '../tasks/kind-spec.ts';
import type { Task } from '../tasks/task.ts';
import { answerOf, answerText } from './ask-transitions.ts';
import { memberLanguage } from './member-language.ts';

export const audiences = ['me', 'everyone'] as const;

const talkShape = defineRequest({
  model: z.string(),
  voice: z.string().optional(),
  instructions: z.string().optional(),
  who: z.enum(audiences),
  memberLanguage,
});

/** An utterance: text, audio, or both. */
const utteranceShape = defineRequest({
  talk: z.string(),
  model: z.string(),
});

export type TalkRequest = z.output<typeof talkShape>;
export type UtteranceRequest = z.output<typeof utteranceShape>;

declare module '../tasks/kind-spec.ts' {
  interface TaskRequests {
    talk: TalkRequest;
    said: UtteranceRequest;
  }
}

const talk: KindSpec<'talk'> = {
  request: talkShape.loose(),
  traits: { isTalk: true, modelKind: 'voice', hearsEveryone: ({ who }) => who === 'everyone' },
};
const utterance: KindSpec<'said'> = {
  request: utteranceShape.loose(),
  traits: { isPaid: true, isText: true, isListedByParent: true, isUtterance: true, modelKind: 'voice' },
};
export const talkSpecs = { talk, said: utterance };

/** Errors after which a conversation would be refused each time, because its model is gone or no longer allowed. */
const PERMANENT_ERRORS: ReadonlySet<GatewayErrorKind> = new Set(['invalid', 'not-found', 'forbidden', 'not-offered']);

export const isPermanentFailure = (error: unknown): boolean =>
  error instanceof GatewayError && PERMANENT_ERRORS.has(error.kind);

/** Long contexts make a model slow and expensive, so the oldest turns are left out. */
const MAX_TURNS = 20;
const MAX_CHARACTERS = 60_000;

/** Stands for an untranscribed utterance, so that its answer is not left without a question. */
const UNTRANSCRIBED = '[A spoken message that was not written down.]';

/** Returns the conversation so far, for a new connection. Deleted and forgotten turns are left out. */
export async function earlierTalkTurns(
  { talk }: Task,
  get: (id: string) => Promise<Task | undefined>,
): Promise<EarlierTurn[]> {
  const turns: EarlierTurn[][] = [];
  let characters = 0;
  for (const id of talk?.turns.toReversed() ?? []) {
    if (turns.length === MAX_TURNS) break;
    const task = await get(id);
    if (task?.kind !== 'said' || task.unwanted || answerOf(task).isForgotten) continue;
    const turn = turnOf(task);
    characters += turn.reduce((sum, { text }) => sum + text.length, 0);
    if (characters > MAX_CHARACTERS) break;
    turns.push(turn);
  }
  return turns.reverse().flat();
}

function turnOf(task: Task): EarlierTurn[] {
  const { prompt, sound } = task.request;
  const { heard = sound === undefined ? undefined : UNTRANSCRIBED } = answerOf(task);
  const memberText = [prompt, heard].filter((words) => words !== undefined && words !== '').join('\n\n');
  const text = answerText(task);
  return [{ by: 'member', text: memberText }, ...(text === '' ? [] : [{ by: 'model' as const, text }])];
}

export async function talkTurns({ talk }: Task, book: TaskBook): Promise<Task[]> {
  const turns: Task[] = [];
  for (const id of talk?.turns ?? []) {
    const turn = await book.get(id);
    if (turn) turns.push(turn);
  }
  return turns;
}
