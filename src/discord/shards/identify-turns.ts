import { randomUUID } from 'node:crypto';
import type { IIdentifyThrottler } from '@discordjs/ws';
import { type Clock, pause } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import type { SharedFacts } from '../../services/store/remote/shared-facts.ts';
import type { GatewayInfo } from '../reads.ts';

/** Discord counts identifies in five seconds; the rest is for two requests that do not take the same time on their way. */
const TURN_MS = 5_250;
/** How often a waiting shard tries to take a turn. */
const POLL_INTERVAL_MS = 250;
/** Before a turn that was taken and given back is tried again. */
const AGAIN_MS = 500;

/** Near the end of what Discord allows, one shard of the whole cluster identifies at a time: the next one reads what is left. */
const LAST_SESSIONS = 'identify:last';

interface IdentifyParts {
  facts: SharedFacts;
  clock: Clock;
  log: Pick<PlainLog, 'warn'>;
  readGateway(): Promise<GatewayInfo>;
}

/** Shards of all processes take turns to identify, as many at once as Discord allows, and as often as it allows in a day. */
export class IdentifyTurns implements IIdentifyThrottler {
  readonly #parts: IdentifyParts;
  #maxConcurrency: number;
  #isWarned = false;

  constructor(parts: IdentifyParts, maxConcurrency: number) {
    this.#parts = parts;
    this.#maxConcurrency = maxConcurrency;
  }

  /** Rejects only if the signal aborts: after any other error the library would identify twice. */
  async waitForIdentify(shardId: number, signal: AbortSignal): Promise<void> {
    // A name of its own, because two shards of this process may not share a turn.
    const taker = randomUUID();
    for (;;) {
      signal.throwIfAborted();
      const turn = `identify:${shardId % this.#maxConcurrency}`;
      const waitMs = await this.#tryTurn(turn, taker);
      if (waitMs === 0 && !signal.aborted) return;
      if (waitMs !== POLL_INTERVAL_MS) await this.#release([turn, LAST_SESSIONS], taker);
      signal.throwIfAborted();
      await pause(this.#parts.clock, waitMs, signal);
    }
  }

  /** Zero if the turn is taken, else how long to wait before the next try. */
  async #tryTurn(turn: string, taker: string): Promise<number> {
    const { facts, log, readGateway } = this.#parts;
    try {
      if (!(await facts.claim(turn, taker, TURN_MS))) return POLL_INTERVAL_MS;
      let limit = (await readGateway()).session_start_limit;
      this.#maxConcurrency = limit.max_concurrency;
      // Others that identify at this moment may not be counted yet.
      if (limit.remaining <= limit.max_concurrency) {
        if (!(await facts.claim(LAST_SESSIONS, taker, TURN_MS))) return AGAIN_MS;
        limit = (await readGateway()).session_start_limit;
      }
      if (limit.remaining <= 0) return this.#untilReset(limit.reset_after);
      this.#isWarned = false;
      // The reads may have taken long: the turn begins now.
      return (await facts.claim(turn, taker, TURN_MS)) ? 0 : AGAIN_MS;
    } catch (error) {
      log.warn({ err: error }, 'A shard waits to identify, because the store or Discord did not respond.');
      return TURN_MS;
    }
  }

  /** Discord resets the token of a bot that identifies more often than it may. */
  #untilReset(resetMs: number): number {
    if (!this.#isWarned)
      this.#parts.log.warn(
        { waitMs: resetMs },
        'Discord allows no new sessions until its limit resets; shards wait to identify.',
      );
    this.#isWarned = true;
    return Math.max(resetMs, AGAIN_MS);
  }

  async #release(names: readonly string[], taker: string): Promise<void> {
    try {
      for (const name of names) await this.#parts.facts.release(name, taker);
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'Could not release a turn to identify; it will expire.');
    }
  }
}
