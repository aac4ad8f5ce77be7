import {
  type AutocompleteInteraction,
  type BaseInteraction,
  type ChatInputCommandInteraction,
  type ContextMenuCommandInteraction,
  type Interaction,
  type Message,
  type MessageComponentInteraction,
  MessageFlags,
  type ModalSubmitInteraction,
} from 'discord.js';
import { Refusal } from '../lib/refusal.ts';
import type { Say } from '../locales/index.ts';
import type { EnteredForm, FormDrafts } from '../services/form-drafts.ts';
import { type CustomId, customIds, originalFormId, readCustomId } from './custom-ids.ts';
import { fillForm, readForm } from './form.ts';
import { firstRefusal } from './guards.ts';
import {
  type Button,
  commandsByFullName,
  type EarlyContext,
  type Form,
  type HandlerContext,
  type Handlers,
  type Menu,
  menusByName,
  type Opener,
  type Outcome,
  type SingleCommand,
  type Suggestion,
} from './handlers.ts';
import type { Acknowledgement } from './outbox/responder.ts';
import { type InteractionFacts, type Origin, originOf, pressOrigin, type ReplyMode } from './place.ts';
import type { FormPlan } from './plan.ts';
import { targetOf } from './target-message.ts';

type ContextHandler<Services, Result> = (context: HandlerContext<Services>) => Promise<Result>;

/** What an interaction asks for, and how it is to be acknowledged. */
export type ParsedInteraction<Services> = { origin: Origin } & (
  | { asks: 'for suggestions'; suggest: ContextHandler<Services, Suggestion[]> }
  | { asks: 'for a form'; open: ContextHandler<Services, FormPlan> }
  | {
      asks: 'for a reply';
      acknowledgement: Acknowledgement;
      /** Whether this can run again if it was interrupted before an order was stored. */
      onlyOrders: boolean;
      run: ContextHandler<Services, Outcome>;
    }
);

interface ReaderParts<Services> {
  handlers: Handlers<Services>;
  earlyServices: EarlyContext['services'];
  say: Say;
  drafts?: FormDrafts | undefined;
}

/** Whether the server makes this command's replies private unless the member chooses otherwise. */
export type PrivateByDefault = (place: InteractionFacts, command: string) => boolean;

/** Finds the handler of an interaction, and reads from the payload what the handler needs. Throws a refusal if there is no handler, or if the handler does not accept the input. */
export class InteractionReader<Services> {
  readonly #parts: ReaderParts<Services>;
  readonly #commands: ReadonlyMap<string, SingleCommand<Services>>;
  readonly #menus: ReadonlyMap<string, Menu<Services>>;
  readonly #buttons: ReadonlyMap<string, Button<Services>>;
  readonly #openers: ReadonlyMap<string, Opener<Services>>;
  readonly #forms: ReadonlyMap<string, Form<Services>>;

  constructor(parts: ReaderParts<Services>) {
    const { commands, menus = [], buttons, openers, forms } = parts.handlers;
    this.#parts = parts;
    this.#commands = commandsByFullName(commands);
    this.#menus = menusByName(menus, parts.say);
    this.#buttons = mapByVerb(buttons);
    this.#openers = mapByVerb(openers);
    this.#forms = mapByVerb(forms);
  }

  read(
    interaction: Interaction,
    place: InteractionFacts,
    isPrivateByDefault?: PrivateByDefault,
  ): ParsedInteraction<Services> {
    if (interaction.isAutocomplete()) return this.#suggestions(interaction);
    if (interaction.isChatInputCommand()) return this.#command(interaction, place, isPrivateByDefault);
    if (interaction.isContextMenuCommand()) return this.#menu(interaction, place);
    if (interaction.isMessageComponent()) return this.#component(interaction);
    if (interaction.isModalSubmit()) return this.#form(interaction);
    throw new Refusal('refusals.unknownCommand');
  }

  #suggestions(interaction: AutocompleteInteraction): ParsedInteraction<Services> {
    const { name, value } = interaction.options.getFocused(true);
    const command = this.#commands.get(fullName(interaction));
    return {
      asks: 'for suggestions',
      origin: originOf(interaction, true),
      suggest: async (context) => (await command?.suggest?.(name, value, context)) ?? [],
    };
  }

  #command(
    interaction: ChatInputCommandInteraction,
    place: InteractionFacts,
    isPrivateByDefault: PrivateByDefault | undefined,
  ): ParsedInteraction<Services> {
    const command = this.#commands.get(fullName(interaction));
    if (!command) throw new Refusal('refusals.unknownCommand');
    const { isPrivacyUnset, isPrivate, run } = throwIfRefused(command.read(interaction, place));
    const isDefaultPrivate = isPrivacyUnset && isPrivateByDefault?.(place, fullName(interaction));
    return newReply(
      interaction,
      isDefaultPrivate === true || isPrivate({ place, services: this.#parts.earlyServices }),
      { onlyOrders: command.onlyOrders, run },
    );
  }

  #menu(interaction: ContextMenuCommandInteraction, place: InteractionFacts): ParsedInteraction<Services> {
    const menu = this.#menus.get(interaction.commandName);
    if (!menu || !interaction.isMessageContextMenuCommand()) throw new Refusal('refusals.unknownCommand');
    throwIfRefused(firstRefusal(menu.guards ?? [], place, undefined));
    const target = targetOf(interaction.targetMessage);
    if ('run' in menu) {
      const { onlyOrders } = menu;
      return newReply(interaction, menu.isPrivate, { onlyOrders, run: (context) => menu.run(target, context) });
    }
    const open: ContextHandler<Services, FormPlan> = (context) => menu.open(target, context);
    return { asks: 'for a form', origin: originOf(interaction, false), open };
  }

  #component(interaction: MessageComponentInteraction): ParsedInteraction<Services> {
    const selectedValues = interaction.isStringSelectMenu() ? interaction.values : [];
    const componentId = parseCustomId(interaction.customId);
    // In a menu that replaces buttons, the chosen value is the id of the button.
    const id = componentId.verb === customIds.list.name ? parseCustomId(selectedValues[0] ?? '') : componentId;
    const target = targetOf(interaction.message);
    if (id.verb === customIds.correct.name) return this.#correction(interaction, id);
    const opener = this.#openers.get(id.verb);
    if (opener) {
      const open = throwIfRefused(opener.open(id));
      const origin = pressOrigin(interaction, interaction.message, 'new-message');
      return { asks: 'for a form', origin, open: (context) => open(context, target) };
    }
    const button = this.#buttons.get(id.verb);
    if (!button) throw new Refusal('refusals.unknownButton');
    const origin = pressOrigin(interaction, interaction.message, button.reply);
    const run = throwIfRefused(button.press(id, selectedValues));
    return reply(origin, button.reply, { onlyOrders: button.onlyOrders, run: (context) => run(context, target) });
  }

  /** Opens a refused form again, with what its member had entered. */
  #correction(interaction: MessageComponentInteraction, id: CustomId): ParsedInteraction<Services> {
    const draftId = throwIfRefused(customIds.correct.read(id));
    const open: ContextHandler<Services, FormPlan> = async (context) => {
      const entered = await this.#parts.drafts?.entered(draftId, context.place.userId);
      const formId = parseCustomId(entered?.formId ?? '');
      const openForm = this.#forms.get(formId.verb)?.open?.(formId);
      if (!entered || !openForm) throw new Refusal('refusals.unknownButton');
      const form = fillForm(await throwIfRefused(openForm)(context), entered);
      return { ...form, id: customIds.corrected.id(entered) };
    };
    return { asks: 'for a form', origin: pressOrigin(interaction, interaction.message, 'new-message'), open };
  }

  /** What a member entered in a form, if it can be opened again. */
  enteredIn(interaction: ModalSubmitInteraction): EnteredForm | undefined {
    const formId = originalFormId(interaction.customId);
    if (!this.#forms.get(readCustomId(formId)?.verb ?? '')?.open) return undefined;
    const { fields, lists } = readForm(interaction);
    const isPrivate =
      correctedPrivacy(interaction) ?? (interaction.isFromMessage() && isEphemeral(interaction.message));
    return { formId, isPrivate, fields, lists };
  }

  #form(interaction: ModalSubmitInteraction): ParsedInteraction<Services> {
    const id = parseCustomId(originalFormId(interaction.customId));
    const form = this.#forms.get(id.verb);
    if (!form) throw new Refusal('refusals.unknownButton');
    const { isPrivate, run } = throwIfRefused(form.read(id, readForm(interaction)));
    const { onlyOrders } = form;
    const wasPrivate = correctedPrivacy(interaction);
    if (wasPrivate !== undefined) {
      // The form was opened from the refusal, which is private and must not be changed.
      const isReplyPrivate = form.reply === 'new-message' ? isPrivate || wasPrivate : form.reply !== 'new-public';
      return newReply(interaction, isReplyPrivate, { onlyOrders, run });
    }
    if (interaction.isFromMessage())
      return reply(pressOrigin(interaction, interaction.message, form.reply), form.reply, { onlyOrders, run });
    // A form that was opened from a menu does not belong to a message of the bot.
    if (form.reply === 'here') throw new Refusal('refusals.unknownButton');
    return newReply(interaction, isPrivate, { onlyOrders, run });
  }
}

const isEphemeral = ({ flags }: Pick<Message, 'flags'>): boolean => flags.has(MessageFlags.Ephemeral);

/** Whether only the member sees the reply to a corrected form; undefined for any other form. */
function correctedPrivacy({ customId }: ModalSubmitInteraction): boolean | undefined {
  const id = parseCustomId(customId);
  return id.verb === customIds.corrected.name ? throwIfRefused(customIds.corrected.read(id)).isPrivate : undefined;
}

interface Work<Services> {
  onlyOrders: true | undefined;
  run: ContextHandler<Services, Outcome>;
}

const newReply = <Services>(
  interaction: BaseInteraction,
  isPrivate: boolean,
  work: Work<Services>,
): ParsedInteraction<Services> => reply(originOf(interaction, isPrivate), 'new-message', work);

function reply<Services>(
  origin: Origin,
  mode: ReplyMode,
  { onlyOrders, run }: Work<Services>,
): ParsedInteraction<Services> {
  const newMessageAcknowledgement = origin.route.isPrivate ? 'private answer' : 'public answer';
  return {
    asks: 'for a reply',
    origin,
    acknowledgement: mode === 'here' ? 'pressed message' : newMessageAcknowledgement,
    onlyOrders: onlyOrders === true,
    run,
  };
}

const mapByVerb = <Handler extends { verb: string }>(handlers: readonly Handler[] = []): ReadonlyMap<string, Handler> =>
  new Map(handlers.map((handler) => [handler.verb, handler]));

function parseCustomId(text: string): CustomId {
  const id = readCustomId(text);
  if (!id) throw new Refusal('refusals.unknownButton');
  return id;
}

/** Returns the value, or throws it if it is a refusal. */
export function throwIfRefused<Value>(value: Value | Refusal): Value {
  if (value instanceof Refusal) throw value;
  return value;
}

export function fullName({ commandName, options }: ChatInputCommandInteraction | AutocompleteInteraction): string {
  const subcommand = options.getSubcommand(false);
  return subcommand === null ? commandName : `${commandName} ${subcommand}`;
}
