import { setTimeout as pause } from 'node:timers/promises';
import type { RecordedRequest } from '../../../sandbox/discord/request-log.ts';
import { type Random, randomOf } from '../../../sandbox/gateway/random.ts';
import type { RecordedGatewayRequest } from '../../../sandbox/gateway/request-log.ts';
import { bucketOf, partitionOf } from '../../../src/services/tasks/homes.ts';
import type { StoreServer } from '../../support/store-servers.ts';
import { orderOfRequest } from '../evidence.ts';
import { killAndRaise } from '../killing.ts';
import type { Members, Order } from '../members.ts';
import type { Sides } from '../sides.ts';
import { anyOf } from '../troubles.ts';
import { within } from '../waiting.ts';
import { promptIn } from '../words.ts';
import { type ClusterRole, type Fleet, Hand } from './fleet.ts';
import type { Misfortune } from './plan.ts';

/** A worker that has just started does not own anything yet. */
const OWNING_MS = 10_000;
/** How soon a process that has lost its lease must end once it runs again, on a busy machine. */
const EXIT_LIMIT_MS = 20_000;

interface Parts {
  fleet: Fleet;
  sides: Sides;
  members: Members;
  settings: Record<string, string>;
  seed: number;
  partitions: number;
  /** Without it the server of the store is not crashed. */
  server?: Pick<StoreServer, 'crash' | 'raise'> | undefined;
}

type Of<What extends Misfortune['do']> = Extract<Misfortune, { do: What }>;

/** Carries out the plan on the processes, and records the results. */
export class Misfortunes {
  readonly #parts: Parts;
  readonly #random: Random;
  readonly happened = new Map<string, number>();
  readonly broken: string[] = [];
  /** Kills wait for their moments one after another. */
  #killing = Promise.resolve();
  #joined = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#random = randomOf(parts.seed + 2);
  }

  befall(misfortune: Misfortune): Promise<void> {
    switch (misfortune.do) {
      case 'kill':
        this.#killing = this.#killing.then(() => this.#kill(misfortune));
        return this.#killing;
      case 'pause':
        return this.#pause(misfortune);
      case 'crash':
        return this.#crash(misfortune);
      case 'leave':
        return this.#leave(misfortune);
      case 'join':
        return this.#join(misfortune);
    }
  }

  async #kill({ role, kill }: Of<'kill'>): Promise<void> {
    let victim: Hand | undefined;
    const choose = () => {
      const hand = this.#choose(role, this.#whoSent(this.#parts.sides.requestsAt(kill.amid).at(-1)));
      victim = hand;
      if (!hand) return this.#skip('kill');
      hand.isBusy = true;
      this.#note(`kill -9 of a ${role}`);
      return hand.keeper;
    };
    await killAndRaise(kill, this.#parts.sides, choose);
    if (victim) victim.isBusy = false;
  }

  async #pause({ role, ms }: Of<'pause'>): Promise<void> {
    const hand = this.#choose(role);
    if (!hand) return this.#skip('pause');
    hand.isBusy = true;
    const { keeper } = hand;
    if (role === 'worker') await within(OWNING_MS, () => keeper.isAlive && hand.owned.size > 0);
    const owned = hand.owned.size;
    const before = keeper.losses;
    await keeper.suspend(ms);
    if (role === 'worker' && owned > 0) {
      const hasEnded = await within(EXIT_LIMIT_MS, () => keeper.losses > before);
      if (hasEnded) this.#note('pause of a worker, which then ended with 75');
      else this.broken.push(`${hand.name} went on after it was paused for ${ms} ms`);
    } else this.#note(`pause of a ${role}`);
    hand.isBusy = false;
  }

  async #crash({ downMs }: Of<'crash'>): Promise<void> {
    const { server } = this.#parts;
    if (!server) return this.#skip('crash');
    this.#note('crash of the store’s server');
    await server.crash();
    await pause(downMs);
    await server.raise();
  }

  async #leave({ role, awayMs }: Of<'leave'>): Promise<void> {
    const hand = this.#choose(role);
    if (!hand) return this.#skip('leave');
    hand.isBusy = true;
    await this.#stop(hand);
    this.#note(`SIGTERM of a ${role}`);
    await pause(awayMs);
    await hand.keeper.start();
    hand.isBusy = false;
  }

  async #join({ stayMs }: Of<'join'>): Promise<void> {
    const { fleet, settings } = this.#parts;
    this.#joined += 1;
    const hand = new Hand('worker', `guest ${this.#joined}`, settings);
    hand.isBusy = true;
    fleet.hands.push(hand);
    await hand.keeper.start();
    await pause(stayMs);
    await this.#stop(hand);
    this.#note('a worker that joined and left');
  }

  /** 75 means that the process lost its store in a crash of the server before it could release it. */
  async #stop({ name, keeper }: Hand): Promise<void> {
    const before = keeper.losses;
    const code = await keeper.stop();
    if (code === 0) return;
    const isLoss = code === 75 && (this.happened.get('crash of the store’s server') ?? 0) > 0;
    if (!isLoss && keeper.losses === before)
      this.broken.push(`${name} did not end well when told to, but with ${code}`);
  }

  #choose(role: ClusterRole, wanted?: Hand): Hand | undefined {
    const free = this.#parts.fleet.of(role).filter(({ isBusy, keeper }) => !isBusy && keeper.isAlive);
    if (wanted && free.includes(wanted)) return wanted;
    return free.length > 0 ? anyOf(free, this.#random) : undefined;
  }

  /** The worker that sent a request, if the request reveals it. */
  #whoSent(request: RecordedRequest | RecordedGatewayRequest | undefined): Hand | undefined {
    const order = request && this.#orderIn(request);
    const { fleet, partitions, sides } = this.#parts;
    if (!order) return undefined;
    const { guildId } = sides.discord.world.channel(order.channelId);
    return fleet.ownerOf(partitionOf(bucketOf(guildId ?? order.userId), partitions));
  }

  #orderIn({ path, body }: RecordedRequest | RecordedGatewayRequest): Order | undefined {
    const { members, sides } = this.#parts;
    const job = sides.gateway.jobs.list().find(({ id }) => path.includes(id));
    const prompt = orderOfRequest({ body }, sides.gateway.jobs.list()) ?? promptIn(job?.prompt);
    return members.orders.find((order) => order.prompt === prompt || path.includes(`/${order.interactionId}/`));
  }

  #skip(what: string): undefined {
    this.#note(`${what} left out: no process was free`);
    return undefined;
  }

  #note(what: string): void {
    this.happened.set(what, (this.happened.get(what) ?? 0) + 1);
  }
}
