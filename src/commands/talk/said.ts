import { Refusal } from '../../lib/refusal.ts';
import type { SaidRequest } from '../../services/talks/opening.ts';
import { hasEnded, type Task, type TaskOf } from '../../services/tasks/task.ts';
import { saysAnything } from '../prompt-option.ts';

interface Given {
  words: string;
  sound?: { address: string; name: string } | undefined;
}

export const isHeardIn = ({ requesterId, request }: TaskOf<'talk'>, memberId: string): boolean =>
  requesterId === memberId || request.who === 'everyone';

/** The conversation, where it goes on and this member is heard in it. */
export function openFor(
  talk: Task,
  { memberId, channelId }: { memberId: string; channelId: string | undefined },
): TaskOf<'talk'> {
  if (talk.kind !== 'talk') throw new Refusal('refusals.unknownButton');
  if (hasEnded(talk)) throw new Refusal('refusals.talkOver');
  if (!isHeardIn(talk, memberId)) throw new Refusal('refusals.talkOnlyOwner');
  // What it says has to be heard where it takes place.
  if (talk.channelId !== channelId) throw new Refusal('refusals.talkElsewhere');
  return talk;
}

/** Known before anything is shown to others. */
export const objectionTo = ({ words, sound }: Given): Refusal | undefined =>
  saysAnything(words) || sound ? undefined : new Refusal('refusals.talkNothing');

export function saidIn(talk: TaskOf<'talk'>, { words, sound }: Given): SaidRequest {
  const { model, isClosed } = talk.request;
  const prompt = saysAnything(words) ? words.trim() : undefined;
  return {
    ...{ talk: talk.id, model },
    ...(prompt !== undefined && { prompt }),
    ...(sound && { sound: { address: sound.address, name: sound.name } }),
    ...(isClosed && { isClosed }),
  };
}
