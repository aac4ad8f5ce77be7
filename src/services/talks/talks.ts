import type { Kind } from '../tasks/kinds/kind.ts';
import type { TalkEnd } from '../tasks/talk.ts';
import type { Task } from '../tasks/task.ts';
import type { Tasks } from '../tasks/tasks.ts';

/** Live conversations, from the first word to the last. Knows nothing of where they take place. */
export class Talks {
  /** The conversation itself, and what is said in one. */
  readonly kinds: readonly Kind[] = [];

  /** Tasks know their kinds, and these kinds their tasks: one of the two comes first. */
  serve(_tasks: Tasks): void {
    throw new Error('To be made.');
  }

  /** The one that takes place in a channel and has not ended. Answers from memory. */
  in(_channelId: string): Task | undefined {
    throw new Error('To be made.');
  }

  /** Ends a conversation; what is being said is broken off. Nothing happens where it has ended. */
  end(_id: string, _why: TalkEnd): Promise<Task> {
    throw new Error('To be made.');
  }

  /** Breaks off one answer; what of it has come stays. */
  stop(_said: Task): Promise<void> {
    throw new Error('To be made.');
  }

  /** The bot is about to end: answers under way are told as interrupted, conversations stay. */
  finish(): Promise<void> {
    throw new Error('To be made.');
  }
}
