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
import { factsOf, hasCode, isPassing, troubleOf } from './errors.ts';
import { idIn, ThreadMaker } from './threads.ts';
import type { EditWay, TokenWay } from './ways.ts';

/** What fits into three seconds. */
const CALLBACK_TRIES = 3;
/** The longest page that Discord gives of a channel's messages. */
const PAGE = 100;
/** How often what can be repeated without harm is sent while Discord does not say what became of it. */
const TRIES = 4;
/** Only then does Discord say what became of a message that goes by a token. */
const WAITED_FOR = new URLSearchParams({ wait: 'true' });
/** Discord's limit. */
const LONGEST_NONCE = 25;
/** Discord knows a nonce again for "a few minutes" only, and the library's own tries reach some minutes beyond the last of ours. */
export const SAME_NONCE_MS = 2 * 60_000;

/**
 * Everything that is written to Discord is written here, one request at a time and one way. The library underneath keeps to the rate limits
 * and tries again where that is all it takes.
 */
export class Outbox {
  readonly threads: ThreadMaker;
  readonly #clients: DiscordClients;
  readonly #log: PlainLog;

  constructor(clients: DiscordClients, log: PlainLog) {
    this.#clients = clients;
    this.#log = log;
    this.threads = new ThreadMaker({ rest: clients.client.rest, post: (...message) => this.post(...message), log });
  }

  /** The first answer to an interaction. Discord takes one alone, so it may be sent again. */
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
        // The answer to an earlier try was lost, and yet it was heard.
        if (attempt > 1 && hasCode(error, Code.InteractionHasAlreadyBeenAcknowledged)) return;
        if (attempt >= CALLBACK_TRIES || !isPassing(error)) throw error;
      }
    }
  }

  async edit(way: TokenWay | EditWay, sent: MessageBody): Promise<MessagePlace | undefined> {
    if (way.by === 'edit') return placeIn(await this.#clients.client.rest.patch(routeOf(way), { ...sent }));
    // With the bot's own token on it, an expired one would cost the library that token as well.
    return placeIn(await this.#clients.tokenRest.patch(routeOf(way), { ...sent, auth: false }));
  }

  /** A nonce that Discord has seen within the last minutes brings back that message instead of a second one. */
  async post(channelId: string, nonce: string, { body, files }: MessageBody): Promise<MessagePlace | undefined> {
    const once = { ...body, nonce, enforce_nonce: true };
    return placeIn(
      await repeated(() => this.#clients.client.rest.post(Routes.channelMessages(channelId), { body: once, files })),
    );
  }

  /** Another message beside the answer of an interaction. Nothing keeps it from coming twice, so it is sent once. */
  async add(way: TokenWay, sent: MessageBody, isPrivate: boolean): Promise<MessagePlace | undefined> {
    const { body, files } = isPrivate ? privately(sent) : sent;
    const route = Routes.webhook(way.applicationId, way.token);
    return placeIn(await this.#clients.tokenRest.post(route, { body, files, auth: false, query: WAITED_FOR }));
  }

  async remove(way: TokenWay | EditWay): Promise<void> {
    if (way.by === 'edit') await this.#clients.client.rest.delete(routeOf(way));
    else await this.#clients.tokenRest.delete(routeOf(way), { auth: false });
  }

  async openDirect(memberId: string): Promise<string> {
    // Opened twice, it is the same one.
    const body = { recipient_id: memberId };
    return idIn(await repeated(() => this.#clients.client.rest.post(Routes.userChannels(), { body })));
  }

  /** Says something to a person in a direct message. False: not now; who takes none from the bot at all is left alone. */
  async tellPerson(userId: string, plan: MessagePlan): Promise<boolean> {
    try {
      await this.post(await this.openDirect(userId), nonceOf(userId, plan), bodyOf(plan));
      return true;
    } catch (error) {
      const trouble = troubleOf(error, 'direct');
      this.#log.info({ trouble, ...factsOf(error) }, 'A direct message did not come through.');
      return trouble !== 'later';
    }
  }

  /** The messages right before one of this id, newest first. */
  async before(channelId: string, id: string): Promise<unknown[]> {
    const query = new URLSearchParams({ before: id, limit: String(PAGE) });
    const page = await this.#clients.client.rest.get(Routes.channelMessages(channelId), { query });
    return Array.isArray(page) ? page : [];
  }
}

/** A task's message is the answer of its interaction or the message that was pressed, unless it was given one of its own. */
function routeOf(way: TokenWay | EditWay): `/${string}` {
  return way.by === 'edit'
    ? Routes.channelMessage(way.message.channelId, way.message.id)
    : Routes.webhookMessage(way.applicationId, way.token, way.followUpId ?? '@original');
}

/** Seen by one member alone. */
export const privately = ({ body, files }: MessageBody): MessageBody => ({
  body: { ...body, flags: (body.flags ?? 0) | MessageFlags.Ephemeral },
  files,
});

/** The same for the same words, so that they stand there once where the first try was heard although its response was lost. */
function nonceOf(userId: string, { content = '' }: MessagePlan): string {
  return createHash('sha256').update(`${userId}:${content}`).digest('base64url').slice(0, LONGEST_NONCE);
}

/** Discord's own trouble, or no response in time. Where the connection broke, whoever sent it looks first whether it came through. */
function isWorthRepeating(error: unknown): boolean {
  if (error instanceof HTTPError) return true;
  return error instanceof Error && error.cause instanceof Error && error.cause.name === 'AbortError';
}

/** The library itself repeats no POST. */
async function repeated<T>(post: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await post();
    } catch (error) {
      if (attempt >= TRIES || !isWorthRepeating(error)) throw error;
    }
  }
}

/** Where the message stands that Discord answers with. */
function placeIn(answer: unknown): MessagePlace | undefined {
  const { id, channel_id: channelId } = isRecord(answer) ? answer : {};
  return typeof id === 'string' && typeof channelId === 'string' ? { channelId, id } : undefined;
}
