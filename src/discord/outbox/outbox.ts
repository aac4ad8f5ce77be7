import { createHash } from 'node:crypto';
import {
  RESTJSONErrorCodes as Code,
  HTTPError,
  type InteractionResponseType,
  MessageFlags,
  type RawFile,
  Routes,
} from 'discord.js';
import { isRecord } from '../../lib/exact-json.ts';
import type { PlainLog } from '../../lib/log.ts';
import type { MessagePlace } from '../../services/tasks/task.ts';
import { bodyOf, type MessageBody } from '../adapter.ts';
import type { MessagePlan } from '../plan.ts';
import type { DiscordClients } from './clients.ts';
import { errorFacts, failureKindOf, hasCode, isTransient } from './errors.ts';
import { channelIdIn, ThreadCreator } from './threads.ts';
import type { EditWay, TokenWay } from './ways.ts';

const CALLBACK_TRIES = 3;
/** Discord's maximum page size for channel messages. */
const PAGE = 100;
/** For requests that are safe to retry when their outcome is unknown. */
const TRIES = 4;
/** Without `wait=true`, Discord does not return the message that was posted by token. */
const WAIT_FOR_MESSAGE = new URLSearchParams({ wait: 'true' });
const MAX_NONCE_LENGTH = 25;
/** Discord remembers a nonce for "a few minutes", and discord.js may retry for minutes after it received the request. */
export const NONCE_LIFE_MS = 2 * 60_000;

/** The only place that writes to Discord. discord.js respects the rate limits and retries a 429. */
export class Outbox {
  readonly threads: ThreadCreator;
  readonly #clients: DiscordClients;
  readonly #log: PlainLog;

  constructor(clients: DiscordClients, log: PlainLog) {
    this.#clients = clients;
    this.#log = log;
    this.threads = new ThreadCreator({ rest: clients.client.rest, post: (...message) => this.post(...message), log });
  }

  /** The first response to an interaction. Discord accepts only one, so a retry is safe. */
  async respond(
    { interactionId, token }: { interactionId: string; token: string },
    body: { type: InteractionResponseType; data?: object | undefined },
    files: RawFile[] = [],
  ): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#clients.callbackRest.post(Routes.interactionCallback(interactionId, token), {
          body,
          files,
          auth: false,
        });
        return;
      } catch (error) {
        // The response to an earlier try was lost, but Discord had received it.
        if (attempt > 1 && hasCode(error, Code.InteractionHasAlreadyBeenAcknowledged)) return;
        if (attempt >= CALLBACK_TRIES || !isTransient(error)) throw error;
      }
    }
  }

  async edit(way: TokenWay | EditWay, sent: MessageBody): Promise<MessagePlace | undefined> {
    if (way.by === 'edit') return placeIn(await this.#clients.client.rest.patch(routeOf(way), { ...sent }));
    // Sent without the bot's token: discord.js discards that token on the 401 for an expired interaction token.
    return placeIn(await this.#clients.tokenRest.patch(routeOf(way), { ...sent, auth: false }));
  }

  /** For a nonce used in the last few minutes, Discord returns the existing message instead of a second one. */
  async post(channelId: string, nonce: string, { body, files }: MessageBody): Promise<MessagePlace | undefined> {
    const once = { ...body, nonce, enforce_nonce: true };
    return placeIn(
      await repeat(() => this.#clients.client.rest.post(Routes.channelMessages(channelId), { body: once, files })),
    );
  }

  /** Posts an additional message after the reply. Discord does not deduplicate it, so it is sent once. */
  async addFollowUp(way: TokenWay, sent: MessageBody, isPrivate: boolean): Promise<MessagePlace | undefined> {
    const { body, files } = isPrivate ? asEphemeral(sent) : sent;
    const route = Routes.webhook(way.applicationId, way.token);
    return placeIn(await this.#clients.tokenRest.post(route, { body, files, auth: false, query: WAIT_FOR_MESSAGE }));
  }

  async remove(way: TokenWay | EditWay): Promise<void> {
    if (way.by === 'edit') await this.#clients.client.rest.delete(routeOf(way));
    else await this.#clients.tokenRest.delete(routeOf(way), { auth: false });
  }

  async openDirectChannel(memberId: string): Promise<string> {
    // Opening it twice returns the same channel.
    const body = { recipient_id: memberId };
    return channelIdIn(await repeat(() => this.#clients.client.rest.post(Routes.userChannels(), { body })));
  }

  /** Returns false to retry later. A member who does not accept messages from the bot is not retried. */
  async sendDirectMessage(userId: string, plan: MessagePlan): Promise<boolean> {
    try {
      await this.post(await this.openDirectChannel(userId), nonceOf(userId, plan), bodyOf(plan));
      return true;
    } catch (error) {
      const failure = failureKindOf(error, 'direct');
      this.#log.info({ failure, ...errorFacts(error) }, 'Could not send a direct message.');
      return failure !== 'later';
    }
  }

  /** Posts a message that belongs to no task. Returns undefined if Discord rejected it. */
  async sendInChannel(channelId: string, plan: MessagePlan): Promise<MessagePlace | undefined> {
    try {
      return await this.post(channelId, nonceOf(channelId, plan), bodyOf(plan));
    } catch (error) {
      this.#log.info({ channel: channelId, ...errorFacts(error) }, 'Could not post in a channel.');
      return undefined;
    }
  }

  /** Returns the messages before this id, newest first. */
  async before(channelId: string, id: string): Promise<unknown[]> {
    const query = new URLSearchParams({ before: id, limit: String(PAGE) });
    const page = await this.#clients.client.rest.get(Routes.channelMessages(channelId), { query });
    return Array.isArray(page) ? page : [];
  }
}

/** A task's message is the reply to its interaction or the message that was pressed, unless it has its own. */
function routeOf(way: TokenWay | EditWay): `/${string}` {
  return way.by === 'edit'
    ? Routes.channelMessage(way.message.channelId, way.message.id)
    : Routes.webhookMessage(way.applicationId, way.token, way.followUpId ?? '@original');
}

export const asEphemeral = ({ body, files }: MessageBody): MessageBody => ({
  body: { ...body, flags: (body.flags ?? 0) | MessageFlags.Ephemeral },
  files,
});

/** Deterministic, so that a message whose response was lost appears only once. */
export function nonceOf(userId: string, { content = '' }: MessagePlan): string {
  return createHash('sha256').update(`${userId}:${content}`).digest('base64url').slice(0, MAX_NONCE_LENGTH);
}

/** True for a 5xx or a timeout. After a broken connection the caller first searches for the message. */
function mayRepeat(error: unknown): boolean {
  if (error instanceof HTTPError) return true;
  return error instanceof Error && error.cause instanceof Error && error.cause.name === 'AbortError';
}

async function repeat<T>(post: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await post();
    } catch (error) {
      if (attempt >= TRIES || !mayRepeat(error)) throw error;
    }
  }
}

function placeIn(response: unknown): MessagePlace | undefined {
  const { id, channel_id: channelId } = isRecord(response) ? response : {};
  return typeof id === 'string' && typeof channelId === 'string' ? { channelId, id } : undefined;
}
