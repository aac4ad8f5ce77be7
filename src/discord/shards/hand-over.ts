import type { GatewayDispatchPayload } from 'discord-api-types/v10';
import type { AppContext } from '../../lib/app-context.ts';
import { pause, withTimeout } from '../../lib/clock.ts';
import { trackUntilDone } from '../../lib/track-until-done.ts';
import type { Progress } from './session.ts';

const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 2_000;

/** Once it resolves, the event counts as passed on. It may be called twice for one event. */
export type PassOn = (packet: GatewayDispatchPayload, shardId: number) => Promise<void>;

/** Passes dispatches on, and retries those that fail, because a resume would replay later ones too. What fails when the shard is released is left to the next process. */
export class HandOver {
  readonly #shardId: number;
  readonly #context: AppContext;
  readonly #passOn: PassOn;
  readonly #limitMs: number;
  readonly #stopSignal: AbortSignal;
  readonly #running = new Set<Promise<unknown>>();
  readonly #failing = new Set<GatewayDispatchPayload>();

  /** A hand-over that fails for `limitMs` is given up. The signal aborts when the shard is released or lost. */
  constructor(shardId: number, context: AppContext, passOn: PassOn, limitMs: number, stopSignal: AbortSignal) {
    this.#shardId = shardId;
    this.#context = context;
    this.#passOn = passOn;
    this.#limitMs = limitMs;
    this.#stopSignal = stopSignal;
  }

  async deliver(packet: GatewayDispatchPayload, progress: Progress): Promise<void> {
    progress.begin(packet.s);
    if (await trackUntilDone(this.#pass(packet), this.#running)) progress.end(packet.s);
  }

  /** Waits for running hand-overs, within a time limit. */
  async settle(limitMs: number): Promise<void> {
    await withTimeout(this.#context.clock, limitMs, Promise.allSettled(this.#running));
  }

  async #pass(packet: GatewayDispatchPayload): Promise<boolean> {
    const { clock, log } = this.#context;
    const stopSignal = this.#stopSignal;
    const facts = { shard: this.#shardId, event: packet.t };
    let deadline: number | undefined;
    try {
      for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
        try {
          await this.#passOn(packet, this.#shardId);
          return true;
        } catch (error) {
          if (deadline !== undefined && clock.now() >= deadline) {
            log.error({ ...facts, err: error }, 'A Discord event could not be passed on, and is lost.');
            return true;
          }
          if (this.#failing.size === 0)
            log.warn({ ...facts, err: error }, 'A Discord event could not be passed on; retrying.');
          deadline ??= clock.now() + this.#limitMs;
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
