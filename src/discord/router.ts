import type {
  AutocompleteInteraction,
  BaseInteraction,
  ChannelType,
  ChatInputCommandInteraction,
  ContextMenuCommandInteraction,
  Interaction,
  MessageComponentInteraction,
  ModalSubmitInteraction,
} from 'discord.js';
import type { Clock } from '../lib/clock.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Say } from '../locales/index.ts';
import { type CustomId, customIds, readCustomId } from './custom-ids.ts';
import { filledIn } from './form.ts';
import type { Funnel } from './funnel.ts';
import { firstRefusal, type Guard } from './guards.ts';
import {
  type Ask,
  type Button,
  type Form,
  type Handlers,
  type LateGuard,
  type Menu,
  menusByName,
  type Opener,
  type Outcome,
  type SingleCommand,
  typedCommands,
} from './handlers.ts';
import { type Answers, type Origin, originOf, pressOrigin, TOKEN_LIFE_MS } from './origin.ts';
import { isTooLate } from './outbox/errors.ts';
import type { Outbox } from './outbox/outbox.ts';
import { Responder } from './outbox/responder.ts';
import { lateWord, toMemberAlone, type Until } from './outbox/to-member-alone.ts';
import { type Place, placeOf } from './place.ts';
import { suggestionsFor } from './suggestions.ts';
import { targetOf } from './target.ts';

export interface RouterParts<Services> {
  handlers: Handlers<Services>;
  /** What holds for everything. */
  guards: readonly Guard[];
  services: Services;
  say: Say;
  funnel: Funnel;
  outbox: Outbox;
  clock: Clock;
  /** The kind of channel in which an interaction was made. */
  channelTypeOf?: (interactionId: string) => ChannelType | undefined;
}

/** Brings every interaction to the one handler that is keyed for it, acknowledging first and failing politely. */
export class Router<Services> {
  readonly #parts: RouterParts<Services>;
  readonly #commands: ReadonlyMap<string, SingleCommand<Services>>;
  readonly #menus: ReadonlyMap<string, Menu<Services>>;
  readonly #buttons: ReadonlyMap<string, Button<Services>>;
  readonly #openers: ReadonlyMap<string, Opener<Services>>;
  readonly #forms: ReadonlyMap<string, Form<Services>>;
  readonly #underWay = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(parts: RouterParts<Services>) {
    const { commands, menus = [], buttons, openers, forms } = parts.handlers;
    this.#parts = parts;
    this.#commands = typedCommands(commands);
    this.#menus = menusByName(menus, parts.say);
    this.#buttons = keyed(buttons);
    this.#openers = keyed(openers);
    this.#forms = keyed(forms);
  }

  /** Never throws: whatever fails has been told and logged. */
  async take(interaction: Interaction): Promise<void> {
    const work = this.#answer(interaction);
    this.#underWay.add(work);
    await work;
    this.#underWay.delete(work);
  }

  /** From now on members are asked to come back in a moment; what is under way goes on to its end. */
  async finish(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#underWay);
  }

  async #answer(interaction: Interaction): Promise<void> {
    const { applicationId, id: interactionId, token } = interaction;
    const responder = new Responder(this.#parts.outbox, { applicationId, interactionId, token });
    try {
      this.#admit(interaction);
      await this.#route(interaction, responder);
    } catch (error) {
      await this.#tellFailure(error, interaction, responder);
    }
  }

  #admit(interaction: Interaction): void {
    if (this.#stopping.signal.aborted) throw new Refusal('refusals.stopping');
    const refusal = firstRefusal(this.#parts.guards, placeOf(interaction), undefined);
    if (refusal) throw refusal;
  }

  async #route(interaction: Interaction, responder: Responder): Promise<void> {
    if (interaction.isAutocomplete()) {
      const { name, value } = interaction.options.getFocused(true);
      const command = this.#commands.get(typedName(interaction));
      await responder.suggest(
        await suggestionsFor(command, name, value, this.#ask(interaction, responder, originOf(interaction, true))),
      );
    } else if (interaction.isChatInputCommand()) await this.#command(interaction, responder);
    else if (interaction.isContextMenuCommand()) await this.#menu(interaction, responder);
    else if (interaction.isMessageComponent()) await this.#component(interaction, responder);
    else if (interaction.isModalSubmit()) await this.#form(interaction, responder);
    else throw new Refusal('refusals.unknownCommand');
  }

  async #command(interaction: ChatInputCommandInteraction, responder: Responder): Promise<void> {
    const command = this.#commands.get(typedName(interaction));
    if (!command) throw new Refusal('refusals.unknownCommand');
    const place = this.#place(interaction);
    const typed = command.read(interaction, place);
    if (typed instanceof Refusal) throw typed;
    const isPrivate = typed.isPrivate({ place, services: this.#parts.services });
    const ask = this.#ask(interaction, responder, originOf(interaction, isPrivate));
    await guarded({ lateGuards: command.lateGuards }, ask, undefined, () => responder.defer(isPrivate));
    await conclude(responder, await typed.run(ask));
  }

  async #menu(interaction: ContextMenuCommandInteraction, responder: Responder): Promise<void> {
    const menu = this.#menus.get(interaction.commandName);
    if (!menu || !interaction.isMessageContextMenuCommand()) throw new Refusal('refusals.unknownCommand');
    const target = targetOf(interaction.targetMessage);
    const isPrivate = 'run' in menu && menu.isPrivate;
    const ask = this.#ask(interaction, responder, originOf(interaction, isPrivate));
    if ('open' in menu) {
      const refusal = firstRefusal(menu.guards ?? [], ask.place, undefined);
      if (refusal) throw refusal;
      return responder.open(await menu.open(target, ask));
    }
    await guarded(menu, ask, undefined, () => responder.defer(isPrivate));
    await conclude(responder, await menu.run(target, ask));
  }

  async #component(interaction: MessageComponentInteraction, responder: Responder): Promise<void> {
    const chosen = interaction.isStringSelectMenu() ? interaction.values : [];
    const own = knownId(interaction.customId);
    // In a list that stands for too many buttons, what was chosen is the button's own id.
    const id = own.verb === customIds.list.name ? knownId(chosen[0] ?? '') : own;
    const opener = this.#openers.get(id.verb);
    if (opener) {
      const open = accepted(opener.open(id));
      const ask = this.#ask(interaction, responder, pressOrigin(interaction, interaction.message, 'beside'));
      return responder.open(await open(ask, targetOf(interaction.message)));
    }
    const button = this.#buttons.get(id.verb);
    if (!button) throw new Refusal('refusals.unknownButton');
    const run = accepted(button.press(id, chosen));
    const ask = this.#ask(interaction, responder, pressOrigin(interaction, interaction.message, button.answers));
    await acknowledgePress(responder, button.answers, ask);
    await conclude(responder, await run(ask));
  }

  async #form(interaction: ModalSubmitInteraction, responder: Responder): Promise<void> {
    const id = knownId(interaction.customId);
    const form = this.#forms.get(id.verb);
    if (!form) throw new Refusal('refusals.unknownButton');
    const read = accepted(form.read(id));
    // From a menu, it stands on no message of ours.
    const isPressed = interaction.isFromMessage();
    if (!isPressed && form.answers === 'here') throw new Refusal('refusals.unknownButton');
    const origin = isPressed
      ? pressOrigin(interaction, interaction.message, form.answers)
      : originOf(interaction, read.isPrivate);
    const ask = this.#ask(interaction, responder, origin);
    const filled = filledIn(interaction);
    await guarded(read, ask, filled, () => acknowledgePress(responder, form.answers, ask));
    await conclude(responder, await read.run(filled, ask));
  }

  async #tellFailure(error: unknown, interaction: Interaction, responder: Responder): Promise<void> {
    const { funnel } = this.#parts;
    const what = nameOf(interaction);
    if (isTooLate(error)) return funnel.tooLate(what);
    const words = this.#words(error, what);
    try {
      // A member who is typing reads no sentences.
      if (interaction.isAutocomplete()) return await responder.suggest([]);
      await toMemberAlone(responder, words, this.#until(interaction));
    } catch (unsaid) {
      if (isTooLate(unsaid)) funnel.tooLate(what);
      else funnel.sentenceFor(unsaid, `telling of a failure in ${what}`);
    }
  }

  #words(error: unknown, what: string) {
    const { funnel, say } = this.#parts;
    return { plan: { content: funnel.sentenceFor(error, what) }, neutral: { content: say('notDone') } };
  }

  #until({ createdTimestamp }: BaseInteraction): Until {
    return { clock: this.#parts.clock, until: createdTimestamp + TOKEN_LIFE_MS, stopping: this.#stopping.signal };
  }

  #place(interaction: BaseInteraction): Place {
    return placeOf(interaction, this.#parts.channelTypeOf?.(interaction.id));
  }

  #ask(interaction: BaseInteraction, responder: Responder, origin: Origin): Ask<Services> {
    const { services, say } = this.#parts;
    const another: Ask<Services>['another'] = async (plan, work, { isPrivate } = origin.route) => {
      const message = await responder.another(plan, isPrivate);
      try {
        await work({ ...origin, message, route: { ...origin.route, isPrivate, followUpId: message.id } });
      } catch (error) {
        const words = this.#words(error, 'a message beside an answer');
        await toMemberAlone(responder, words, this.#until(interaction), { id: message.id, isPrivate });
      }
    };
    const later = lateWord(responder, interaction, this.#parts);
    return { place: this.#place(interaction), origin, another, later, services, say };
  }
}

const keyed = <Handler extends { verb: string }>(handlers: readonly Handler[] = []): ReadonlyMap<string, Handler> =>
  new Map(handlers.map((handler) => [handler.verb, handler]));

/** Refuses what is not one of our ids at all. */
function knownId(text: string): CustomId {
  const id = readCustomId(text);
  if (!id) throw new Refusal('refusals.unknownButton');
  return id;
}

function accepted<Value>(value: Value | Refusal): Value {
  if (value instanceof Refusal) throw value;
  return value;
}

function acknowledgePress(responder: Responder, answers: Answers, { origin }: Ask<unknown>): Promise<void> {
  return answers === 'here' ? responder.deferUpdate() : responder.defer(origin.route.isPrivate);
}

async function conclude(responder: Responder, outcome: Outcome): Promise<void> {
  if (outcome === 'taken away') await responder.takeAway();
  else if (outcome !== 'shown as it goes') await answerWith(outcome, responder);
}

/** What holds memory gives it back once it is said, or cannot be. */
async function answerWith(outcome: Exclude<Outcome, string>, responder: Responder): Promise<void> {
  if (!('release' in outcome)) {
    await responder.edit(outcome);
    return;
  }
  try {
    const message = await responder.edit(outcome.plan);
    await outcome.shown?.(message);
  } finally {
    outcome.release();
  }
}

interface Guarded<Services, Given> {
  guards?: readonly Guard<Given>[];
  lateGuards?: readonly LateGuard<Services>[] | undefined;
}

/** What the payload tells comes before the acknowledgement, what the store must tell after it. */
async function guarded<Services, Given>(
  handler: Guarded<Services, Given>,
  ask: Ask<Services>,
  given: Given,
  acknowledge: () => Promise<void>,
): Promise<void> {
  const early = firstRefusal(handler.guards ?? [], ask.place, given);
  if (early) throw early;
  await acknowledge();
  for (const guard of handler.lateGuards ?? []) {
    const late = await guard(ask);
    if (late) throw late;
  }
}

function typedName({ commandName, options }: ChatInputCommandInteraction | AutocompleteInteraction): string {
  const subcommand = options.getSubcommand(false);
  return subcommand === null ? commandName : `${commandName} ${subcommand}`;
}

/** For the log: never what a member typed. */
function nameOf(interaction: Interaction): string {
  if (interaction.isChatInputCommand() || interaction.isAutocomplete()) return `/${typedName(interaction)}`;
  if (interaction.isCommand()) return `/${interaction.commandName}`;
  return interaction.isModalSubmit() ? 'form' : 'press';
}
