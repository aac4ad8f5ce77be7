import { randomUUID } from 'node:crypto';
import type { IIdentifyThrottler } from '@discordjs/ws';
import type { AppContext } from '../../lib/app-context.ts';
import { pause } from '../../lib/clock.ts';
import type { SharedFacts } from '../../services/store/shared-facts.ts';
import type { GatewayInfo } from '../reads.ts';

/** Discord limits identifies per five seconds; the extra time allows for two requests that take different times to arrive. */
const TURN_MS = 5_250;
/** How often a waiting shard tries to take a turn. */
const CHECK_INTERVAL_MS = 250;
/** How long to wait before a turn that was taken and released is tried again. */
const RETRY_TURN_MS = 500;

/** When few identifies remain, only one shard of the whole cluster identifies at a time, so that the next one reads the number that is left. */
const LAST_SESSIONS_CLAIM = 'identify:last';

/** Shards of all processes take turns to identify, as many at once as Discord allows, and as often as it allows in a day. */
export class IdentifyTurns implements IIdentifyThrottler {
  readonly #context: AppContext & { facts: SharedFacts };
  readonly #readGateway: () => Promise<GatewayInfo>;
  #maxConcurrency: number;
  #hasWarned = false;

  constructor(
    context: AppContext & { facts: SharedFacts },
    readGateway: () => Promise<GatewayInfo>,
    maxConcurrency: number,
  ) {
    this.#context = context;
    this.#readGateway = readGateway;
    this.#maxConcurrency = maxConcurrency;
  }

  /** Rejects only if the signal aborts: after any other error the library would identify twice. */
  async waitForIdentify(shardId: number, signal: AbortSignal): Promise<void> {
    // Each shard uses its own name, because two shards of this process must not share a turn.
    const holder = randomUUID();
    for (;;) {
      signal.throwIfAborted();
      const turn = `identify:${shardId % this.#maxConcurrency}`;
      const waitMs = await this.#tryTurn(turn, holder);
      if (waitMs === 0 && !signal.aborted) return;
      if (waitMs !== CHECK_INTERVAL_MS) await this.#releaseTurn([turn, LAST_SESSIONS_CLAIM], holder);
      signal.throwIfAborted();
      await pause(this.#context.clock, waitMs, signal);
    }
  }

  /** Returns zero if the turn was taken, otherwise how long to wait before the next attempt. */
  async #tryTurn(turn: string, holder: string): Promise<number> {
    const { facts, log } = this.#context;
    try {
      if (!(await facts.claim(turn, holder, TURN_MS))) return CHECK_INTERVAL_MS;
      let limit = (await this.#readGateway()).session_start_limit;
      this.#maxConcurrency = limit.max_concurrency;
      // Shards that are identifying at this moment may not be counted yet.
      if (limit.remaining <= limit.max_concurrency) {
        if (!(await facts.claim(LAST_SESSIONS_CLAIM, holder, TURN_MS))) return RETRY_TURN_MS;
        limit = (await this.#readGateway()).session_start_limit;
      }
      if (limit.remaining <= 0) return this.#waitMsUntilReset(limit.reset_after);
      this.#hasWarned = false;
      // The reads may have taken a long time, so the turn begins now.
      return (await facts.claim(turn, holder, TURN_MS)) ? 0 : RETRY_TURN_MS;
    } catch (error) {
      log.warn({ err: error }, 'A shard is waiting to identify, because the store or Discord did not respond.');
      return TURN_MS;
    }
  }

  /** Discord resets the token of a bot that identifies more often than allowed. */
  #waitMsUntilReset(resetMs: number): number {
    if (!this.#hasWarned)
      this.#context.log.warn(
        { waitMs: resetMs },
        'Discord allows no new sessions until its limit resets; shards wait to identify.',
      );
    this.#hasWarned = true;
    return Math.max(resetMs, RETRY_TURN_MS);
  }

  async #releaseTurn(names: readonly string[], holder: string): Promise<void> {
    try {
      for (const name of names) await this.#context.facts.release(name, holder);
    } catch (error) {
      this.#context.log.warn({ err: error }, 'A turn to identify could not be released; it will expire.');
    }
  }
}
