import { DefaultWebSocketManagerOptions } from '@discordjs/ws';
import { pause } from '../../lib/clock.ts';
import { once } from '../../lib/once.ts';
import { acquireClaim, type ClusterContext } from '../../services/cluster/claim.ts';
import { findTakeable, hasSurplusShard } from '../../services/cluster/shares.ts';
import type { Lease } from '../../services/store/lease.ts';
import { StoreError } from '../../services/tasks/store-error.ts';
import type { DiscordReads } from '../outbox/clients.ts';
import { reachDiscord } from '../reach.ts';
import { readGateway } from '../reads.ts';
import type { PassOn } from './hand-over.ts';
import { IdentifyTurns } from './identify-turns.ts';
import { Shard, type ShardContext } from './shard.ts';
import {
  joinShardProcesses,
  liveShardProcesses,
  SHARD_PREFIX,
  ShardCountError,
  shardOwners,
} from './shard-processes.ts';

/** Short enough that a shard changes hands well within the three seconds that Discord allows for an acknowledgement. Discord buffers events in the meantime. */
const ROUND_INTERVAL_MS = 500;
/** At least this many rounds take place per lease. Claims are renewed equally often. */
const ROUNDS_PER_LEASE = 5;

interface ShardsContext extends ClusterContext {
  token: string;
  /** Sends the bot's token. */
  reads: DiscordReads;
  intents: number;
  /** Discord's recommendation by default. */
  shardCount?: number | undefined;
  onDispatch: PassOn;
}

/** Joins the shard processes of the cluster, and connects this process's share of the shards. */
export async function openShards(context: ShardsContext): Promise<Shards> {
  const { reads, token, intents } = context;
  const gateway = await reachDiscord(readGateway(reads));
  const { count: shardCount, processClaim } = await joinShardProcesses(context, gateway.shards, context.shardCount);
  const options = { ...DefaultWebSocketManagerOptions, token, intents, shardCount, gatewayInformation: gateway };
  const turns = new IdentifyTurns(context, () => readGateway(reads), gateway.session_start_limit.max_concurrency);
  return new Shards({ ...context, options, turns }, processClaim);
}

export class Shards {
  readonly #context: ShardContext;
  readonly #shards = new Map<number, Shard>();
  /** Shards that were released or lost and have not ended yet. */
  readonly #leaving = new Map<number, Promise<void>>();
  readonly #fatalCloseCode = Promise.withResolvers<number>();
  /** Resolves with Discord's close code when Discord refuses to serve this bot. */
  readonly fatalCloseCode = this.#fatalCloseCode.promise;
  readonly #lost = Promise.withResolvers<StoreError>();
  /** Resolves when this process must end, because the others use another number of shards. */
  readonly lost = this.#lost.promise;
  readonly #stop = new AbortController();
  readonly #rounds: Promise<void>;
  #processClaim: Lease;
  #hasShare = false;

  constructor(context: Omit<ShardContext, 'onRefused'>, processClaim: Lease) {
    this.#context = { ...context, onRefused: (code) => this.#fatalCloseCode.resolve(code) };
    this.#processClaim = processClaim;
    this.#rounds = this.#runRounds();
  }

  /** The number of shards of the whole cluster. */
  get count(): number {
    return this.#context.options.shardCount;
  }

  get ids(): number[] {
    return [...this.#shards.keys()];
  }

  /** The number of this process's shards that receive events. */
  get connectedCount(): number {
    return [...this.#shards.values()].filter(({ isReady }) => isReady).length;
  }

  /** Whether this process receives events from all of its shards. */
  isConnected(): boolean {
    return this.#hasShare && [...this.#shards.values()].every(({ isReady }) => isReady);
  }

  /** Releases all shards, so that other processes can resume their sessions. */
  readonly close = once(async () => {
    this.#stop.abort();
    await this.#rounds;
    // The claim goes first, so that the other processes see at once that they can take these shards.
    await this.#processClaim
      .release()
      .catch((error: unknown) =>
        this.#context.log.warn({ err: error }, 'A shard process could not release its claim; the claim will expire.'),
      );
    for (const shard of this.#shards.values()) this.#release(shard);
    await Promise.all(this.#leaving.values());
  });

  async #runRounds(): Promise<void> {
    const { clock, leaseMs, log } = this.#context;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#round();
      } catch (error) {
        this.#hasShare = false;
        if (error instanceof ShardCountError) return this.#lost.resolve(shardCountLost(error));
        log.warn({ err: error }, 'Could not distribute the shards; will try again.');
      }
      if (!signal.aborted) await pause(clock, Math.min(ROUND_INTERVAL_MS, leaseMs / ROUNDS_PER_LEASE), signal);
    }
  }

  /** Takes free shards up to this process's share, or releases one surplus shard, but none while another one is free. */
  async #round(): Promise<void> {
    const { facts, holder } = this.#context;
    // While this process was suspended, the others did not count it, and may have agreed on another number of shards.
    if (!this.#processClaim.isHeld)
      this.#processClaim = (await joinShardProcesses(this.#context, this.count, this.count)).processClaim;
    const [processes, { owners, deadOwners }] = await Promise.all([liveShardProcesses(facts), shardOwners(facts)]);
    // For its own shards, this process knows more than the store does.
    for (const [id, owner] of owners) if (owner === holder) owners.delete(id);
    for (const id of [...this.#shards.keys(), ...this.#leaving.keys()]) owners.set(id, holder);
    const shares = { count: this.count, workers: [...new Set([...processes, holder])].sort(), owners };
    for (const id of findTakeable(shares, holder))
      if (!this.#stop.signal.aborted) await this.#takeShard(id, deadOwners.get(id));
    this.#hasShare = true;
    const lastShard = [...this.#shards.values()].at(-1);
    if (hasSurplusShard(shares, holder) && lastShard && this.#leaving.size === 0) this.#release(lastShard);
  }

  async #takeShard(id: number, deadOwner: string | undefined): Promise<void> {
    const claim = await acquireClaim(SHARD_PREFIX + id, this.#context, deadOwner);
    if (!claim) return;
    const shard = new Shard(id, claim, this.#context);
    this.#shards.set(id, shard);
    this.#context.log.info({ shard: id, shards: this.count }, 'Took a shard.');
    void claim.lost.then(() => this.#abandon(shard));
    void shard.connect();
  }

  #abandon(shard: Shard): void {
    if (this.#shards.get(shard.id) !== shard) return;
    this.#context.log.warn({ shard: shard.id }, 'The claim on a shard was lost: another process may have it.');
    this.#leave(shard, shard.abandon());
  }

  #release(shard: Shard): void {
    this.#context.log.info({ shard: shard.id, shards: this.count }, 'Releasing a shard.');
    this.#leave(shard, shard.release());
  }

  #leave({ id }: Shard, ending: Promise<void>): void {
    this.#shards.delete(id);
    const logFailure = (error: unknown) =>
      this.#context.log.warn({ shard: id, err: error }, 'Could not release a shard; its claim will expire.');
    const ended = ending.catch(logFailure).finally(() => this.#leaving.delete(id));
    this.#leaving.set(id, ended);
  }
}

const shardCountLost = (cause: ShardCountError): StoreError =>
  new StoreError(
    'lost',
    'While this shard process did not respond, the others have agreed on another number of shards, so it stopped. Start it again to use the same number.',
    cause,
  );
