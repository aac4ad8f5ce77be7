import { type GatewayInteractionCreateDispatch, InteractionType } from 'discord-api-types/v10';
import type { AppContext } from '../../lib/app-context.ts';
import { isDoneWithin, pause, withTimeout } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { trackUntilDone } from '../../lib/track-until-done.ts';
import { sayIn } from '../../locales/index.ts';
import type { Inbox } from '../../services/cluster/inbox.ts';
import type { EarlyPreferences } from '../../services/orders/preference-set.ts';
import type { EarlyContext, Handlers } from '../handlers.ts';
import { type InteractionFacts, interactionFactsOf, TOKEN_LIFETIME_MS } from '../interaction-facts.ts';
import { InteractionReader } from '../interaction-reader.ts';
import { isTooLate } from '../outbox/errors.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { type Acknowledgement, notifyMemberPrivately, Responder } from '../outbox/responder.ts';
import { type Languages, languagesFor } from '../reader-languages.ts';
import { timestampOf } from '../snowflake.ts';

/** How long a worker has to take an interaction: as much as possible of the three seconds that Discord waits for the first response. */
const TAKE_TIMEOUT_MS = 2_000;
/** Earlier than the time limit, because the queue and the store are used again before the interaction is acknowledged. */
const ACKNOWLEDGE_AFTER_MS = 1_000;
/** How long rules and settings may take to be read. */
const READ_TIMEOUT_MS = 750;
/** Leaves time for the refusal of an interaction that cannot be put back into the queue. */
const PUT_BACK_TIMEOUT_MS = 750;
/** How long an interaction waits for a worker. If a worker was killed, another takes over its partition sooner, when the lease expires. */
const MAX_WAIT_MS = 60_000;
/** Every waiting interaction takes memory. Any more are refused. */
const MAX_WAITING = 1_000;

/** The reply to a form is as private as the form was opened, so of rules and settings it needs only the languages. */
const NO_DEFAULTS: readonly [readonly string[], EarlyPreferences] = [[], {}];

/** Discord pings only over HTTP. */
const ENGLISH: Languages = { member: 'en', place: 'en' };

interface UntakenParts<Services> extends AppContext {
  inbox: Pick<Inbox, 'put' | 'withdraw' | 'isWaiting'>;
  outbox: Outbox;
  handlers: Handlers<Services>;
  settings: EarlyContext['services']['settings'];
  /** The names of the commands whose replies the server makes private. */
  privateCommandsOf(guildId: string): Promise<readonly string[]>;
  /** The settings of the member, the channel and the server on which the first response depends. */
  earlyPreferences(facts: InteractionFacts): Promise<EarlyPreferences>;
  onUntaken?: ((outcome: 'waiting' | 'refused') => void) | undefined;
}

/** Handles interactions that no worker takes in time: they are acknowledged here, and return to the queue. One that only a form or suggestions can answer is refused. */
export class UntakenInteractions<Services> {
  readonly #parts: UntakenParts<Services>;
  readonly #reader: InteractionReader<Services>;
  readonly #pending = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  #waitingCount = 0;

  constructor(parts: UntakenParts<Services>) {
    this.#parts = parts;
    this.#reader = new InteractionReader(parts.handlers, parts);
  }

  /** Watches an interaction that was put into the queue. */
  watch(partition: number, packet: GatewayInteractionCreateDispatch): void {
    void trackUntilDone(this.#watch(partition, packet), this.#pending);
  }

  /** Asks the member to try again. Discord accepts only one first response, so this does not interfere with a worker that is about to answer. */
  async refuse(packet: GatewayInteractionCreateDispatch, early?: EarlyPreferences): Promise<void> {
    const { log } = this.#parts;
    const { d: interaction } = packet;
    const { member } = this.#languagesOf(packet, early);
    const responder = new Responder(this.#parts.outbox, interaction);
    try {
      if (interaction.type === InteractionType.ApplicationCommandAutocomplete) await responder.suggest([]);
      else await responder.replyPrivately({ content: sayIn(member)('refusals.notTaken') });
    } catch (error) {
      // A resumed session repeats interactions, some of which have been answered already or are too old to be answered.
      if (!isTooLate(error)) log.info({ err: error }, 'A member could not be told to try again.');
    }
  }

  /** Stops watching. Interactions that wait for a worker stay in the queue. */
  async finish(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#pending);
  }

  async #watch(partition: number, packet: GatewayInteractionCreateDispatch): Promise<void> {
    const { inbox, clock, log, onUntaken } = this.#parts;
    const deadline = clock.now() + TAKE_TIMEOUT_MS;
    try {
      await pause(clock, ACKNOWLEDGE_AFTER_MS);
      // Almost always: nothing more is read about an interaction that a worker has taken.
      if (!(await inbox.isWaiting(partition, packet.d.id))) return;
      const settings = this.#waitingCount < MAX_WAITING ? await this.#settingsFor(packet) : undefined;
      const acknowledgement = settings && this.#acknowledgementFor(packet, settings);
      const early = settings?.[1];
      if (acknowledgement === undefined) await pause(clock, Math.max(0, deadline - clock.now()));
      if (!(await inbox.withdraw(partition, packet.d.id))) return;
      log.warn({ partition }, 'No worker took an interaction in time.');
      const isWaiting = acknowledgement !== undefined && (await this.#putBack(partition, packet, acknowledgement));
      onUntaken?.(isWaiting ? 'waiting' : 'refused');
      if (isWaiting) await this.#wait(partition, packet, acknowledgement, early);
      else await this.refuse(packet, early);
    } catch (error) {
      log.warn({ partition, err: error }, 'It is unknown whether a worker took an interaction.');
    }
  }

  /** Undefined if they cannot be read in time. A form does without them. */
  async #settingsFor({ d }: GatewayInteractionCreateDispatch): Promise<typeof NO_DEFAULTS | undefined> {
    const { clock, log, privateCommandsOf, earlyPreferences } = this.#parts;
    const { guild_id: guildId } = d;
    if (d.type === InteractionType.Ping || d.type === InteractionType.ApplicationCommandAutocomplete)
      return NO_DEFAULTS;
    const settings = [
      guildId === undefined ? [] : privateCommandsOf(guildId),
      earlyPreferences(interactionFactsOf(d)),
    ] as const;
    const read = withTimeout(clock, READ_TIMEOUT_MS, Promise.all(settings));
    if (d.type !== InteractionType.ModalSubmit) return read;
    const logFailure = (error: unknown) => log.info({ err: error }, 'A form is handled without its member’s settings.');
    return (await read.catch(logFailure)) ?? NO_DEFAULTS;
  }

  /** Undefined if the interaction cannot wait. */
  #acknowledgementFor(
    { d }: GatewayInteractionCreateDispatch,
    [privateCommands, { isPrivate, remix }]: typeof NO_DEFAULTS,
  ): Acknowledgement | undefined {
    try {
      if (d.type === InteractionType.Ping) return undefined;
      const parsed = this.#reader.read(d, {
        isPrivate: (_, command) => isPrivate === true || privateCommands.includes(command),
        remixes: () => remix,
      });
      return parsed.asks === 'for a reply' ? parsed.acknowledgement : undefined;
    } catch (error) {
      // A worker would refuse the interaction too, so it does not need to wait for one.
      if (!(error instanceof Refusal)) throw error;
      return undefined;
    }
  }

  /**
   * Puts the interaction into the queue before it is acknowledged: the worker that takes it repeats the acknowledgement, in case this process ends. One that
   * reaches the queue too late does no harm, because the worker finds that its member has been answered.
   */
  async #putBack(partition: number, packet: GatewayInteractionCreateDispatch, acknowledgement: Acknowledgement) {
    const { inbox, clock, log } = this.#parts;
    const put = inbox.put(partition, { id: packet.d.id, content: { ...packet, acknowledgement } });
    return isDoneWithin(clock, PUT_BACK_TIMEOUT_MS, put).catch((error: unknown) => {
      log.warn({ partition, err: error }, 'An interaction could not be returned to the queue.');
      return false;
    });
  }

  async #wait(
    partition: number,
    packet: GatewayInteractionCreateDispatch,
    acknowledgement: Acknowledgement,
    early: EarlyPreferences | undefined,
  ): Promise<void> {
    const { inbox, clock } = this.#parts;
    const { id } = packet.d;
    const responder = new Responder(this.#parts.outbox, packet.d);
    this.#waitingCount += 1;
    try {
      if (!(await this.#acknowledge(responder, acknowledgement))) return void (await inbox.withdraw(partition, id));
      await pause(clock, MAX_WAIT_MS, this.#stopping.signal);
      if (this.#stopping.signal.aborted || !(await inbox.withdraw(partition, id))) return;
      this.#parts.onUntaken?.('refused');
      const { member, place } = this.#languagesOf(packet, early);
      const plan = { content: sayIn(member)('refusals.notTaken') };
      const reply = { plan, neutral: { content: sayIn(place)('requestFailed') } };
      const until = timestampOf(id) + TOKEN_LIFETIME_MS;
      await notifyMemberPrivately(responder, reply, { clock, until, stopping: this.#stopping.signal });
    } finally {
      this.#waitingCount -= 1;
    }
  }

  /** Returns false if the member has been answered already, or the interaction is too old. */
  async #acknowledge(responder: Responder, acknowledgement: Acknowledgement): Promise<boolean> {
    try {
      await responder.takeOver(acknowledgement);
      return true;
    } catch (error) {
      // A resumed session repeats interactions.
      if (isTooLate(error)) return false;
      throw error;
    }
  }

  #languagesOf({ d }: GatewayInteractionCreateDispatch, early: EarlyPreferences | undefined): Languages {
    return d.type === InteractionType.Ping ? ENGLISH : languagesFor(interactionFactsOf(d), early);
  }
}
