import { DiscordAPIError } from '@discordjs/rest';
import { ChannelType, RESTJSONErrorCodes as Code, Routes } from 'discord-api-types/v10';
import { isRecord } from '../../lib/exact-json.ts';
import type { PlainLog } from '../../lib/log.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { MessagePlace } from '../../services/tasks/task.ts';
import { bodyOf, type MessageBody } from '../message-body.ts';
import type { MessagePlan } from '../plan.ts';
import { errorFacts, failureKindOf, tryAndLog } from './errors.ts';
import type { RestMethods } from './open-requests.ts';

/** The shortest auto-archive duration that Discord accepts. */
const ARCHIVE_AFTER_MINUTES = 60;
const MAX_NAME_LENGTH = 100;

type Post = (channelId: string, nonce: string, body: MessageBody) => Promise<MessagePlace | undefined>;

export interface ThreadRequest {
  channelId: string;
  name: string;
  /** Announcement channels have their own thread type. */
  kind: 'public' | 'private' | 'announcement';
  memberId: string;
}

const CHANNEL_TYPES = {
  public: ChannelType.PublicThread,
  private: ChannelType.PrivateThread,
  announcement: ChannelType.AnnouncementThread,
} as const;

export class ThreadCreator {
  readonly #parts: { rest: RestMethods; post: Post; log: PlainLog };

  constructor(parts: { rest: RestMethods; post: Post; log: PlainLog }) {
    this.#parts = parts;
  }

  async create({ channelId, name, kind, memberId }: ThreadRequest): Promise<string> {
    const threadId = await this.#refuseOnFailure(async () => {
      const body = {
        name: Array.from(name).slice(0, MAX_NAME_LENGTH).join(''),
        type: CHANNEL_TYPES[kind],
        auto_archive_duration: ARCHIVE_AFTER_MINUTES,
        // Members of the thread cannot add others by mentioning them.
        ...(kind === 'private' && { invitable: false }),
      };
      return channelIdIn(await this.#parts.rest.post(Routes.threads(channelId), { body }));
    });
    try {
      await this.#parts.rest.put(Routes.threadMembers(threadId, memberId));
    } catch (error) {
      this.#parts.log.info(errorFacts(error), 'Could not add a member to a thread.');
      // A thread is useless if the member cannot see it.
      if (kind === 'private') {
        await this.archive(threadId);
        throw refusalOf(error);
      }
    }
    return threadId;
  }

  /** Starts a thread on a message; undefined if Discord does not allow it. */
  async startOn({ channelId, id }: MessagePlace, name: string): Promise<string | undefined> {
    const { rest, log } = this.#parts;
    const body = { name, auto_archive_duration: ARCHIVE_AFTER_MINUTES };
    return tryAndLog(log, 'Could not start a thread on a message.', {}, async () =>
      channelIdIn(await rest.post(Routes.threads(channelId, id), { body })),
    );
  }

  /** The nonce prevents a second message. */
  async postFirstMessage(threadId: string, nonce: string, plan: MessagePlan): Promise<MessagePlace> {
    return this.#refuseOnFailure(async () => {
      const place = await this.#parts.post(threadId, nonce, bodyOf(plan));
      if (!place) throw new Error('Discord’s response has no channel or message ID.');
      return place;
    });
  }

  /** Archives the thread of a conversation that did not start. */
  async archive(threadId: string): Promise<void> {
    await this.#tryToChange('Could not archive a thread.', threadId, { archived: true });
  }

  /** Discord accepts two new names in ten minutes. An archived thread can only be renamed together with being reopened. */
  async rename(threadId: string, name: string): Promise<void> {
    await this.#tryToChange('Could not rename a thread.', threadId, { name, archived: false });
  }

  async #tryToChange(failure: string, threadId: string, body: object): Promise<void> {
    const { rest, log } = this.#parts;
    await tryAndLog(log, failure, {}, () => rest.patch(Routes.channel(threadId), { body }));
  }

  async #refuseOnFailure<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#parts.log.warn(errorFacts(error), 'Could not create a thread or write in it.');
      throw refusalOf(error);
    }
  }
}

export function channelIdIn(response: unknown): string {
  const id = isRecord(response) ? response.id : undefined;
  if (typeof id !== 'string') throw new Error('Discord’s response has no channel ID.');
  return id;
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof DiscordAPIError && error.code === Code.MaximumActiveThreads) {
    return new Refusal('refusals.talkThreadsFull');
  }
  return failureKindOf(error, 'channel') === 'no-access'
    ? new Refusal('refusals.talkThreadRefused')
    : new Refusal('refusals.talkThreadLater');
}
