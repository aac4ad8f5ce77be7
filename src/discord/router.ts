import type {
  AutocompleteInteraction,
  BaseInteraction,
  ChatInputCommandInteraction,
  ContextMenuCommandInteraction,
  Interaction,
  MessageComponentInteraction,
  ModalSubmitInteraction,
} from 'discord.js';
import type { Clock } from '../lib/clock.ts';
import { aboutInteraction } from '../lib/log-subject.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Say } from '../locales/index.ts';
import { type CustomId, customIds, readCustomId } from './custom-ids.ts';
import { newReference } from './delivery/backoff.ts';
import { readForm } from './form.ts';
import type { Funnel } from './funnel.ts';
import { firstRefusal, type Guard } from './guards.ts';
import {
  type Button,
  commandsByFullName,
  type Form,
  type HandlerContext,
  type Handlers,
  type Menu,
  menusByName,
  type Opener,
  type Outcome,
  type SingleCommand,
} from './handlers.ts';
import { isTooLate } from './outbox/errors.ts';
import type { Outbox } from './outbox/outbox.ts';
import { lateFollowUp, Responder, type RetryLimit, tellMemberAlone } from './outbox/responder.ts';
import {
  type InteractionChannels,
  type InteractionFacts,
  interactionFactsOf,
  type Origin,
  originOf,
  pressOrigin,
  type ReplyMode,
  TOKEN_LIFE_MS,
} from './place.ts';
import type { Rates } from './rates.ts';
import { targetOf } from './target-message.ts';

export interface RouterParts<Services> {
  handlers: Handlers<Services>;
  guards: readonly Guard[];
  rates: Pick<Rates, 'refuseInteraction' | 'refuseSuggestion'>;
  services: Services;
  say: Say;
  funnel: Funnel;
  outbox: Outbox;
  clock: Clock;
  /** Called with the milliseconds from an interaction's arrival to its first response. */
  onAcknowledged?: ((ms: number) => void) | undefined;
  channels?: Pick<InteractionChannels, 'of'>;
  /** Whether the server makes this command's replies private unless the member chooses otherwise. */
  isPrivateByDefault?: (place: InteractionFacts, command: string) => boolean;
}

/** Passes each interaction to its handler. Acknowledges it first, and notifies the member of a failure. */
export class Router<Services> {
  readonly #parts: RouterParts<Services>;
  readonly #commands: ReadonlyMap<string, SingleCommand<Services>>;
  readonly #menus: ReadonlyMap<string, Menu<Services>>;
  readonly #buttons: ReadonlyMap<string, Button<Services>>;
  readonly #openers: ReadonlyMap<string, Opener<Services>>;
  readonly #forms: ReadonlyMap<string, Form<Services>>;
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(parts: RouterParts<Services>) {
    const { commands, menus = [], buttons, openers, forms } = parts.handlers;
    this.#parts = parts;
    this.#commands = commandsByFullName(commands);
    this.#menus = menusByName(menus, parts.say);
    this.#buttons = keyed(buttons);
    this.#openers = keyed(openers);
    this.#forms = keyed(forms);
  }

  /** Never throws: failures are shown to the member and logged. */
  async take(interaction: Interaction): Promise<void> {
    const work = aboutInteraction(newReference(), () => this.#dispatch(interaction));
    this.#running.add(work);
    await work;
    this.#running.delete(work);
  }

  /** Finishes running work. From now on, members are asked to try again in a moment. */
  async finish(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  async #dispatch(interaction: Interaction): Promise<void> {
    const { applicationId, id: interactionId, token } = interaction;
    const { outbox, clock, onAcknowledged } = this.#parts;
    const arrivedAt = clock.now();
    const onFirstResponse = onAcknowledged && (() => onAcknowledged(clock.now() - arrivedAt));
    const responder = new Responder(outbox, { applicationId, interactionId, token }, onFirstResponse);
    try {
      if (this.#stopping.signal.aborted) throw new Refusal('refusals.stopping');
      const place = interactionFactsOf(interaction);
      const { guards, rates } = this.#parts;
      accepted(interaction.isAutocomplete() ? rates.refuseSuggestion(place) : rates.refuseInteraction(place));
      accepted(firstRefusal(guards, place, undefined));
      await this.#route(interaction, responder);
    } catch (error) {
      await this.#reportFailure(error, interaction, responder);
    }
  }

  async #route(interaction: Interaction, responder: Responder): Promise<void> {
    if (interaction.isAutocomplete()) await this.#suggest(interaction, responder);
    else if (interaction.isChatInputCommand()) await this.#command(interaction, responder);
    else if (interaction.isContextMenuCommand()) await this.#menu(interaction, responder);
    else if (interaction.isMessageComponent()) await this.#component(interaction, responder);
    else if (interaction.isModalSubmit()) await this.#form(interaction, responder);
    else throw new Refusal('refusals.unknownCommand');
  }

  async #suggest(interaction: AutocompleteInteraction, responder: Responder): Promise<void> {
    const { name, value } = interaction.options.getFocused(true);
    const command = this.#commands.get(fullName(interaction));
    const context = this.#contextFor(interaction, responder, originOf(interaction, true));
    await responder.suggest((await command?.suggest?.(name, value, context)) ?? []);
  }

  async #command(interaction: ChatInputCommandInteraction, responder: Responder): Promise<void> {
    const command = this.#commands.get(fullName(interaction));
    if (!command) throw new Refusal('refusals.unknownCommand');
    const place = this.#place(interaction);
    const invocation = accepted(command.read(interaction, place));
    const byDefault = invocation.leavesPrivacyOpen && this.#parts.isPrivateByDefault?.(place, fullName(interaction));
    const isPrivate = byDefault === true || invocation.isPrivate({ place, services: this.#parts.services });
    const context = this.#contextFor(interaction, responder, originOf(interaction, isPrivate));
    await responder.defer(isPrivate);
    await conclude(responder, await invocation.run(context));
  }

  async #menu(interaction: ContextMenuCommandInteraction, responder: Responder): Promise<void> {
    const menu = this.#menus.get(interaction.commandName);
    if (!menu || !interaction.isMessageContextMenuCommand()) throw new Refusal('refusals.unknownCommand');
    const target = targetOf(interaction.targetMessage);
    const isPrivate = 'run' in menu && menu.isPrivate;
    const context = this.#contextFor(interaction, responder, originOf(interaction, isPrivate));
    accepted(firstRefusal(menu.guards ?? [], context.place, undefined));
    if ('open' in menu) return responder.open(await menu.open(target, context));
    await responder.defer(isPrivate);
    await conclude(responder, await menu.run(target, context));
  }

  async #component(interaction: MessageComponentInteraction, responder: Responder): Promise<void> {
    const chosen = interaction.isStringSelectMenu() ? interaction.values : [];
    const own = knownId(interaction.customId);
    // In a menu that replaces buttons, the chosen value is the id of the button.
    const id = own.verb === customIds.list.name ? knownId(chosen[0] ?? '') : own;
    const opener = this.#openers.get(id.verb);
    if (opener) {
      const open = accepted(opener.open(id));
      const context = this.#contextFor(
        interaction,
        responder,
        pressOrigin(interaction, interaction.message, 'new-message'),
      );
      return responder.open(await open(context, targetOf(interaction.message)));
    }
    const button = this.#buttons.get(id.verb);
    if (!button) throw new Refusal('refusals.unknownButton');
    const run = accepted(button.press(id, chosen));
    const context = this.#contextFor(
      interaction,
      responder,
      pressOrigin(interaction, interaction.message, button.reply),
    );
    await acknowledgePress(responder, button.reply, context);
    await conclude(responder, await run(context));
  }

  async #form(interaction: ModalSubmitInteraction, responder: Responder): Promise<void> {
    const id = knownId(interaction.customId);
    const form = this.#forms.get(id.verb);
    if (!form) throw new Refusal('refusals.unknownButton');
    const { isPrivate, run } = accepted(form.read(id, readForm(interaction)));
    // A form that was opened from a menu does not belong to a message of the bot.
    const isPressed = interaction.isFromMessage();
    if (!isPressed && form.reply === 'here') throw new Refusal('refusals.unknownButton');
    const origin = isPressed
      ? pressOrigin(interaction, interaction.message, form.reply)
      : originOf(interaction, isPrivate);
    const context = this.#contextFor(interaction, responder, origin);
    await acknowledgePress(responder, form.reply, context);
    await conclude(responder, await run(context));
  }

  async #reportFailure(error: unknown, interaction: Interaction, responder: Responder): Promise<void> {
    const { funnel } = this.#parts;
    const what = nameOf(interaction);
    if (isTooLate(error)) return funnel.logTooLate(what);
    const reply = this.#failureReply(error, what);
    try {
      // A failure cannot be shown in a list of suggestions.
      if (interaction.isAutocomplete()) return await responder.suggest([]);
      await tellMemberAlone(responder, reply, this.#retryLimit(interaction));
    } catch (unsent) {
      if (isTooLate(unsent)) funnel.logTooLate(what);
      else funnel.sentenceFor(unsent, `reporting a failure in ${what}`);
    }
  }

  #failureReply(error: unknown, what: string) {
    const { funnel, say } = this.#parts;
    return { plan: { content: funnel.sentenceFor(error, what) }, neutral: { content: say('requestFailed') } };
  }

  #retryLimit({ createdTimestamp }: BaseInteraction): RetryLimit {
    return { clock: this.#parts.clock, until: createdTimestamp + TOKEN_LIFE_MS, stopping: this.#stopping.signal };
  }

  #place(interaction: BaseInteraction) {
    return interactionFactsOf(interaction, this.#parts.channels?.of(interaction.id));
  }

  #contextFor(interaction: BaseInteraction, responder: Responder, origin: Origin): HandlerContext<Services> {
    const { services, say } = this.#parts;
    const postAnother: HandlerContext<Services>['postAnother'] = async (plan, work, { isPrivate } = origin.route) => {
      const message = await responder.postFollowUp(plan, isPrivate);
      try {
        await work({ ...origin, message, route: { ...origin.route, isPrivate, followUpId: message.id } });
      } catch (error) {
        const reply = this.#failureReply(error, 'an additional message');
        await tellMemberAlone(responder, reply, this.#retryLimit(interaction), { id: message.id, isPrivate });
      }
    };
    const notifyLater = lateFollowUp(responder, interaction, this.#parts);
    const place = this.#place(interaction);
    const { parentChannelId, isAgeRestricted } = place;
    const from = {
      ...origin,
      ...(parentChannelId !== undefined && { parentChannelId }),
      ...(isAgeRestricted && { isAgeRestricted: true as const }),
    };
    return { place, origin: from, postAnother, notifyLater, services, say };
  }
}

const keyed = <Handler extends { verb: string }>(handlers: readonly Handler[] = []): ReadonlyMap<string, Handler> =>
  new Map(handlers.map((handler) => [handler.verb, handler]));

function knownId(text: string): CustomId {
  const id = readCustomId(text);
  if (!id) throw new Refusal('refusals.unknownButton');
  return id;
}

function accepted<Value>(value: Value | Refusal): Value {
  if (value instanceof Refusal) throw value;
  return value;
}

function acknowledgePress(
  responder: Responder,
  replyMode: ReplyMode,
  { origin }: HandlerContext<unknown>,
): Promise<void> {
  return replyMode === 'here' ? responder.deferUpdate() : responder.defer(origin.route.isPrivate);
}

async function conclude(responder: Responder, outcome: Outcome): Promise<void> {
  if (outcome === 'deleted') await responder.delete();
  else if (typeof outcome === 'object' && 'release' in outcome) {
    try {
      const message = await responder.edit(outcome.plan);
      await outcome.shown?.(message);
    } finally {
      outcome.release();
    }
  } else if (outcome !== 'shown by delivery') await responder.edit(outcome);
}

function fullName({ commandName, options }: ChatInputCommandInteraction | AutocompleteInteraction): string {
  const subcommand = options.getSubcommand(false);
  return subcommand === null ? commandName : `${commandName} ${subcommand}`;
}

/** The name for the log, so it never contains text that a member typed. */
function nameOf(interaction: Interaction): string {
  if (interaction.isChatInputCommand() || interaction.isAutocomplete()) return `/${fullName(interaction)}`;
  if (interaction.isCommand()) return `/${interaction.commandName}`;
  return interaction.isModalSubmit() ? 'form' : 'press';
}
