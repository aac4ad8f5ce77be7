import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { type Clock, machineClock } from '../../clock.ts';
import type { Limits } from '../limits.ts';
import { alreadyAcknowledged, invalidWebhookToken, unknownInteraction, unknownWebhook } from '../refusal.ts';
import type { MakeId } from '../snowflake.ts';
import type { Watch } from '../watch.ts';
import type { Interaction } from './interaction.ts';

/** A sandbox may run for weeks, so older interactions are dropped. */
const MAX_INTERACTIONS = 20_000;

export type NewInteraction = Pick<
  Interaction,
  'type' | 'user' | 'channel' | 'guild' | 'owners' | 'metadata' | 'source'
>;

interface TrackedInteraction {
  readonly interaction: Interaction;
  readonly startedAt: number;
  readonly stopWaiting: () => void;
}

/** All interactions, with their deadlines and tokens. */
export class InteractionStore {
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #id: MakeId;
  readonly #watch: Watch;
  readonly #byId = new Map<string, TrackedInteraction>();
  readonly #byToken = new Map<string, Interaction>();

  constructor(clock: Clock, limits: Limits, id: MakeId, watch: Watch) {
    this.#clock = clock;
    this.#limits = limits;
    this.#id = id;
    this.#watch = watch;
  }

  create(newInteraction: NewInteraction): Interaction {
    const id = this.#id();
    const interaction: Interaction = {
      ...newInteraction,
      id,
      // Like Discord's tokens, this one is long and contains the id.
      token: Buffer.from(`interaction:${id}:${randomBytes(96).toString('base64url')}`).toString('base64url'),
      at: this.#clock.now(),
      missedDeadline: false,
      isExpired: false,
      responseRevision: 0,
      isOriginalDeleted: false,
      followUps: [],
    };
    const stopWaiting = this.#clock.after(this.#limits.acknowledgeMs, () => {
      interaction.missedDeadline = interaction.acknowledgement === undefined;
      this.#watch.notify();
    });
    this.#dropOldest();
    this.#byId.set(id, { interaction, startedAt: this.#preciseNow(), stopWaiting });
    this.#byToken.set(interaction.token, interaction);
    return interaction;
  }

  /** For a callback: returns the interaction if it is still waiting for a response. */
  findPending(id: string, token: string): Interaction {
    const interaction = this.#byId.get(id)?.interaction;
    if (!interaction || interaction.token !== token || interaction.missedDeadline || this.#isExpired(interaction))
      throw unknownInteraction();
    if (interaction.acknowledgement) throw alreadyAcknowledged();
    return interaction;
  }

  acknowledge(interaction: Interaction, type: number, ephemeral: boolean): void {
    const tracked = this.#byId.get(interaction.id);
    tracked?.stopWaiting();
    interaction.acknowledgement = { type, ephemeral, afterMs: this.#preciseNow() - (tracked?.startedAt ?? 0) };
    this.#watch.notify();
  }

  /** For a webhook: an interaction's token expires 15 minutes after the interaction was created. */
  findAcknowledged(applicationId: string, token: string, expectedApplication: string): Interaction {
    if (applicationId !== expectedApplication) throw unknownWebhook();
    const interaction = this.#byToken.get(token);
    if (!interaction || this.#isExpired(interaction)) throw invalidWebhookToken();
    if (!interaction.acknowledgement) throw unknownWebhook();
    return interaction;
  }

  /** Makes all interactions older, so their tokens may expire. */
  age(ms: number): void {
    for (const { interaction } of this.#byId.values()) interaction.at -= ms;
  }

  expireAll(): void {
    for (const { interaction } of this.#byId.values()) interaction.isExpired = true;
  }

  find(id: string): Interaction | undefined {
    return this.#byId.get(id)?.interaction;
  }

  close(): void {
    for (const { stopWaiting } of this.#byId.values()) stopWaiting();
  }

  #dropOldest(): void {
    if (this.#byId.size < MAX_INTERACTIONS) return;
    const [oldest] = this.#byId.values();
    if (!oldest) return;
    oldest.stopWaiting();
    this.#byId.delete(oldest.interaction.id);
    this.#byToken.delete(oldest.interaction.token);
  }

  #isExpired({ isExpired, at }: Interaction): boolean {
    return isExpired || this.#clock.now() - at >= this.#limits.tokenMs;
  }

  /** The machine’s clock counts whole milliseconds, which is too coarse for response times. */
  #preciseNow(): number {
    return this.#clock === machineClock ? performance.now() : this.#clock.now();
  }
}
