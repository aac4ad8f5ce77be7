import { HTTPError, MessageFlags, type REST, Routes } from 'discord.js';
import type { MessagePlace } from '../../services/tasks/task.ts';
import type { MessageBody } from '../adapter.ts';
import type { AnswerWay, EditWay, TokenWay } from './ways.ts';

/** The longest page that Discord gives of a channel's messages. */
const PAGE = 100;
/** How often what can be repeated without harm is sent while Discord does not say what became of it. */
const TRIES = 4;
/** Only then does Discord say what became of a message that goes by a token. */
const WAITED_FOR = new URLSearchParams({ wait: 'true' });

/** Carries one message one way. The library underneath keeps to the rate limits and tries again where that is all it takes. */
export class Carrier {
  readonly #botRest: REST;
  readonly #tokenRest: REST;

  constructor({ botRest, tokenRest }: { botRest: REST; tokenRest: REST }) {
    this.#botRest = botRest;
    this.#tokenRest = tokenRest;
  }

  async edit(way: TokenWay | EditWay, sent: MessageBody): Promise<MessagePlace | undefined> {
    if (way.by === 'edit') {
      const { channelId, id } = way.message;
      return placeIn(await this.#botRest.patch(Routes.channelMessage(channelId, id), { ...sent }));
    }
    // A task's message is the answer of its interaction or the message that was pressed, unless it was given one of its own.
    const original = Routes.webhookMessage(way.applicationId, way.token, way.followUpId ?? '@original');
    // With the bot's own token on it, an expired one would cost the library that token as well.
    return placeIn(await this.#tokenRest.patch(original, { ...sent, auth: false }));
  }

  /** A nonce that Discord has seen within the last minutes brings back that message instead of a second one. */
  async post(channelId: string, nonce: string, { body, files }: MessageBody): Promise<MessagePlace | undefined> {
    const once = { ...body, nonce, enforce_nonce: true };
    return placeIn(await repeated(() => this.#botRest.post(Routes.channelMessages(channelId), { body: once, files })));
  }

  /** Nothing keeps what goes by a token from coming twice, so there it is sent once. */
  async call(way: AnswerWay | TokenWay, nonce: string, sent: MessageBody): Promise<MessagePlace | undefined> {
    if (way.by === 'answer') return this.post(way.message.channelId, nonce, sent);
    const route = Routes.webhook(way.applicationId, way.token);
    return placeIn(await this.#tokenRest.post(route, { ...sent, auth: false, query: WAITED_FOR }));
  }

  /** Another message beside the answer. Nothing keeps it from coming twice, so it is sent once. */
  async add(way: TokenWay, { body, files }: MessageBody, isPrivate: boolean): Promise<MessagePlace | undefined> {
    const sent = isPrivate ? { ...body, flags: (body.flags ?? 0) | MessageFlags.Ephemeral } : body;
    const route = Routes.webhook(way.applicationId, way.token);
    return placeIn(await this.#tokenRest.post(route, { body: sent, files, auth: false, query: WAITED_FOR }));
  }

  async remove(way: TokenWay | EditWay): Promise<void> {
    if (way.by === 'edit') await this.#botRest.delete(Routes.channelMessage(way.message.channelId, way.message.id));
    else {
      const message = Routes.webhookMessage(way.applicationId, way.token, way.followUpId ?? '@original');
      await this.#tokenRest.delete(message, { auth: false });
    }
  }

  async openDirect(memberId: string): Promise<string> {
    // Opened twice, it is the same one.
    const channel = await repeated(() =>
      this.#botRest.post(Routes.userChannels(), { body: { recipient_id: memberId } }),
    );
    return (channel as { id: string }).id;
  }

  /** The messages right before one of this id, newest first. */
  async before(channelId: string, id: string): Promise<unknown[]> {
    const query = new URLSearchParams({ before: id, limit: String(PAGE) });
    const page = await this.#botRest.get(Routes.channelMessages(channelId), { query });
    return Array.isArray(page) ? page : [];
  }
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
export function placeIn(answer: unknown): MessagePlace | undefined {
  const { id, channel_id: channelId } = (answer ?? {}) as { id?: unknown; channel_id?: unknown };
  return typeof id === 'string' && typeof channelId === 'string' ? { channelId, id } : undefined;
}
