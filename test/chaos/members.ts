import { setTimeout as pause } from 'node:timers/promises';
import type { EmbeddedDiscord } from '../../sandbox/discord/discord.ts';
import type { Exchange, Message } from '../../sandbox/discord/exchange.ts';
import { type OrderKindName, orderKinds } from './kinds.ts';
import { type MessageState, messageState } from './message-state.ts';
import type { Request } from './plan.ts';
import { waitUntil } from './waiting.ts';
import { pressId } from './words.ts';

/** One attempt of a member to make a request. */
export interface Order {
  /** A word that is unique and plain enough to appear unchanged in every message. */
  readonly prompt: string;
  readonly kind: OrderKindName;
  readonly userId: string;
  readonly channelId: string;
  readonly isPrivate: boolean;
  /** The bot is not in this channel, so only tokens reach messages there. */
  readonly isBotAbsent: boolean;
  readonly interactionId: string;
  readonly at: number;
  /** When Discord accepted the bot's acknowledgement; undefined if it showed "The application did not respond". */
  acknowledgedAt?: number;
}

/** How many times a member tries the same request; Discord gives up three seconds after each try. */
const MAX_TRIES = 25;
/** How long a member waits before the next try. Four tries take longer than the longest outage. */
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 8_000;
/** A grid has buttons for four images. */
const MAX_PRESSES = 4;
/** If a task has not ended within this time, the member no longer waits for a button to press. */
const DEFAULT_PATIENCE_MS = 120_000;
const CHECK_INTERVAL_MS = 200;

/** Members make requests, and repeat a request with new words if the bot does not respond. */
export class Members {
  readonly orders: Order[] = [];
  /** Actions that were given up because there was no button to press. */
  skippedPresses = 0;
  readonly #discord: EmbeddedDiscord;
  readonly #name: string;
  readonly #patienceMs: number;
  #requests = 0;
  #givenUpCount = 0;

  constructor(discord: EmbeddedDiscord, seed: number, patienceMs = DEFAULT_PATIENCE_MS) {
    this.#discord = discord;
    this.#patienceMs = patienceMs;
    this.#name = `q${seed.toString(36)}`;
  }

  /** How many requests the bot did not accept after all tries. */
  get givenUpCount(): number {
    return this.#givenUpCount;
  }

  async makeRequest(request: Request): Promise<void> {
    if (request.kind === 'action') return this.#pressButton(request);
    await this.#runCommand(request);
  }

  async #runCommand({ who, where, isPrivate, kind = 'imagine' }: Request): Promise<Order | undefined> {
    const member = this.#discord.as(who).in(where);
    this.#requests += 1;
    const name = `${this.#name}n${this.#requests}t`;
    return this.#tryUntilAccepted(MAX_TRIES, (attemptNumber) => {
      const word = `${name}${attemptNumber}x`;
      const exchange = orderKinds[kind].runCommand(member, { prompt: `a fox ${word}`, word, isPrivate });
      return { exchange, order: { ...this.#facts({ who, where, isPrivate }), prompt: word, kind } };
    });
  }

  /** Orders a grid, and then presses a button of its message. */
  async #pressButton(request: Request): Promise<void> {
    const grid = await this.#runCommand({ ...request, kind: 'imagine' });
    const message = grid && (await this.#resultOf(grid));
    if (!message || messageState(message) !== 'done') {
      this.skippedPresses += 1;
      return;
    }
    const member = this.#discord.as(request.who);
    await this.#tryUntilAccepted(MAX_PRESSES, (attemptNumber) => ({
      exchange: member.click(message, `U${attemptNumber}`),
      order: { ...this.#facts(request), prompt: pressId(grid.prompt, attemptNumber), kind: 'action' },
    }));
  }

  async #tryUntilAccepted(
    max: number,
    attempt: (attemptNumber: number) => { exchange: Promise<Exchange>; order: Omit<Order, 'interactionId' | 'at'> },
  ): Promise<Order | undefined> {
    for (let attemptNumber = 1; attemptNumber <= max; attemptNumber++) {
      const at = Date.now();
      const { exchange: pendingExchange, order: facts } = attempt(attemptNumber);
      const exchange = await pendingExchange;
      const order: Order = { ...facts, at, interactionId: exchange.id };
      this.orders.push(order);
      // Either the reply comes or Discord gives up after three seconds; there is no third case.
      const [outcome] = await Promise.allSettled([exchange.acknowledged()]);
      if (outcome.status === 'rejected') {
        await pause(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attemptNumber - 1)));
        continue;
      }
      order.acknowledgedAt = at + outcome.value.afterMs;
      return order;
    }
    this.#givenUpCount += 1;
    return undefined;
  }

  async #resultOf({ channelId, interactionId }: Order): Promise<Message | undefined> {
    const find = (): Message | undefined => {
      const reply = this.#discord
        .messages(channelId)
        .find(({ interaction_metadata: origin }) => origin?.id === interactionId);
      return reply && !UNFINISHED.has(messageState(reply)) ? reply : undefined;
    };
    await waitUntil(this.#patienceMs, () => find() !== undefined, CHECK_INTERVAL_MS);
    return find();
  }

  #facts({
    who,
    where,
    isPrivate,
  }: Pick<Request, 'who' | 'where' | 'isPrivate'>): Pick<Order, 'userId' | 'channelId' | 'isPrivate' | 'isBotAbsent'> {
    const { user, channel } = this.#discord.as(who).in(where);
    return { userId: user.id, channelId: channel.id, isPrivate, isBotAbsent: where === 'lobby' };
  }
}

const UNFINISHED: ReadonlySet<MessageState> = new Set(['spinner', 'progress']);
