import type { MessageAddress, Task, TaskOf } from '../tasks/task.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { answerOf, wordsOf } from './transitions.ts';

/** Who asks, and where the answer will stand. An order tells it as well as the task that it becomes. */
export type Asker = Pick<Task, 'requesterId' | 'guildId' | 'channelId' | 'route'>;

type Place = Pick<MessageAddress, 'guildId'> & { channelId?: string | undefined };

/** Nobody but its member reads it: an ephemeral message, or a direct message with the bot. */
export const isForOneself = ({ route, guildId }: Asker): boolean =>
  route.isPrivate || (guildId === undefined && route.mayPost);

/** A server is one place. Outside of servers, each conversation between people is. */
const isSamePlace = (one: Place, other: Place): boolean =>
  one.guildId === other.guildId && (one.guildId !== undefined || one.channelId === other.channelId);

/** Whether it was asked where others could read it, or was shown to them later. */
function isShownIn(place: Place, turn: Task): boolean {
  const isOpen = !isForOneself(turn) && isSamePlace(turn, place);
  return isOpen || (turn.beside ?? []).some((copy) => isSamePlace(copy, place));
}

/**
 * Says of the turns of a conversation, newest first, which of them may be told again to whoever asks now. Where others read along, those
 * that stand there openly. Where nobody does, all of their own; and those of others that were shown where the asker has taken part.
 */
function hearing(asker: Asker): (turn: Task) => boolean {
  const places: Place[] = [asker];
  const isAlone = isForOneself(asker);
  return (turn) => {
    const isOwn = turn.requesterId === asker.requesterId;
    if (isAlone && isOwn) {
      if (!isForOneself(turn)) places.push(turn);
      return true;
    }
    return places.some((place) => isShownIn(place, turn));
  };
}

/** Instructions stand in no message, so that a copy of the answer shows them to nobody. */
export function mayInheritInstructions(turn: Task, asker: Asker): boolean {
  const isOwn = turn.requesterId === asker.requesterId;
  return (isOwn && isForOneself(asker)) || (!isForOneself(turn) && isSamePlace(turn, asker));
}

export interface Turn {
  prompt: string;
  text: string;
}

/** A model reads so much without being slow or dear; what came before is left out, the oldest first. */
const MOST_TURNS = 20;
const MOST_LETTERS = 60_000;
/** Whoever comes back later has begun something new. */
const GOES_ON_FOR_MS = 6 * 3_600_000;
/** So many of a member's newest answers are looked through for those of one place. */
const MOST_LOOKED_AT = 10;
/** And so many for those of one conversation. */
const MOST_OF_ONE = 200;

/** Conversations are answers that hang on each other, and nothing besides: what deletes the answers deletes them. */
export class Conversations {
  readonly #kept: Pick<TaskStore, 'get' | 'page'>;

  constructor(kept: Pick<TaskStore, 'get' | 'page'>) {
    this.#kept = kept;
  }

  /** Oldest first: those that may be told again where the asker asks. */
  async before(after: string | undefined, asker: Asker): Promise<Turn[]> {
    const turns: Turn[] = [];
    const mayBeTold = hearing(asker);
    let letters = 0;
    for (let id = after, seen = 0; id !== undefined && turns.length < MOST_TURNS && seen < MOST_OF_ONE; seen++) {
      const task = await this.#kept.get(id);
      if (task?.kind !== 'ask' || answerOf(task).isForgotten) break;
      id = task.request.after;
      if (!mayBeTold(task)) continue;
      const turn = { prompt: task.request.prompt, text: wordsOf(task) };
      letters += turn.prompt.length + turn.text.length;
      if (letters > MOST_LETTERS) break;
      turns.push(turn);
    }
    return turns.reverse();
  }

  /** The member's newest answer in a place, where they would expect to go on from it. */
  async newestOf(
    { memberId, channelId, isPrivate }: { memberId: string; channelId: string | undefined; isPrivate: boolean },
    now: number,
  ): Promise<TaskOf<'ask'> | undefined> {
    const { lines } = await this.#kept.page({ of: { memberId }, kind: 'ask', most: MOST_LOOKED_AT });
    for (const line of lines) {
      if (now - line.createdAt > GOES_ON_FOR_MS) return undefined;
      const task = await this.#kept.get(line.id);
      if (task?.kind !== 'ask' || task.channelId !== channelId || task.route.isPrivate !== isPrivate) continue;
      if (answerOf(task).isForgotten) return undefined;
      if (wordsOf(task) !== '' && task.times.ended !== undefined) return task;
    }
    return undefined;
  }

  /** Every answer of the same conversation that its member has. */
  async all({ id, rootId = id, requesterId }: Task): Promise<string[]> {
    const ids = new Set([id, rootId]);
    let before: string | undefined;
    for (let seen = 0; seen < MOST_OF_ONE; ) {
      const page = await this.#kept.page({ of: { memberId: requesterId }, kind: 'ask', most: 50, before });
      for (const line of page.lines) if ((await this.#kept.get(line.id))?.rootId === rootId) ids.add(line.id);
      seen += page.lines.length;
      before = page.next;
      if (before === undefined) break;
    }
    return [...ids];
  }
}
