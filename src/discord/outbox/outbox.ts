import { createHash, randomBytes } from 'node:crypto';
import { HTTPError, type RawFile } from '@discordjs/rest';
import {
  type APIInteraction,
  RESTJSONErrorCodes as Code,
  type InteractionResponseType,
  MessageFlags,
  Routes,
} from 'discord-api-types/v10';
import { z } from 'zod';
import { isRecord } from '../../lib/exact-json.ts';
import type { PlainLog } from '../../lib/log.ts';
import type { MessagePlace } from '../../services/tasks/task.ts';
import { bodyOf, type MessageBody } from '../message-body.ts';
import type { MessagePlan } from '../plan.ts';
import type { DiscordClients } from './clients.ts';
import { errorFacts, failureKindOf, hasCode, isTransient, onCode, tryAndLog } from './errors.ts';
import { OpenRequests, type RestMethods } from './open-requests.ts';
import { channelIdIn, ThreadCreator } from './threads.ts';
import type { EditRoute, TokenRoute } from './ways.ts';

const MAX_CALLBACK_ATTEMPTS = 3;
/** Discord's maximum page size for channel messages. */
const PAGE_SIZE = 100;
/** For requests that are safe to retry when their outcome is unknown. */
const MAX_ATTEMPTS = 4;
/** Without `wait=true`, Discord does not return the message that was posted by token. */
const WAIT_FOR_MESSAGE = new URLSearchParams({ wait: 'true' });
const MAX_NONCE_LENGTH = 25;
/** 24 characters in base64url. */
const NONCE_BYTES = 18;
/** Discord remembers a nonce for "a few minutes", and discord.js may retry for minutes after it received the request. */
export const NONCE_LIFETIME_MS = 2 * 60_000;

export interface InitialResponse {
  type: InteractionResponseType;
  data?: object;
}

export interface ResponseOptions {
  files?: RawFile[];
  /** Whether Discord has accepted an earlier attempt whose response was lost, and not the response of another process. */
  wasAccepted?(): Promise<boolean>;
}

const attachedSchema = z.object({ attachments: z.array(z.object({ id: z.string() })) });
const responseSchema = z.object({ id: z.string(), flags: z.number().nullish() });

/** The only place that writes to Discord. discord.js respects the rate limits and retries a 429. */
export class Outbox {
  readonly threads: ThreadCreator;
  readonly #openRequests = new OpenRequests();
  readonly #rest: RestMethods;
  readonly #tokenRest: RestMethods;
  readonly #callbackRest: RestMethods;
  readonly #identity;
  readonly #log: PlainLog;

  constructor({ identity, rest, tokenRest, callbackRest }: DiscordClients, log: PlainLog) {
    this.#identity = identity;
    this.#rest = this.#openRequests.track(rest);
    this.#tokenRest = this.#openRequests.track(tokenRest);
    this.#callbackRest = this.#openRequests.track(callbackRest);
    this.#log = log;
    this.threads = new ThreadCreator({ rest: this.#rest, post: (...message) => this.post(...message), log });
  }

  /** Known once the bot has identified itself. */
  get botUserId(): string | undefined {
    return this.#identity.userId;
  }

  /** The message that an interaction's token can change; undefined if the interaction was not answered, or if the message was deleted. */
  async readResponse({ application_id: applicationId, token }: Pick<APIInteraction, 'application_id' | 'token'>) {
    const message = await this.#tokenRest
      .get(Routes.webhookMessage(applicationId, token), { auth: false })
      .catch(onCode(undefined, Code.UnknownWebhook, Code.UnknownMessage));
    if (message === undefined) return undefined;
    const { id, flags } = responseSchema.parse(message);
    return { id, flags: flags ?? 0 };
  }

  /** The initial response to an interaction. Discord accepts only one, so a retry is safe. */
  async respond(
    { id, token }: Pick<APIInteraction, 'id' | 'token'>,
    body: InitialResponse,
    { files = [], wasAccepted = async () => true }: ResponseOptions = {},
  ): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#callbackRest.post(Routes.interactionCallback(id, token), {
          body,
          files,
          auth: false,
        });
        return;
      } catch (error) {
        const isAnswered = hasCode(error, Code.InteractionHasAlreadyBeenAcknowledged);
        if (attempt > 1 && isAnswered && (await wasAccepted())) return;
        if (attempt >= MAX_CALLBACK_ATTEMPTS || !isTransient(error)) throw error;
      }
    }
  }

  async edit(target: TokenRoute | EditRoute, message: MessageBody): Promise<MessagePlace | undefined> {
    if (target.by === 'edit') return placeIn(await this.#rest.patch(messagePath(target), { ...message }));
    // Sent without the bot's token: discord.js discards that token on the 401 for an expired interaction token.
    return placeIn(await this.#tokenRest.patch(messagePath(target), { ...message, auth: false }));
  }

  /** Hides the files of a message behind spoilers, or shows them openly. Returns false if the message was deleted. */
  async setSpoilers(message: MessagePlace, isSpoiler: boolean): Promise<boolean> {
    const path = messagePath({ by: 'edit', message });
    const change = async () => {
      const { attachments } = attachedSchema.parse(await this.#rest.get(path));
      // An edit removes the files that it does not list.
      const changed = attachments.map(({ id }) => ({ id, is_spoiler: isSpoiler }));
      await this.#rest.patch(path, { body: { attachments: changed, allowed_mentions: { parse: [] } } });
      return true;
    };
    return change().catch(onCode(false, Code.UnknownMessage));
  }

  /** For a nonce used in the last few minutes, Discord returns the existing message instead of a second one. */
  async post(channelId: string, nonce: string, { body, files }: MessageBody): Promise<MessagePlace | undefined> {
    const send = (fields: Partial<MessageBody['body']>) => {
      const bodyWithNonce = { ...fields, nonce, enforce_nonce: true };
      return retry(() => this.#rest.post(Routes.channelMessages(channelId), { body: bodyWithNonce, files }));
    };
    try {
      return placeIn(await send(body));
    } catch (error) {
      // In a channel whose history the bot may not read, it may post, but not reply.
      if (!hasCode(error, Code.CannotReplyWithoutPermissionToReadMessageHistory)) throw error;
      const { message_reference: _, ...bodyWithoutReference } = body;
      return placeIn(await send(bodyWithoutReference));
    }
  }

  /** Posts an additional message after the reply. Discord does not deduplicate it, so it is sent once. */
  async addFollowUp(target: TokenRoute, message: MessageBody, isPrivate: boolean): Promise<MessagePlace | undefined> {
    const { body, files } = isPrivate ? asEphemeral(message) : message;
    const route = Routes.webhook(target.applicationId, target.token);
    return placeIn(await this.#tokenRest.post(route, { body, files, auth: false, query: WAIT_FOR_MESSAGE }));
  }

  async remove(target: TokenRoute | EditRoute): Promise<void> {
    if (target.by === 'edit') await this.#rest.delete(messagePath(target));
    else await this.#tokenRest.delete(messagePath(target), { auth: false });
  }

  async openDirectChannel(memberId: string): Promise<string> {
    // Opening it twice returns the same channel.
    const body = { recipient_id: memberId };
    return channelIdIn(await retry(() => this.#rest.post(Routes.userChannels(), { body })));
  }

  async postDirectly(userId: string, plan: MessagePlan): Promise<MessagePlace | undefined> {
    return this.post(await this.openDirectChannel(userId), nonceOf(userId, plan), bodyOf(plan));
  }

  /** Returns false if the caller should retry later, but not if the member does not accept messages from the bot. */
  async sendDirectMessage(userId: string, plan: MessagePlan): Promise<boolean> {
    const handleFailure = (error: unknown): boolean => {
      const failure = failureKindOf(error, 'direct');
      this.#log.info({ failure, ...errorFacts(error) }, 'Could not send a direct message.');
      return failure !== 'later';
    };
    return this.postDirectly(userId, plan).then(() => true, handleFailure);
  }

  /** Posts a message that belongs to no task. Equal texts are separate messages. Returns undefined if Discord rejected it. */
  async sendInChannel(channelId: string, plan: MessagePlan): Promise<MessagePlace | undefined> {
    const nonce = randomBytes(NONCE_BYTES).toString('base64url');
    const post = () => this.post(channelId, nonce, bodyOf(plan));
    return tryAndLog(this.#log, 'Could not post in a channel.', { channel: channelId }, post);
  }

  /** Whether a message exists. Throws if Discord does not say so, as in a channel that the bot may not read. */
  async hasMessage(message: MessagePlace): Promise<boolean> {
    const read = this.#rest.get(messagePath({ by: 'edit', message }));
    return read.then(() => true).catch(onCode(false, Code.UnknownMessage, Code.UnknownChannel));
  }

  /** Returns the messages before this id, newest first. */
  async messagesBefore(channelId: string, id: string): Promise<unknown[]> {
    const query = new URLSearchParams({ before: id, limit: String(PAGE_SIZE) });
    const page = await this.#rest.get(Routes.channelMessages(channelId), { query });
    return Array.isArray(page) ? page : [];
  }

  /** Gives up all requests that have not finished: the next owner of the bot's tasks may already change the same messages. */
  close(): void {
    this.#openRequests.close();
  }
}

/** Returns the API route of a message. By token, that is the original response to the interaction, unless a follow-up is named. */
function messagePath(target: TokenRoute | EditRoute): `/${string}` {
  return target.by === 'edit'
    ? Routes.channelMessage(target.message.channelId, target.message.id)
    : Routes.webhookMessage(target.applicationId, target.token, target.followUpId ?? '@original');
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
function isRetryable(error: unknown): boolean {
  if (error instanceof HTTPError) return true;
  return error instanceof Error && error.cause instanceof Error && error.cause.name === 'AbortError';
}

async function retry<T>(post: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await post();
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !isRetryable(error)) throw error;
    }
  }
}

function placeIn(response: unknown): MessagePlace | undefined {
  const { id, channel_id: channelId } = isRecord(response) ? response : {};
  return typeof id === 'string' && typeof channelId === 'string' ? { channelId, id } : undefined;
}
