import {
  type AutocompleteInteraction,
  type BaseInteraction,
  type ChatInputCommandInteraction,
  DiscordAPIError,
  type Interaction,
  type MessageComponentInteraction,
  type REST,
  RESTJSONErrorCodes,
} from 'discord.js';
import { Refusal } from '../lib/refusal.ts';
import type { Say } from '../locales/index.ts';
import type { Ask, Button, Command } from './command.ts';
import { readCustomId } from './custom-id.ts';
import type { Funnel } from './funnel.ts';
import { firstRefusal, type Guard } from './guards.ts';
import { placeOf } from './place.ts';
import { Responder } from './responder.ts';

/** Discord takes no more suggestions than this, nor longer ones. */
const MOST_SUGGESTIONS = 25;
const LONGEST_SUGGESTION = 100;

export interface RouterParts<Services> {
  commands: readonly Command<Services>[];
  buttons: readonly Button<Services>[];
  guards: readonly Guard[];
  services: Services;
  say: Say;
  funnel: Funnel;
  tokenRest: REST;
}

/** Brings every interaction to the one handler that is keyed for it, acknowledging first and failing politely. */
export class Router<Services> {
  readonly #parts: RouterParts<Services>;
  readonly #commands: ReadonlyMap<string, Command<Services>>;
  readonly #buttons: ReadonlyMap<string, Button<Services>>;
  readonly #underWay = new Set<Promise<void>>();
  #stopping = false;

  constructor(parts: RouterParts<Services>) {
    this.#parts = parts;
    this.#commands = new Map(parts.commands.map((command) => [command.name, command]));
    this.#buttons = new Map(parts.buttons.map((button) => [button.verb, button]));
  }

  /** Never throws: whatever fails has been told and logged. */
  async take(interaction: Interaction): Promise<void> {
    const work = this.#route(interaction);
    this.#underWay.add(work);
    try {
      await work;
    } finally {
      this.#underWay.delete(work);
    }
  }

  /** From now on members are asked to come back in a moment; what is under way goes on. */
  async finish(): Promise<void> {
    this.#stopping = true;
    await Promise.allSettled(this.#underWay);
  }

  async #route(interaction: Interaction): Promise<void> {
    const { applicationId, id: interactionId, token } = interaction;
    const responder = new Responder(this.#parts.tokenRest, { applicationId, interactionId, token });
    const what = nameOf(interaction);
    try {
      if (interaction.isAutocomplete()) return await this.#suggest(interaction, responder);
      const refusal = this.#stopping
        ? new Refusal('refusals.stopping')
        : firstRefusal(this.#parts.guards, placeOf(interaction));
      if (refusal) throw refusal;
      if (interaction.isChatInputCommand()) await this.#command(interaction, responder);
      else if (interaction.isMessageComponent()) await this.#component(interaction, responder);
      else throw new Refusal('refusals.unknownCommand');
    } catch (error) {
      await this.#tellFailure(error, what, responder, interaction.isMessageComponent());
    }
  }

  async #command(interaction: ChatInputCommandInteraction, responder: Responder): Promise<void> {
    const command = this.#commands.get(interaction.commandName);
    if (!command) throw new Refusal('refusals.unknownCommand');
    const ask = this.#ask(interaction);
    const refusal = firstRefusal(command.guards ?? [], ask.place);
    if (refusal) throw refusal;
    await responder.defer(command.isPrivate);
    const values = Object.fromEntries(
      Object.keys(command.options).map((name) => [name, interaction.options.getString(name) ?? undefined]),
    );
    await responder.edit(await command.run(values, ask));
  }

  async #component(interaction: MessageComponentInteraction, responder: Responder): Promise<void> {
    // A list that stands for too many buttons: what was chosen is the button's own id.
    const pressed = interaction.isStringSelectMenu() ? (interaction.values[0] ?? '') : interaction.customId;
    const id = readCustomId(pressed);
    const button = id && this.#buttons.get(id.verb);
    if (!id || !button) throw new Refusal('refusals.unknownButton');
    if (id.version !== button.version && !button.understands?.includes(id.version)) {
      throw new Refusal('refusals.outdatedButton');
    }
    await responder.deferUpdate();
    await responder.edit(await button.run(id.args, this.#ask(interaction)));
  }

  /** A member is typing: whatever goes wrong, an empty list is the answer. */
  async #suggest(interaction: AutocompleteInteraction, responder: Responder): Promise<void> {
    const command = this.#commands.get(interaction.commandName);
    const { name, value } = interaction.options.getFocused(true);
    const isAllowed = firstRefusal(this.#parts.guards, placeOf(interaction)) === undefined && !this.#stopping;
    const suggestions = isAllowed ? await this.#suggestions(command, name, value, this.#ask(interaction)) : [];
    const fitting = suggestions.filter((one) => one.value.length <= LONGEST_SUGGESTION).slice(0, MOST_SUGGESTIONS);
    await responder.suggest(fitting);
  }

  async #suggestions(command: Command<Services> | undefined, option: string, typed: string, ask: Ask<Services>) {
    try {
      return (await command?.suggest?.(option, typed, ask)) ?? [];
    } catch (error) {
      this.#parts.funnel.sentenceFor(error, `suggestions for ${option}`);
      return [];
    }
  }

  async #tellFailure(error: unknown, what: string, responder: Responder, isPress: boolean): Promise<void> {
    if (isTooLate(error)) return this.#parts.funnel.tooLate(what);
    const plan = { content: this.#parts.funnel.sentenceFor(error, what) };
    try {
      // A press has changed nothing, so its message stays as it is and the sentence comes beside it.
      if (isPress && responder.acknowledged) await responder.tellBeside(plan);
      else await responder.tell(plan);
    } catch (unsaid) {
      this.#parts.funnel.sentenceFor(unsaid, `telling of a failure in ${what}`);
    }
  }

  #ask(interaction: BaseInteraction): Ask<Services> {
    const { services, say } = this.#parts;
    return { place: placeOf(interaction), services, say };
  }
}

/** Discord has given up on the interaction, or somebody has answered it: nothing more can be said, and nothing is tried. */
const TOO_LATE: ReadonlySet<string | number> = new Set([
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged,
  RESTJSONErrorCodes.InvalidWebhookToken,
  RESTJSONErrorCodes.UnknownWebhook,
]);

function isTooLate(error: unknown): boolean {
  return error instanceof DiscordAPIError && TOO_LATE.has(error.code);
}

function nameOf(interaction: Interaction): string {
  if (interaction.isCommand() || interaction.isAutocomplete()) return `/${interaction.commandName}`;
  if (interaction.isMessageComponent() || interaction.isModalSubmit())
    return readCustomId(interaction.customId)?.verb ?? 'press';
  return 'interaction';
}
