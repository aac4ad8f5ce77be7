import type { GatewayDispatchPayload } from 'discord-api-types/v10';
import type { AppContext } from '../../lib/app-context.ts';
import { pause, withTimeout } from '../../lib/clock.ts';
import { trackUntilDone } from '../../lib/track-until-done.ts';
import type { Progress } from './session.ts';

const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 2_000;

interface HandOverParts extends AppContext {
  shardId: number;
  /** A hand-over that fails for this long is given up. */
  limitMs: number;
  /** Aborts when the shard is released or lost. */
  stopSignal: AbortSignal;
  onDispatch(packet: GatewayDispatchPayload, shardId: number): Promise<void>;
}

/**
 * Passes dispatches on, and retries those that fail, because a resume would replay everything after them as well. Those that still fail when the
 * shard is released stay unfinished, so that the next process gets them by resuming.
 */
export class HandOver {
  readonly #parts: HandOverParts;
  readonly #running = new Set<Promise<unknown>>();
  readonly #failing = new Set<GatewayDispatchPayload>();

  constructor(parts: HandOverParts) {
    this.#parts = parts;
  }

  async deliver(packet: GatewayDispatchPayload, progress: Progress): Promise<void> {
    progress.begin(packet.s);
    if (await trackUntilDone(this.#pass(packet), this.#running)) progress.end(packet.s);
  }

  /** Waits for running hand-overs, within a time limit. */
  async settle(limitMs: number): Promise<void> {
    await withTimeout(this.#parts.clock, limitMs, Promise.allSettled(this.#running));
  }

  async #pass(packet: GatewayDispatchPayload): Promise<boolean> {
    const { shardId, clock, log, limitMs, stopSignal, onDispatch } = this.#parts;
    const facts = { shard: shardId, event: packet.t };
    let deadline: number | undefined;
    try {
      for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
        try {
          await onDispatch(packet, shardId);
          return true;
        } catch (error) {
          if (deadline !== undefined && clock.now() >= deadline) {
            log.error({ ...facts, err: error }, 'A Discord event could not be passed on, and is lost.');
            return true;
          }
          if (this.#failing.size === 0)
            log.warn({ ...facts, err: error }, 'A Discord event could not be passed on; retrying.');
          deadline ??= clock.now() + limitMs;
          this.#failing.add(packet);
        }
        if (!stopSignal.aborted) await pause(clock, waitMs, stopSignal);
        if (stopSignal.aborted) return false;
      }
    } finally {
      this.#failing.delete(packet);
    }
  }
}
