import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedDiscord, text } from '../../sandbox/discord/discord.ts';
import type { MessageChange } from '../../sandbox/discord/stream.ts';
import { bucketOf, partitionOf } from '../../src/services/tasks/homes.ts';
import type { Calm, Load, LoadFigures, What, Work, WorkFigures } from './orders.ts';

const RESULT = 'Finished in';
/** A prime number, so that successive servers are in different partitions. */
const STEP = 7_919;
/** An order that was not accepted in time, or that has failed, has no result and counts as refused. */
const ORDER_LIMIT_MS = 60_000;
/** A member who is refused does not try again at once. */
const AFTER_REFUSAL_MS = 500;

/** Two members in every server. */
const [FLOODING, CALM] = ['member', 'other'] as const;

const commands: Readonly<Record<What, string>> = { text: 'shorten', image: 'imagine' };

/** The members of all ordinary servers. */
export class Members {
  readonly #discord: EmbeddedDiscord;
  /** The ids of the servers' channels, by partition. */
  readonly #channels: readonly (readonly string[])[];
  /** Members waiting for the end of an order, by its interaction. */
  readonly #waiting = new Map<string, (isResult: boolean) => void>();
  #milliseconds: number[] = [];
  #refused = 0;
  #asked = 0;
  #working: Promise<unknown> = Promise.resolve();
  #end = new AbortController();

  constructor(discord: EmbeddedDiscord, partitions: number) {
    this.#discord = discord;
    const channels = Array.from({ length: partitions }, (): string[] => []);
    const userIds = [FLOODING, CALM].map((name) => discord.world.user(name).id);
    for (const guild of discord.world.guilds.values()) {
      const [channel] = guild.channels;
      if (!guild.name.startsWith('guild-') || !channel) continue;
      for (const userId of userIds) guild.members.set(userId, { userId, roles: [], joinedAt: 0 });
      channels[partitionOf(bucketOf(guild.id), partitions)]?.push(channel.id);
    }
    this.#channels = channels;
    // With the embedded Discord's own wait function, every change would be compared with every waiting order.
    discord.listen(({ kind, what }) => {
      if (kind === 'message') this.#note(what as MessageChange);
    });
  }

  /** Paced by the clock and not by the responses, so that a slow response neither delays the next member nor goes unnoticed. */
  async load({ perSecond, seconds, partitions }: Load): Promise<LoadFigures> {
    const channels = this.#channels.filter((_, at) => partitions?.includes(at) ?? true).flat();
    const acknowledgements: Promise<number>[] = [];
    const start = performance.now();
    for (let at = 0; at < perSecond * seconds; at++) {
      const early = start + (at * 1_000) / perSecond - performance.now();
      if (early > 0) await sleep(early);
      const { acknowledged } = await this.#in(channels[(at * STEP) % channels.length], FLOODING).slash('models');
      const taken = acknowledged().then(({ afterMs }) => afterMs);
      // A missing one is counted below, when all others have arrived.
      taken.catch(() => undefined);
      acknowledgements.push(taken);
    }
    const settled = await Promise.allSettled(acknowledgements);
    const milliseconds = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    return { milliseconds, missed: settled.length - milliseconds.length };
  }

  work({ what, members, partitions }: Work): void {
    this.#end = new AbortController();
    const { signal } = this.#end;
    const one = async (at: number): Promise<void> => {
      const [channel] = this.#channels[partitions[at % partitions.length] ?? 0] ?? [];
      while (!signal.aborted) {
        const { isResult, ms } = await this.#order(what, FLOODING, channel);
        if (isResult) this.#milliseconds.push(ms);
        else {
          this.#refused += 1;
          await sleep(AFTER_REFUSAL_MS);
        }
      }
    };
    this.#working = Promise.all(Array.from({ length: members }, (_, at) => one(at)));
  }

  seen(): WorkFigures {
    const figures = { milliseconds: this.#milliseconds, refused: this.#refused };
    [this.#milliseconds, this.#refused] = [[], 0];
    return figures;
  }

  async rest(): Promise<void> {
    this.#end.abort();
    await this.#working;
  }

  /** The times from each order to its result. */
  async calm({ what, orders, everyMs, partition }: Calm): Promise<number[]> {
    const [, channel] = this.#channels[partition] ?? [];
    const results: Promise<number>[] = [];
    for (let at = 0; at < orders; at++) {
      results.push(
        this.#order(what, CALM, channel).then(({ isResult, ms }) => {
          if (!isResult) throw new Error('An order of the other server was refused.');
          return ms;
        }),
      );
      await sleep(everyMs);
    }
    return Promise.all(results);
  }

  async #order(what: What, who: string, channel: string | undefined): Promise<{ isResult: boolean; ms: number }> {
    this.#asked += 1;
    const start = performance.now();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const prompt = `a long road to a lighthouse in the fog, number ${this.#asked}`;
    const { id } = await this.#in(channel, who).slash(commands[what], { prompt });
    this.#waiting.set(id, resolve);
    const late = setTimeout(() => resolve(false), ORDER_LIMIT_MS);
    const isResult = await promise;
    clearTimeout(late);
    this.#waiting.delete(id);
    return { isResult, ms: performance.now() - start };
  }

  #in(channel: string | undefined, who: string) {
    if (channel === undefined) throw new Error('There are not enough servers for this number of partitions.');
    return this.#discord.as(who).in(channel);
  }

  #note({ message, viewer }: MessageChange): void {
    const id = message.interaction_metadata?.id;
    const resolve = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || !resolve) return;
    const isResult = text(message).includes(RESULT);
    // Only a refusal is private and not a placeholder.
    if (!isResult && (viewer === null || message.content === '')) return;
    this.#waiting.delete(id);
    resolve(isResult);
  }
}
