import { setTimeout as pause } from 'node:timers/promises';
import type { RecordedRequest } from '../../../sandbox/discord/request-log.ts';
import { type Random, randomOf } from '../../../sandbox/gateway/random.ts';
import type { RecordedGatewayRequest } from '../../../sandbox/gateway/request-log.ts';
import { bucketOf, partitionOf } from '../../../src/services/tasks/homes.ts';
import type { StoreServer } from '../../support/store-servers.ts';
import { orderOfRequest } from '../evidence.ts';
import { killAndRestart } from '../killing.ts';
import type { Members, Order } from '../members.ts';
import type { EmbeddedServers } from '../sides.ts';
import { anyOf } from '../troubles.ts';
import { waitUntil } from '../waiting.ts';
import { promptIn } from '../words.ts';
import { ClusterNode, type ClusterRole, type Fleet } from './fleet.ts';
import type { ClusterEvent } from './plan.ts';

/** A worker that has just started does not own anything yet. */
const OWNERSHIP_WAIT_MS = 10_000;
/** How soon a process that has lost its lease must end once it runs again, on a busy machine. */
const EXIT_LIMIT_MS = 20_000;

interface Parts {
  fleet: Fleet;
  servers: EmbeddedServers;
  members: Members;
  settings: Record<string, string>;
  seed: number;
  partitions: number;
  /** Without it, the server of the store is never crashed. */
  server?: Pick<StoreServer, 'crash' | 'restart'> | undefined;
}

type EventOf<Type extends ClusterEvent['do']> = Extract<ClusterEvent, { do: Type }>;

/** Carries out the plan on the processes, and records the results. */
export class ClusterEvents {
  readonly #parts: Parts;
  readonly #random: Random;
  readonly eventCounts = new Map<string, number>();
  readonly failures: string[] = [];
  /** Kills are carried out one after another, each in the middle of its step. */
  #pendingKills = Promise.resolve();
  #joinCount = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#random = randomOf(parts.seed + 2);
  }

  carryOut(event: ClusterEvent): Promise<void> {
    switch (event.do) {
      case 'kill':
        this.#pendingKills = this.#pendingKills.then(() => this.#kill(event));
        return this.#pendingKills;
      case 'pause':
        return this.#pause(event);
      case 'crash':
        return this.#crash(event);
      case 'leave':
        return this.#leave(event);
      case 'join':
        return this.#join(event);
    }
  }

  async #kill({ role, kill }: EventOf<'kill'>): Promise<void> {
    let victim: ClusterNode | undefined;
    const choose = () => {
      const node = this.#choose(role, this.#senderOf(this.#parts.servers.requestsAt(kill.step).at(-1)));
      victim = node;
      if (!node) return this.#skip('kill');
      node.isBusy = true;
      this.#count(`kill -9 of a ${role}`);
      return node.keeper;
    };
    await killAndRestart(kill, this.#parts.servers, choose);
    if (victim) victim.isBusy = false;
  }

  async #pause({ role, ms }: EventOf<'pause'>): Promise<void> {
    const node = this.#choose(role);
    if (!node) return this.#skip('pause');
    node.isBusy = true;
    const { keeper } = node;
    const countOwned = (): number => {
      node.readOutput();
      return node.owned.size;
    };
    if (role === 'worker')
      await waitUntil(OWNERSHIP_WAIT_MS, () => keeper.isAlive && keeper.isReady && countOwned() > 0);
    const ownedCount = countOwned();
    const lossesBefore = keeper.lostLeases;
    await keeper.suspend(ms);
    if (role === 'worker' && ownedCount > 0) {
      const hasEnded = await waitUntil(EXIT_LIMIT_MS, () => keeper.lostLeases > lossesBefore);
      if (hasEnded) this.#count('pause of a worker, which then exited with 75');
      else this.failures.push(`${node.name} kept running after it had been paused for ${ms} ms`);
    } else this.#count(`pause of a ${role}`);
    node.isBusy = false;
  }

  async #crash({ downMs }: EventOf<'crash'>): Promise<void> {
    const { server } = this.#parts;
    if (!server) return this.#skip('crash');
    this.#count('crash of the store’s server');
    await server.crash();
    await pause(downMs);
    await server.restart();
  }

  async #leave({ role, awayMs }: EventOf<'leave'>): Promise<void> {
    const node = this.#choose(role);
    if (!node) return this.#skip('leave');
    node.isBusy = true;
    await this.#stop(node);
    this.#count(`SIGTERM of a ${role}`);
    await pause(awayMs);
    await node.keeper.start();
    node.isBusy = false;
  }

  async #join({ stayMs }: EventOf<'join'>): Promise<void> {
    const { fleet, settings } = this.#parts;
    this.#joinCount += 1;
    const node = new ClusterNode('worker', `guest ${this.#joinCount}`, settings);
    node.isBusy = true;
    fleet.nodes.push(node);
    await node.keeper.start();
    await pause(stayMs);
    await this.#stop(node);
    this.#count('a worker that joined and left');
  }

  /** Exit code 75 means that the process lost its store when the server crashed, before it could release the store. */
  async #stop({ name, keeper }: ClusterNode): Promise<void> {
    const lossesBefore = keeper.lostLeases;
    const wasReady = keeper.isReady;
    const code = await keeper.stop();
    // SIGTERM ends a process that is still starting, for example because the server of the store is down.
    if (code === 0 || (code === null && !wasReady)) return;
    const isLoss = code === 75 && (this.eventCounts.get('crash of the store’s server') ?? 0) > 0;
    if (!isLoss && keeper.lostLeases === lossesBefore)
      this.failures.push(`${name} exited with ${code} when it was told to stop`);
  }

  #choose(role: ClusterRole, preferredNode?: ClusterNode): ClusterNode | undefined {
    const freeNodes = this.#parts.fleet.withRole(role).filter(({ isBusy, keeper }) => !isBusy && keeper.isAlive);
    if (preferredNode && freeNodes.includes(preferredNode)) return preferredNode;
    return freeNodes.length > 0 ? anyOf(freeNodes, this.#random) : undefined;
  }

  /** The worker that sent a request, if the request reveals it. */
  #senderOf(request: RecordedRequest | RecordedGatewayRequest | undefined): ClusterNode | undefined {
    const order = request && this.#orderIn(request);
    const { fleet, partitions, servers } = this.#parts;
    if (!order) return undefined;
    const { guildId } = servers.discord.world.channel(order.channelId);
    return fleet.ownerOf(partitionOf(bucketOf(guildId ?? order.userId), partitions));
  }

  #orderIn({ path, body }: RecordedRequest | RecordedGatewayRequest): Order | undefined {
    const { members, servers } = this.#parts;
    const job = servers.gateway.jobs.list().find(({ id }) => path.includes(id));
    const prompt = orderOfRequest({ body }, servers.gateway.jobs.list()) ?? promptIn(job?.prompt);
    return members.orders.find((order) => order.prompt === prompt || path.includes(`/${order.interactionId}/`));
  }

  #skip(what: string): undefined {
    this.#count(`${what} skipped: no process was free`);
    return undefined;
  }

  #count(what: string): void {
    this.eventCounts.set(what, (this.eventCounts.get(what) ?? 0) + 1);
  }
}
