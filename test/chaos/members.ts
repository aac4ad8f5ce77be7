import type { EmbeddedDiscord } from '../../sandbox/discord/discord.ts';
import type { Request } from './plan.ts';

/** One request, made once. */
export interface Order {
  /** A word that is unique and plain enough to appear unchanged in every message. */
  readonly prompt: string;
  readonly userId: string;
  readonly channelId: string;
  readonly isPrivate: boolean;
  readonly interactionId: string;
  readonly at: number;
  /** When Discord took the bot's acknowledgement; undefined: "The application did not respond". */
  acknowledgedAt?: number;
}

/** How often a member tries the same request; Discord gives up three seconds after each try. */
const MAX_TRIES = 25;

/** Members make requests, and repeat a request with new words if the bot does not respond. */
export class Members {
  readonly orders: Order[] = [];
  readonly #discord: EmbeddedDiscord;
  readonly #name: string;
  #requests = 0;
  #givenUp = 0;

  constructor(discord: EmbeddedDiscord, seed: number) {
    this.#discord = discord;
    this.#name = `q${seed.toString(36)}`;
  }

  /** How many requests the bot did not accept after all tries. */
  get givenUp(): number {
    return this.#givenUp;
  }

  async want({ who, where, isPrivate }: Request): Promise<void> {
    const member = this.#discord.as(who).in(where);
    this.#requests += 1;
    const name = `${this.#name}n${this.#requests}t`;
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const prompt = `a fox ${name}${tries}x`;
      const at = Date.now();
      const exchange = await member.slash('imagine', { prompt, ...(isPrivate && { private: true }) });
      const order: Order = {
        ...{ prompt, at, isPrivate, interactionId: exchange.id },
        ...{ userId: member.user.id, channelId: member.channel.id },
      };
      this.orders.push(order);
      // Either the reply comes or Discord gives up after three seconds; there is no third case.
      const [outcome] = await Promise.allSettled([exchange.acknowledged()]);
      if (outcome.status === 'rejected') continue;
      order.acknowledgedAt = at + outcome.value.afterMs;
      return;
    }
    this.#givenUp += 1;
  }
}
