import type { MessageAddress, Task } from '../tasks/task.ts';

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
export function hearing(asker: Asker): (turn: Task) => boolean {
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
