import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedDiscord, text } from '../../sandbox/discord/discord.ts';
import type { MessageChange } from '../../sandbox/discord/stream.ts';
import { bucketOf, partitionOf } from '../../src/services/tasks/homes.ts';
import type { Load, LoadFigures, SteadyOrders, TaskType, Work, WorkFigures } from './orders.ts';

const RESULT_TEXT = 'Finished in';
/** A prime number, so that successive servers are in different partitions. */
const GUILD_STEP = 7_919;
/** An order that was not accepted in time, or that has failed, has no result and counts as refused. */
const ORDER_LIMIT_MS = 60_000;
/** A member whose order is refused waits this long before the next one. */
const AFTER_REFUSAL_MS = 500;

/** Two members in every server. */
const [FLOODING_USER, STEADY_USER] = ['member', 'other'] as const;

const commands: Readonly<Record<TaskType, string>> = { text: 'shorten', image: 'imagine' };

/** The members of all ordinary servers. */
export class Members {
  readonly #discord: EmbeddedDiscord;
  /** The ids of the servers' channels, by partition. */
  readonly #channels: readonly (readonly string[])[];
  /** Resolves the orders that have not ended, by the id of their interaction. */
  readonly #pendingOrders = new Map<string, (isResult: boolean) => void>();
  #milliseconds: number[] = [];
  #refusedCount = 0;
  #orderCount = 0;
  #orderLoops: Promise<unknown> = Promise.resolve();
  #workController = new AbortController();

  constructor(discord: EmbeddedDiscord, partitions: number) {
    this.#discord = discord;
    const channels = Array.from({ length: partitions }, (): string[] => []);
    const userIds = [FLOODING_USER, STEADY_USER].map((name) => discord.world.user(name).id);
    for (const guild of discord.world.guilds.values()) {
      const [channel] = guild.channels;
      if (!guild.name.startsWith('guild-') || !channel) continue;
      for (const userId of userIds) guild.members.set(userId, { userId, roles: [], joinedAt: 0 });
      channels[partitionOf(bucketOf(guild.id), partitions)]?.push(channel.id);
    }
    this.#channels = channels;
    // With the embedded Discord's own wait function, every change would be compared with every waiting order.
    discord.listen(({ kind, what }) => {
      if (kind === 'message') this.#handleChange(what as MessageChange);
    });
  }

  /** Sends commands at the pace of the clock, not of the responses, so that a slow response neither delays the next member nor goes unnoticed. */
  async load({ perSecond, seconds, partitions }: Load): Promise<LoadFigures> {
    const channels = this.#channels.filter((_, index) => partitions?.includes(index) ?? true).flat();
    const acknowledgements: Promise<number>[] = [];
    const start = performance.now();
    for (let index = 0; index < perSecond * seconds; index++) {
      const waitMs = start + (index * 1_000) / perSecond - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      const { acknowledged } = await this.#inChannel(
        channels[(index * GUILD_STEP) % channels.length],
        FLOODING_USER,
      ).slash('models');
      const acknowledgement = acknowledged().then(({ afterMs }) => afterMs);
      // A missing acknowledgement is counted below, once all others have arrived.
      acknowledgement.catch(() => undefined);
      acknowledgements.push(acknowledgement);
    }
    const settled = await Promise.allSettled(acknowledgements);
    const milliseconds = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    return { milliseconds, missed: settled.length - milliseconds.length };
  }

  work({ what, members, partitions }: Work): void {
    this.#workController = new AbortController();
    const { signal } = this.#workController;
    const orderRepeatedly = async (index: number): Promise<void> => {
      const [channel] = this.#channels[partitions[index % partitions.length] ?? 0] ?? [];
      while (!signal.aborted) {
        const { isResult, ms } = await this.#order(what, FLOODING_USER, channel);
        if (isResult) this.#milliseconds.push(ms);
        else {
          this.#refusedCount += 1;
          await sleep(AFTER_REFUSAL_MS);
        }
      }
    };
    this.#orderLoops = Promise.all(Array.from({ length: members }, (_, index) => orderRepeatedly(index)));
  }

  takeFigures(): WorkFigures {
    const figures = { milliseconds: this.#milliseconds, refused: this.#refusedCount };
    [this.#milliseconds, this.#refusedCount] = [[], 0];
    return figures;
  }

  async stopWork(): Promise<void> {
    this.#workController.abort();
    await this.#orderLoops;
  }

  /** The times from each order to its result. */
  async steadyOrders({ what, orders, everyMs, partition }: SteadyOrders): Promise<number[]> {
    const [, channel] = this.#channels[partition] ?? [];
    const results: Promise<number>[] = [];
    for (let index = 0; index < orders; index++) {
      results.push(
        this.#order(what, STEADY_USER, channel).then(({ isResult, ms }) => {
          if (!isResult) throw new Error('An order of the other server was refused.');
          return ms;
        }),
      );
      await sleep(everyMs);
    }
    return Promise.all(results);
  }

  async #order(
    what: TaskType,
    userName: string,
    channel: string | undefined,
  ): Promise<{ isResult: boolean; ms: number }> {
    this.#orderCount += 1;
    const start = performance.now();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const prompt = `a long road to a lighthouse in the fog, number ${this.#orderCount}`;
    const { id } = await this.#inChannel(channel, userName).slash(commands[what], { prompt });
    this.#pendingOrders.set(id, resolve);
    const timer = setTimeout(() => resolve(false), ORDER_LIMIT_MS);
    const isResult = await promise;
    clearTimeout(timer);
    this.#pendingOrders.delete(id);
    return { isResult, ms: performance.now() - start };
  }

  #inChannel(channel: string | undefined, userName: string) {
    if (channel === undefined) throw new Error('There are not enough servers for this number of partitions.');
    return this.#discord.as(userName).in(channel);
  }

  #handleChange({ message, viewer }: MessageChange): void {
    const id = message.interaction_metadata?.id;
    const resolve = id === undefined ? undefined : this.#pendingOrders.get(id);
    if (id === undefined || !resolve) return;
    const isResult = text(message).includes(RESULT_TEXT);
    // A private message with content is a refusal; one without content is a placeholder.
    if (!isResult && (viewer === null || message.content === '')) return;
    this.#pendingOrders.delete(id);
    resolve(isResult);
  }
}
