import { ChannelType, RESTJSONErrorCodes as Code, DiscordAPIError, type REST, Routes } from 'discord.js';
import { isRecord } from '../../lib/exact-json.ts';
import type { PlainLog } from '../../lib/log.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { MessagePlace } from '../../services/tasks/task.ts';
import { bodyOf, type MessageBody } from '../adapter.ts';
import type { MessagePlan } from '../plan.ts';
import { factsOf, troubleOf } from './errors.ts';

/** Discord tidies a thread away by itself after an hour without a message, the shortest it knows. */
const TIDIED_AFTER_MINUTES = 60;
const LONGEST_NAME = 100;

/** Posts a message that appears once. */
type Post = (channelId: string, nonce: string, body: MessageBody) => Promise<MessagePlace | undefined>;

export interface ThreadWish {
  channelId: string;
  name: string;
  /** In channels for announcements threads have a kind of their own. */
  kind: 'public' | 'private' | 'announcement';
  /** Who is let in at once. */
  memberId: string;
}

const TYPES = {
  public: ChannelType.PublicThread,
  private: ChannelType.PrivateThread,
  announcement: ChannelType.AnnouncementThread,
} as const;

/** Makes threads, and says the first word in them. */
export class ThreadMaker {
  readonly #parts: { rest: REST; post: Post; log: PlainLog };

  constructor(parts: { rest: REST; post: Post; log: PlainLog }) {
    this.#parts = parts;
  }

  /** Its id; a refusal says why there is none. */
  async make({ channelId, name, kind, memberId }: ThreadWish): Promise<string> {
    const threadId = await this.#refusing(async () => {
      const body = {
        name: Array.from(name).slice(0, LONGEST_NAME).join(''),
        type: TYPES[kind],
        auto_archive_duration: TIDIED_AFTER_MINUTES,
        // Whoever it is for may not bring in others by naming them.
        ...(kind === 'private' && { invitable: false }),
      };
      return idIn(await this.#parts.rest.post(Routes.threads(channelId), { body }));
    });
    try {
      await this.#parts.rest.put(Routes.threadMembers(threadId, memberId));
    } catch (error) {
      this.#parts.log.info(factsOf(error), 'A member could not be let into a thread.');
      // What its member cannot see is of no use to anybody.
      if (kind === 'private') {
        await this.close(threadId);
        throw refusalOf(error);
      }
    }
    return threadId;
  }

  /** The nonce keeps it from standing there twice. */
  async open(threadId: string, nonce: string, plan: MessagePlan): Promise<MessagePlace> {
    return this.#refusing(async () => {
      const place = await this.#parts.post(threadId, nonce, bodyOf(plan));
      if (!place) throw new Error('Discord did not say where a message stands.');
      return place;
    });
  }

  /** Puts away one that nothing came of. */
  async close(threadId: string): Promise<void> {
    try {
      await this.#parts.rest.patch(Routes.channel(threadId), { body: { archived: true } });
    } catch (error) {
      this.#parts.log.info(factsOf(error), 'A thread could not be put away.');
    }
  }

  async #refusing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#parts.log.warn(factsOf(error), 'A thread could not be made or written in.');
      throw refusalOf(error);
    }
  }
}

/** Of a channel that Discord answers with. */
export function idIn(answer: unknown): string {
  const id = isRecord(answer) ? answer.id : undefined;
  if (typeof id !== 'string') throw new Error('Discord did not say which channel it has made.');
  return id;
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof DiscordAPIError && error.code === Code.MaximumActiveThreads) {
    return new Refusal('refusals.talkThreadsFull');
  }
  return troubleOf(error, 'channel') === 'no-access'
    ? new Refusal('refusals.talkThreadRefused')
    : new Refusal('refusals.talkThreadLater');
}
