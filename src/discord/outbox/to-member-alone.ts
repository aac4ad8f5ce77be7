import type { BaseInteraction } from 'discord.js';
import { type Clock, pause } from '../../lib/clock.ts';
import type { Funnel } from '../funnel.ts';
import { TOKEN_LIFE_MS } from '../origin.ts';
import type { MessagePlan } from '../plan.ts';
import { isGone, isPassing, isTooLate, isUnsent } from './errors.ts';
import type { Responder } from './responder.ts';

interface Words {
  /** For the member alone. */
  plan: MessagePlan;
  /** For everybody, where nothing can be said in private before something else stands in public. */
  neutral: MessagePlan;
}

/**
 * Tells a member why nothing came of an interaction, and nobody else. The first follow-up after a public deferral takes the place of the
 * deferred message and is as public as that, and once the deferred message is deleted Discord may take no follow-up at all. So something neutral
 * is put there, the words follow in private, and then the neutral line goes, whatever became of the words.
 * The same holds for a message beside the answer.
 */
export async function toMemberAlone(
  responder: Responder,
  { plan, neutral }: Words,
  until: Until,
  beside?: { id: string; isPrivate: boolean },
): Promise<void> {
  const id = beside?.id;
  // A press has changed nothing, so its message stays as it is and the words come beside it.
  if (!beside && responder.stands === 'pressed message') return tellBeside(responder, plan, until);
  const isPublic = beside ? !beside.isPrivate : responder.stands === 'public answer';
  if (!isPublic) return persistently(() => (beside ? responder.edit(plan, id) : responder.tell(plan)), until);
  try {
    await persistently(() => unlessGone(responder.edit(neutral, id)), until);
    await tellBeside(responder, plan, until);
  } finally {
    await persistently(() => unlessGone(responder.takeAway(id)), until);
  }
}

/** Nothing keeps a follow-up from coming twice, so it is sent again only where it cannot have been heard. */
const tellBeside = (responder: Responder, plan: MessagePlan, until: Until): Promise<void> =>
  persistently(() => responder.tellBeside(plan), until, isUnsent);

/** Somebody may have been faster. */
async function unlessGone(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

const WHAT = 'a late word';

/** Speaks to the member of an interaction alone for as long as its token lasts; false where that could not be. */
export function lateWord(
  responder: Responder,
  { createdTimestamp }: BaseInteraction,
  { clock, funnel }: { clock: Clock; funnel: Funnel },
) {
  return async (plan: MessagePlan): Promise<boolean> => {
    if (clock.now() >= createdTimestamp + TOKEN_LIFE_MS) return false;
    try {
      await responder.tellBeside(plan);
      return true;
    } catch (error) {
      if (isTooLate(error)) funnel.tooLate(WHAT);
      else funnel.sentenceFor(error, WHAT);
      return false;
    }
  };
}

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;

export interface Until {
  clock: Clock;
  /** When there is nobody left to hear it. */
  until: number;
  stopping: AbortSignal;
}

/** Says what must be heard until Discord takes it: a refused order leaves no task behind that could tell it later. */
async function persistently(
  say: () => Promise<unknown>,
  { clock, until, stopping }: Until,
  isWorthAnother: (error: unknown) => boolean = isPassing,
): Promise<void> {
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(LONGEST_PAUSE_MS, wait * 2)) {
    try {
      await say();
      return;
    } catch (error) {
      if (!isWorthAnother(error) || stopping.aborted || clock.now() + wait >= until) throw error;
      await pause(clock, wait, stopping);
    }
  }
}
