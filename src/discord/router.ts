import { ApplicationCommandType, RESTJSONErrorCodes as Code, InteractionType } from 'discord-api-types/v10';
import type { Clock } from '../lib/clock.ts';
import type { Language } from '../lib/languages.ts';
import { Listeners } from '../lib/listeners.ts';
import { runForInteraction } from '../lib/log-subject.ts';
import { RecentMap } from '../lib/recent-map.ts';
import { PermissionRefusal, Refusal, throwIfRefusal } from '../lib/refusal.ts';
import { trackUntilDone } from '../lib/track-until-done.ts';
import { sayIn } from '../locales/index.ts';
import { GatewayError } from '../services/gateway/errors.ts';
import type { FormDrafts } from '../services/orders/form-drafts.ts';
import { customIds, originalFormId, readCustomId } from './custom-ids.ts';
import { newReference } from './delivery/backoff.ts';
import { FormRefusal } from './form.ts';
import type { Funnel } from './funnel.ts';
import type { Guard } from './guards.ts';
import type { EarlyContext, HandlerContext, HandlerResult, Handlers } from './handlers.ts';
import { type Interaction, type InteractionFacts, interactionFactsOf, TOKEN_LIFETIME_MS } from './interaction-facts.ts';
import {
  InteractionReader,
  type KnownDefaults,
  type ParsedInteraction,
  type ParsedReply,
} from './interaction-reader.ts';
import { bodyOf } from './message-body.ts';
import { fullName } from './options.ts';
import { failureKindOf, hasCode, isTooLate } from './outbox/errors.ts';
import type { Outbox } from './outbox/outbox.ts';
import {
  type Acknowledgement,
  isReplyShown,
  lateFollowUp,
  notifyMemberPrivately,
  Responder,
  type RetryLimit,
} from './outbox/responder.ts';
import { buttonPlan, type PreparedMessage } from './plan.ts';
import type { RateLimiter } from './rates.ts';
import { type Languages, languagesFor } from './reader-languages.ts';
import { requestName } from './request-name.ts';
import { timestampOf } from './snowflake.ts';

export interface RouterParts<Services extends EarlyContext['services']> {
  handlers: Handlers<Services>;
  guards: readonly Guard[];
  rateLimiter: RateLimiter;
  services: Services;
  funnel: Funnel;
  outbox: Outbox;
  clock: Clock;
  /** Keeps what a member entered in a refused form. */
  drafts?: FormDrafts | undefined;
  /** Loads the rules of a server that another partition stores; returns false if this partition stores them. */
  loadRules?(guildId: string): Promise<boolean>;
  /** Loads the settings that another partition stores, on which the first response depends. */
  loadSettings?(facts: InteractionFacts): Promise<void>;
  defaults?: KnownDefaults;
  /** By the settings, as far as they are in memory. By default, the languages of Discord. */
  languages?(facts: InteractionFacts): Languages;
  /** Called after the reply to a command, press or form. `isShown` waits for a reply that delivery shows; false if there will be none. */
  afterReply?(context: HandlerContext<Services>, isShown: () => Promise<boolean>): Promise<void>;
}

/** How another process acknowledged an interaction, because the interaction had waited too long, or because the process has since ended. */
export interface EarlierAcknowledgement {
  acknowledgement: Acknowledgement;
  /** Whether Discord has shown that it was accepted. */
  isCertain: boolean;
}

const MAX_FORM_TOKENS = 1_000;

/** Passes each interaction to its handler. Acknowledges it first, and notifies the member of a failure. */
export class Router<Services extends EarlyContext['services']> {
  readonly #parts: RouterParts<Services>;
  readonly #reader: InteractionReader<Services>;
  readonly #running = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  /** By member and refused form, the token with which the message of the form can still be changed. Without one, a corrected form gets a new reply. */
  readonly #formTokens = new RecentMap<string, string>(MAX_FORM_TOKENS);
  readonly #acknowledgements = new Listeners<[ms: number]>();
  /** Called with the milliseconds from an interaction's arrival to its first response. */
  readonly onAcknowledged = this.#acknowledgements.add;

  constructor(parts: RouterParts<Services>) {
    this.#parts = parts;
    this.#reader = new InteractionReader(parts.handlers, parts.services, parts.drafts);
  }

  /** Never throws: failures are shown to the member and logged. */
  async route(interaction: Interaction, earlier?: EarlierAcknowledgement): Promise<void> {
    const work = runForInteraction(newReference(), () => this.#dispatch(interaction, earlier));
    await trackUntilDone(work, this.#running);
  }

  /** Whether an interaction can be handled again if it was interrupted before an order was stored. */
  onlyOrders(interaction: Interaction): boolean {
    try {
      const parsed = this.#read(interaction);
      return parsed.asks === 'for a reply' && parsed.onlyOrders;
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  }

  get isFinishing(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Finishes running work. From now on, members are asked to try again in a moment. */
  async finish(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  async #dispatch(interaction: Interaction, earlier: EarlierAcknowledgement | undefined): Promise<void> {
    const { outbox, clock } = this.#parts;
    const arrivedAt = clock.now();
    const responder = new Responder(outbox, interaction, () => this.#acknowledgements.notify(clock.now() - arrivedAt));
    try {
      if (earlier?.isCertain) responder.continueAfter(earlier.acknowledgement);
      if (this.isFinishing) throw new Refusal('refusals.stopping');
      if (earlier && !earlier.isCertain) await responder.takeOver(earlier.acknowledgement);
      const facts = interactionFactsOf(interaction);
      const { rateLimiter } = this.#parts;
      throwIfRefusal(
        interaction.type === InteractionType.ApplicationCommandAutocomplete
          ? rateLimiter.refuseSuggestion(facts)
          : rateLimiter.refuseInteraction(facts),
      );
      if (earlier) await Promise.all([this.#loadRules(facts), this.#parts.loadSettings?.(facts)]);
      this.#guard(interaction);
      await this.#answer(interaction, responder, earlier?.acknowledgement);
    } catch (error) {
      await this.#reportFailure(error, interaction, responder);
    }
  }

  #guard(interaction: Interaction): void {
    const isPress = interaction.type === InteractionType.MessageComponent;
    const pressed = isPress ? readCustomId(interaction.data.custom_id)?.verb : undefined;
    for (const guard of this.#parts.guards) throwIfRefusal(guard(interactionFactsOf(interaction), pressed));
  }

  async #answer(interaction: Interaction, responder: Responder, earlierAcknowledgement: Acknowledgement | undefined) {
    const parsed = this.#read(interaction);
    const contextFor = () => this.#contextFor(interaction, responder, parsed);
    if (parsed.asks === 'for suggestions') return responder.suggest(await parsed.suggest(contextFor()));
    // Rules or settings have changed since the acknowledgement, which had decided who sees the reply.
    const acknowledgement = parsed.asks === 'for a reply' ? parsed.acknowledgement : undefined;
    if (earlierAcknowledgement !== undefined && earlierAcknowledgement !== acknowledgement)
      throw new Refusal('refusals.interrupted');
    if (parsed.asks === 'for a form') return responder.open(await parsed.open(contextFor()));
    if (earlierAcknowledgement === undefined) {
      await responder.acknowledge(parsed.acknowledgement);
      await this.#applyOtherRules(interaction, parsed);
    }
    const context = contextFor();
    const outcome = await parsed.run(context);
    if (!(await this.#changeFormMessage(outcome, interaction, responder))) await sendOutcome(responder, outcome);
    await this.#dropCorrected(interaction);
    // Not awaited, because a reply that delivery shows may take long.
    if (!this.isFinishing) void trackUntilDone(this.#afterReply(context, interaction, responder), this.#running);
  }

  async #afterReply(context: HandlerContext<Services>, interaction: Interaction, responder: Responder): Promise<void> {
    try {
      await this.#parts.afterReply?.(context, () => isReplyShown(responder, this.#retryLimit(interaction)));
    } catch (error) {
      this.#parts.funnel.messageFor(error, `what follows ${logNameOf(interaction)}`);
    }
  }

  /** The acknowledgement cannot wait for a store, so it follows the rules and settings that were known. A form opens by these too, and what it submits is checked here. */
  async #applyOtherRules(
    interaction: Interaction,
    { acknowledgement, isPublicLater, dependsOnSettings }: ParsedReply<Services>,
  ): Promise<void> {
    const facts = interactionFactsOf(interaction);
    const [haveRules] = await Promise.all([this.#loadRules(facts), this.#parts.loadSettings?.(facts)]);
    if (haveRules) this.#guard(interaction);
    if (!dependsOnSettings) return;
    const parsed = this.#read(interaction);
    if (parsed.asks === 'for a form') throw new Refusal('refusals.remixHere');
    if (parsed.asks !== 'for a reply' || !(acknowledgement === 'public answer' || isPublicLater)) return;
    if (parsed.acknowledgement !== acknowledgement || parsed.isPublicLater !== isPublicLater)
      throw new Refusal('refusals.privateHere');
  }

  async #loadRules({ guildId }: InteractionFacts): Promise<boolean> {
    return guildId !== undefined && (await this.#parts.loadRules?.(guildId)) === true;
  }

  async #reportFailure(error: unknown, interaction: Interaction, responder: Responder): Promise<void> {
    const { funnel } = this.#parts;
    const what = logNameOf(interaction);
    if (isTooLate(error)) return funnel.logTooLate(what, error);
    const draftId = await this.#keepRefusedForm(error, interaction, responder);
    const { plan, neutral } = this.#failureReply(error, what, interaction, responder.responseState === 'public answer');
    const label = sayIn(this.#languagesOf(interaction).member)('correctForm');
    const controls = draftId === undefined ? [] : [buttonPlan(label, customIds.correct.id(draftId))];
    const reply = { neutral, plan: { ...plan, controls } };
    try {
      // A failure cannot be shown in a list of suggestions.
      if (interaction.type === InteractionType.ApplicationCommandAutocomplete) return await responder.suggest([]);
      if (isStaleCorrection(error, interaction)) return await responder.replacePressed(plan);
      await notifyMemberPrivately(responder, reply, this.#retryLimit(interaction));
    } catch (replyError) {
      if (isTooLate(replyError)) funnel.logTooLate(what, replyError);
      else funnel.messageFor(replyError, `reporting a failure in ${what}`);
    }
  }

  /** In public, Discord shows the sentence below "Original message was deleted", so it says what the member asked for. */
  #failureReply(error: unknown, what: string, interaction: Interaction, isPublic: boolean) {
    const { member, place } = this.#languagesOf(interaction);
    const say = sayIn(member);
    const isForm = interaction.type === InteractionType.ModalSubmit;
    const request = isPublic || isForm ? requestName(interaction) : undefined;
    const isPress = interaction.type === InteractionType.MessageComponent;
    const lines = [
      ...(request === undefined ? [] : [say(isPress ? 'yourPress' : 'yourRequest', { request })]),
      this.#parts.funnel.messageFor(error, what, say),
    ];
    return { plan: { content: lines.join('\n') }, neutral: { content: sayIn(place)('requestFailed') } };
  }

  async #keepRefusedForm(error: unknown, interaction: Interaction, responder: Responder): Promise<string | undefined> {
    if (interaction.type !== InteractionType.ModalSubmit || error instanceof PermissionRefusal) return undefined;
    const { drafts, funnel } = this.#parts;
    // After any other failure, the order may have been submitted.
    const isRefused = error instanceof Refusal || (error instanceof GatewayError && !error.mayHaveTakenEffect);
    const submitted = isRefused ? this.#reader.enteredIn(interaction) : undefined;
    if (!drafts || !submitted) return undefined;
    const entered = error instanceof FormRefusal ? { ...submitted, formId: error.formId } : submitted;
    const { userId } = interactionFactsOf(interaction);
    const ownToken = responder.responseState === 'pressed message' ? interaction.token : undefined;
    const token = ownToken ?? this.#formTokens.get(formKey(userId, submitted.formId));
    if (token !== undefined) this.#formTokens.set(formKey(userId, entered.formId), token);
    try {
      return await drafts.keep(userId, { entered });
    } catch (keepError) {
      funnel.messageFor(keepError, 'keeping a refused form');
      return undefined;
    }
  }

  /** A corrected form changes the message that it was first opened from, as it would have without the refusal. Returns false if that is not possible. */
  async #changeFormMessage(outcome: HandlerResult, interaction: Interaction, responder: Responder): Promise<boolean> {
    const formId = correctedForm(interaction);
    if (formId === undefined || typeof outcome === 'string' || 'release' in outcome) return false;
    const token = this.#formTokens.get(formKey(interactionFactsOf(interaction).userId, formId));
    if (token === undefined) return false;
    const { outbox, funnel } = this.#parts;
    try {
      await outbox.edit({ by: 'token', applicationId: interaction.application_id, token }, bodyOf(outcome));
    } catch (error) {
      funnel.logTooLate('the message of a corrected form', error);
      return false;
    }
    await responder.delete();
    return true;
  }

  /** What was corrected is not offered again by the refusal, which stays. */
  async #dropCorrected(interaction: Interaction): Promise<void> {
    const formId = correctedForm(interaction);
    if (formId === undefined) return;
    const { drafts, funnel } = this.#parts;
    const { userId } = interactionFactsOf(interaction);
    this.#formTokens.delete(formKey(userId, formId));
    try {
      await drafts?.dropEntered(userId, formId);
    } catch (error) {
      funnel.messageFor(error, 'dropping a corrected form');
    }
  }

  #retryLimit({ id }: Interaction): RetryLimit {
    return {
      clock: this.#parts.clock,
      until: timestampOf(id) + TOKEN_LIFETIME_MS,
      stopping: this.#stopping.signal,
    };
  }

  #read(interaction: Interaction): ParsedInteraction<Services> {
    return this.#reader.read(interaction, this.#parts.defaults);
  }

  #languagesOf(interaction: Interaction): Languages {
    const facts = interactionFactsOf(interaction);
    return this.#parts.languages?.(facts) ?? languagesFor(facts);
  }

  #contextFor(interaction: Interaction, responder: Responder, { asks, origin }: ParsedInteraction<Services>) {
    const { services, funnel } = this.#parts;
    const { member, place } = this.#languagesOf(interaction);
    const languageFor = (isPrivate: boolean): Language => (isPrivate ? member : place);
    // Only the member sees a form or suggestions.
    const language = languageFor(origin.route.isPrivate || asks !== 'for a reply');
    const messageFor: HandlerContext<Services>['messageFor'] = (error, say) =>
      funnel.messageFor(error, logNameOf(interaction), say);
    const postAnother: HandlerContext<Services>['postAnother'] = async (planIn, work, { isPrivate } = origin.route) => {
      const messageLanguage = languageFor(isPrivate);
      try {
        const message = await responder.postFollowUp(planIn(sayIn(messageLanguage)), isPrivate);
        try {
          const route = { ...origin.route, isPrivate, followUpId: message.id };
          await work({ ...origin, message, route, language: messageLanguage });
        } catch (error) {
          const reply = this.#failureReply(error, 'an additional message', interaction, !isPrivate);
          await notifyMemberPrivately(responder, reply, this.#retryLimit(interaction), { id: message.id, isPrivate });
        }
        return true;
      } catch (error) {
        if (hasCode(error, Code.ThisInteractionHasHitTheMaximumNumberOfFollowUpMessages)) return false;
        throw error;
      }
    };
    const notifyLater = lateFollowUp(responder, interaction, this.#parts);
    const facts = interactionFactsOf(interaction);
    const { parentChannelId, isAgeRestricted } = facts;
    const taskOrigin = {
      ...origin,
      language,
      ...(parentChannelId !== undefined && { parentChannelId }),
      ...(isAgeRestricted && { isAgeRestricted: true as const }),
    };
    const say = sayIn(language);
    return {
      facts,
      origin: taskOrigin,
      postAnother,
      notifyLater,
      messageFor,
      services,
      say,
      sayToMember: sayIn(member),
    };
  }
}

async function sendOutcome(responder: Responder, outcome: HandlerResult): Promise<void> {
  if (outcome === 'deleted') await responder.delete();
  else if (typeof outcome === 'object' && 'release' in outcome) {
    try {
      const message = await showOutcome(responder, outcome);
      await outcome.onPosted?.(message);
    } finally {
      outcome.release();
    }
  } else if (outcome !== 'shown by delivery') await showOutcome(responder, { plan: outcome });
}

async function showOutcome(responder: Responder, prepared: Omit<PreparedMessage, 'release'>) {
  try {
    return await responder.edit(prepared.plan);
  } catch (error) {
    if (failureKindOf(error, 'token') !== 'too-large') throw error;
    const { fallback } = prepared;
    if (!fallback) throw new Refusal('refusals.filesTooLarge');
    return responder.edit(fallback);
  }
}

const formKey = (userId: string, formId: string): string => `${userId} ${formId}`;

function correctedForm({ type, data }: Interaction): string | undefined {
  if (type !== InteractionType.ModalSubmit || readCustomId(data.custom_id)?.verb !== customIds.corrected.name)
    return undefined;
  return originalFormId(data.custom_id);
}

/** The button of a refusal whose form has been corrected since, or has expired. */
const isStaleCorrection = (error: unknown, { type, data }: Interaction): boolean =>
  error instanceof Refusal &&
  error.key === 'refusals.formGone' &&
  type === InteractionType.MessageComponent &&
  readCustomId(data.custom_id)?.verb === customIds.correct.name;

/** The name for the log, so it never contains text that a member typed. */
function logNameOf({ type, data }: Interaction): string {
  if (type === InteractionType.ModalSubmit) return 'form';
  if (type === InteractionType.MessageComponent) return 'press';
  return data.type === ApplicationCommandType.ChatInput ? `/${fullName(data)}` : data.name;
}
