import { randomUUID } from 'node:crypto';
import type { IIdentifyThrottler } from '@discordjs/ws';
import { type Clock, pause } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import type { SharedFacts } from '../../services/store/remote/shared-facts.ts';
import type { GatewayInfo } from '../reads.ts';

/** Discord counts identifies in five seconds; the rest is for two requests that do not take the same time on their way. */
const TURN_MS = 5_250;
/** How often a waiting shard tries to take a turn. */
const LOOK_EVERY_MS = 250;

interface IdentifyParts {
  facts: SharedFacts;
  clock: Clock;
  log: Pick<PlainLog, 'warn' | 'error'>;
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
      const name = `identify:${shardId % this.#maxConcurrency}`;
      const waitMs = await this.#tryTurn(name, taker);
      if (signal.aborted) await this.#giveBack(name, taker);
      else if (waitMs === 0) return;
      await pause(this.#parts.clock, waitMs, signal);
    }
  }

  /** Zero if the turn is taken, else how long to wait before the next try. */
  async #tryTurn(name: string, taker: string): Promise<number> {
    const { facts, log } = this.#parts;
    try {
      if (!(await facts.claim(name, taker, TURN_MS))) return LOOK_EVERY_MS;
      const resetMs = await this.#untilNextSession();
      if (resetMs > 0) {
        await facts.release(name, taker);
        return resetMs;
      }
      // The read may have taken long: the turn begins now.
      return (await facts.claim(name, taker, TURN_MS)) ? 0 : LOOK_EVERY_MS;
    } catch (error) {
      log.warn({ err: error }, 'A shard waits to identify: the store or Discord did not respond.');
      return TURN_MS;
    }
  }

  /** Discord resets the token of a bot that identifies more often than it may, so it is asked each time. */
  async #untilNextSession(): Promise<number> {
    const { log, readGateway } = this.#parts;
    const { max_concurrency, remaining, reset_after } = (await readGateway()).session_start_limit;
    this.#maxConcurrency = max_concurrency;
    if (remaining > 0) {
      this.#isWarned = false;
      return 0;
    }
    if (!this.#isWarned)
      log.warn(
        { waitMs: reset_after },
        'Discord allows no new sessions until its limit resets; shards wait to identify.',
      );
    this.#isWarned = true;
    return Math.max(reset_after, LOOK_EVERY_MS);
  }

  async #giveBack(name: string, taker: string): Promise<void> {
    try {
      await this.#parts.facts.release(name, taker);
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'A turn to identify was not given back; it ends by itself.');
    }
  }
}
