import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIChatInputApplicationCommandInteraction,
  type APIMessageApplicationCommandInteraction,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
  ApplicationCommandType,
  ComponentType,
  InteractionType,
} from 'discord-api-types/v10';
import { Refusal, throwIfRefusal } from '../lib/refusal.ts';
import { sayIn } from '../locales/index.ts';
import type { EnteredForm, FormDrafts } from '../services/orders/form-drafts.ts';
import { type CustomId, customIds, originalFormId, readCustomId } from './custom-ids.ts';
import { fillForm, readForm } from './form.ts';
import {
  commandsByFullName,
  type EarlyContext,
  type Handler,
  type Handlers,
  type HandlerWork,
  type Handling,
  type Menu,
  menusByName,
  type SingleCommand,
  type Suggestion,
} from './handlers.ts';
import {
  type Interaction,
  type InteractionFacts,
  interactionFactsOf,
  isEphemeral,
  type Origin,
  originOf,
  pressOrigin,
  type ReplyMode,
} from './interaction-facts.ts';
import { enteredIn, fullName, givenOptions } from './options.ts';
import type { Acknowledgement } from './outbox/responder.ts';
import type { FormPlan } from './plan.ts';
import { targetOf } from './target-message.ts';

/** What an interaction asks for, and how it is to be acknowledged. */
export type ParsedInteraction<Services> =
  | { asks: 'for suggestions'; origin: Origin; suggest: HandlerWork<Services, Suggestion[]> }
  | { asks: 'for a form'; origin: Origin; open: HandlerWork<Services, FormPlan> }
  | ParsedReply<Services>;

export interface ParsedReply<Services> {
  asks: 'for a reply';
  origin: Origin;
  acknowledgement: Acknowledgement;
  /** Whether this can run again if it was interrupted before an order was stored. */
  onlyOrders: boolean;
  /** Set if the reply of a command is private, but what follows is not. */
  isPublicLater?: boolean;
  /** Whether the settings, when they have been read, may ask for another acknowledgement. */
  dependsOnSettings?: boolean;
  run: HandlerWork<Services>;
}

/** What rules and settings say about the first response, as far as it is in memory. */
export interface KnownDefaults {
  /** Whether a command's replies are private unless the member chooses otherwise. */
  isPrivate(facts: InteractionFacts, command: string): boolean;
  /** Whether buttons open the prompt first; undefined if that is not set. */
  remixes(facts: InteractionFacts): boolean | undefined;
}

/** Finds the handler of an interaction, and reads from the payload what the handler needs. Throws a refusal if there is no handler, or if the handler does not accept the input. */
export class InteractionReader<Services> {
  readonly #earlyServices: EarlyContext['services'];
  readonly #drafts: FormDrafts | undefined;
  readonly #commands: ReadonlyMap<string, SingleCommand<Services>>;
  readonly #menus: ReadonlyMap<string, Menu<Services>>;
  readonly #handlers: ReadonlyMap<string, Handler<Services>>;

  constructor(
    { commands, menus = [], handlers = [] }: Handlers<Services>,
    earlyServices: EarlyContext['services'],
    drafts?: FormDrafts,
  ) {
    this.#earlyServices = earlyServices;
    this.#drafts = drafts;
    this.#commands = commandsByFullName(commands);
    this.#menus = menusByName(menus, sayIn());
    this.#handlers = new Map(handlers.map((handler) => [handler.verb, handler]));
  }

  read(interaction: Interaction, defaults?: KnownDefaults): ParsedInteraction<Services> {
    switch (interaction.type) {
      case InteractionType.ApplicationCommandAutocomplete:
        return this.#suggestions(interaction);
      case InteractionType.ApplicationCommand:
        if (interaction.data.type === ApplicationCommandType.ChatInput)
          return this.#command(interaction, interaction.data, defaults);
        if (interaction.data.type === ApplicationCommandType.Message) return this.#menu(interaction, interaction.data);
        throw new Refusal('refusals.unknownCommand');
      case InteractionType.MessageComponent:
        return this.#component(interaction, defaults);
      case InteractionType.ModalSubmit:
        return this.#form(interaction);
    }
  }

  #suggestions(interaction: APIApplicationCommandAutocompleteInteraction): ParsedInteraction<Services> {
    const command = this.#commands.get(fullName(interaction.data));
    const focused = givenOptions(interaction.data).find((option) => 'focused' in option && option.focused);
    return {
      asks: 'for suggestions',
      origin: originOf(interaction, true),
      suggest: async (context) =>
        (focused && (await command?.suggest?.(focused.name, String(focused.value), context))) ?? [],
    };
  }

  #command(
    interaction: Interaction,
    data: APIChatInputApplicationCommandInteraction['data'],
    defaults: KnownDefaults | undefined,
  ): ParsedInteraction<Services> {
    const command = this.#commands.get(fullName(data));
    if (!command) throw new Refusal('refusals.unknownCommand');
    const facts = interactionFactsOf(interaction);
    const isDefault = defaults?.isPrivate(facts, fullName(data)) === true;
    const { isPrivate, isPublicLater, run } = command.read(enteredIn(data), facts, isDefault);
    const isReplyPrivate = isPrivate({ facts, services: this.#earlyServices });
    const reply = newReply(interaction, isReplyPrivate, { onlyOrders: command.onlyOrders, run });
    return { ...reply, isPublicLater, dependsOnSettings: !isReplyPrivate || isPublicLater === true };
  }

  #menu(
    interaction: Interaction,
    { name, resolved, target_id: targetId }: APIMessageApplicationCommandInteraction['data'],
  ): ParsedInteraction<Services> {
    const menu = this.#menus.get(name);
    const message = resolved.messages[targetId];
    if (!menu || !message) throw new Refusal('refusals.unknownCommand');
    const target = targetOf(message);
    if ('open' in menu)
      return {
        asks: 'for a form',
        origin: originOf(interaction, false),
        open: (context) => menu.open(target, context),
      };
    const { isPrivate, onlyOrders } = menu;
    return newReply(interaction, isPrivate, { onlyOrders, run: (context) => menu.run(target, context) });
  }

  #handlingOf(id: CustomId) {
    const handler = this.#handlers.get(id.verb);
    if (!handler) throw new Refusal('refusals.unknownButton');
    return handler.read(id);
  }

  #component(
    interaction: APIMessageComponentInteraction,
    defaults: KnownDefaults | undefined,
  ): ParsedInteraction<Services> {
    const { data } = interaction;
    const selectedValues = data.component_type === ComponentType.StringSelect ? data.values : [];
    const componentId = parseCustomId(data.custom_id);
    // In a menu that replaces buttons, the chosen value is the id of the button.
    const id = componentId.verb === customIds.list.name ? parseCustomId(selectedValues[0] ?? '') : componentId;
    const message = targetOf(interaction.message);
    if (id.verb === customIds.correct.name) return this.#correction(interaction, id);
    const handling = this.#handlingOf(id);
    const facts = interactionFactsOf(interaction);
    const open = openerOf(handling, defaults?.remixes(facts));
    if (open) {
      const origin = pressOrigin(interaction, interaction.message, 'new-message');
      return { asks: 'for a form', origin, open: (context) => open(context, message) };
    }
    if (!('press' in handling)) throw new Refusal('refusals.unknownButton');
    const { onlyOrders, likeCommand, remix } = handling;
    const isPrivate = likeCommand !== undefined && defaults?.isPrivate(facts, likeCommand) === true;
    const mode = isPrivate ? 'new-private' : handling.reply;
    const run: HandlerWork<Services> = (context) => handling.press(context, { selectedValues, message });
    const parsed = reply(pressOrigin(interaction, interaction.message, mode), mode, { onlyOrders, run });
    return { ...parsed, dependsOnSettings: remix !== undefined || likeCommand !== undefined };
  }

  /** Opens a refused form again, with what its member had entered. */
  #correction(interaction: APIMessageComponentInteraction, id: CustomId): ParsedInteraction<Services> {
    const draftId = throwIfRefusal(customIds.correct.read(id));
    const open: HandlerWork<Services, FormPlan> = async (context) => {
      const entered = await this.#drafts?.entered(draftId, context.facts.userId);
      const handling = this.#handlingOf(parseCustomId(entered?.formId ?? ''));
      if (!entered || !('reopen' in handling) || !handling.reopen) throw new Refusal('refusals.unknownButton');
      const form = fillForm(await handling.reopen(context), entered);
      return { ...form, id: customIds.corrected.id(entered) };
    };
    return { asks: 'for a form', origin: pressOrigin(interaction, interaction.message, 'new-message'), open };
  }

  /** What a member entered in a form, if it can be opened again. */
  enteredIn({ data, message }: APIModalSubmitInteraction): EnteredForm | undefined {
    const formId = originalFormId(data.custom_id);
    if (!this.#handlers.get(readCustomId(formId)?.verb ?? '')?.canReopen) return undefined;
    const { fields, lists } = readForm(data);
    const isPrivate = correctedPrivacy(data.custom_id) ?? (message !== undefined && isEphemeral(message));
    return { formId, isPrivate, fields, lists };
  }

  #form(interaction: APIModalSubmitInteraction): ParsedInteraction<Services> {
    const { data, message } = interaction;
    const id = parseCustomId(originalFormId(data.custom_id));
    const handling = this.#handlingOf(id);
    if (!('submit' in handling)) throw new Refusal('refusals.unknownButton');
    const { onlyOrders, reply: mode } = handling;
    const values = readForm(data);
    const isPrivate = handling.isPrivate(values);
    const work = { onlyOrders, run: handling.submit(values) };
    const wasPrivate = correctedPrivacy(data.custom_id);
    if (wasPrivate !== undefined) {
      // The form was opened from the refusal, which is private and must not be changed.
      return newReply(interaction, mode === 'new-message' ? isPrivate || wasPrivate : mode !== 'new-public', work);
    }
    if (message) return reply(pressOrigin(interaction, message, mode), mode, work);
    // A form that was opened from a menu does not belong to a message of the bot.
    if (mode === 'here') throw new Refusal('refusals.unknownButton');
    return newReply(interaction, isPrivate, work);
  }
}

/** What a press opens: always, or because of the settings. */
function openerOf<Services>(handling: Handling<Services>, remixes: boolean | undefined) {
  if ('open' in handling) return handling.open;
  const remix = 'press' in handling ? handling.remix : undefined;
  return remix && (remixes ?? remix.byDefault) ? remix.open : undefined;
}

/** Whether only the member sees the reply to a corrected form; undefined for any other form. */
function correctedPrivacy(formId: string): boolean | undefined {
  const id = parseCustomId(formId);
  return id.verb === customIds.corrected.name ? throwIfRefusal(customIds.corrected.read(id)).isPrivate : undefined;
}

interface Work<Services> {
  onlyOrders: true | undefined;
  run: HandlerWork<Services>;
}

const newReply = <Services>(
  interaction: Interaction,
  isPrivate: boolean,
  work: Work<Services>,
): ParsedReply<Services> => reply(originOf(interaction, isPrivate), 'new-message', work);

function reply<Services>(origin: Origin, mode: ReplyMode, { onlyOrders, run }: Work<Services>): ParsedReply<Services> {
  const newMessageAcknowledgement = origin.route.isPrivate ? 'private answer' : 'public answer';
  return {
    asks: 'for a reply',
    origin,
    acknowledgement: mode === 'here' ? 'pressed message' : newMessageAcknowledgement,
    onlyOrders: onlyOrders === true,
    run,
  };
}

function parseCustomId(text: string): CustomId {
  const id = readCustomId(text);
  if (!id) throw new Refusal('refusals.unknownButton');
  return id;
}
