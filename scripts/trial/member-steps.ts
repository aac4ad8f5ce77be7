import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocketShardEvents } from '@discordjs/ws';
import {
  type APIApplicationCommandOption,
  ApplicationCommandOptionType,
  GatewayDispatchEvents,
  InteractionType,
} from 'discord-api-types/v10';
import { startApp } from '../../src/app.ts';
import { features } from '../../src/commands/index.ts';
import type { Config } from '../../src/config.ts';
import { customIds, readCustomId } from '../../src/discord/custom-ids.ts';
import type { DiscordClients } from '../../src/discord/outbox/clients.ts';
import { type CommandBody, registrations } from '../../src/discord/registration.ts';
import { isRecord } from '../../src/lib/exact-json.ts';
import { createLogger } from '../../src/lib/log.ts';
import { type DiscordSide, removeCommands } from './discord-steps.ts';
import { PROMPT } from './gateway-steps.ts';
import type { Recorder } from './recorder.ts';
import { LeftOut, type Step, Unexpected } from './run.ts';

/** What a member is to do. */
interface Deed {
  type: 'command' | 'menu' | 'message' | 'button';
  /** The command, the entry of a message's menu, or the family of buttons. */
  name: string;
  /** What to type, or the label. */
  text: string;
  /** The message that has the button. */
  messageId?: string;
}

/** Resolves when the member has done it and the bot has responded, with whether they did. */
export type Member = (deed: Deed) => Promise<boolean>;

/** Families of buttons by their verbs. The ids of forms are no buttons. */
const families = new Map(
  Object.entries(customIds).flatMap(([name, { name: verb }]) =>
    /Filled|^corrected$/.test(name) ? [] : [[verb, name]],
  ),
);
/** After these, there may be nothing left to press. */
const ENDS = /^(?:delete|dismiss|end|erase)/;

/** Each command and entry of a menu once, then each family of buttons once that the bot's messages had. */
export function memberSteps(side: DiscordSide, member: Member, recorder: Recorder): Step[] {
  const offers = new Map<string, Deed>();
  recorder.onBody = (body) => {
    for (const offer of offersIn(body)) offers.set(offer.name, offer);
  };
  const stepOf = (name: string, route: string, deedOf: () => Deed | undefined): Step => ({
    side: 'member',
    name,
    run: async () => {
      const deed = deedOf();
      if (!deed) throw new LeftOut('no message had such a button');
      if (!(await member(deed))) throw new LeftOut('it was skipped');
      if (!recorder.has(route)) throw new Unexpected('no such interaction arrived');
    },
  });
  const command = (name: string, deed: Deed): Step =>
    stepOf(name, ROUTES[InteractionType.ApplicationCommand], () => deed);
  const list: Deed = { type: 'command', name: 'image', text: '/image prompt: a {red, blue} kite' };
  const preset: Deed = { type: 'command', name: 'image', text: `/image prompt: ${PROMPT} preset: (the saved one)` };
  const mention: Deed = { type: 'message', name: 'mention', text: `@${side.bot.username} Reply with the word: ready.` };
  return [
    ...registrations(features, side)
      .flatMap(deedsOf)
      .map((deed) => command(`${nameOfType[deed.type]} ${deed.name}`, deed)),
    command('Prompt with a list', list),
    command('Command with a preset', preset),
    ...(side.mentions ? [stepOf('Mention', MESSAGE, () => mention)] : []),
    ...[...families.values()]
      .toSorted((a, b) => Number(ENDS.test(a)) - Number(ENDS.test(b)))
      .map((name) => stepOf(`Button ${name}`, ROUTES[InteractionType.MessageComponent], () => offers.get(name))),
    { side: 'member', name: 'Removal of the commands', run: () => removeCommands(side) },
  ];
}

const nameOfType = { command: 'Command', menu: 'Menu entry' } as const;

/** The buttons and menus in the messages of a response. The options of some menus are buttons, too. */
function offersIn(value: unknown, messageId = ''): Deed[] {
  if (Array.isArray(value)) return value.flatMap((one) => offersIn(one, messageId));
  if (!isRecord(value)) return [];
  const { custom_id: customId, options, label, emoji, placeholder, components, accessory } = value;
  if (typeof customId !== 'string') {
    const id = typeof value.id === 'string' ? value.id : messageId;
    return [components, accessory].flatMap((part) => offersIn(part, id));
  }
  const text = [label, isRecord(emoji) && emoji.name, placeholder].find((one) => typeof one === 'string') ?? '';
  const ids = [customId, ...(Array.isArray(options) ? options.map((option) => option.value) : [])];
  const names = ids.flatMap((id) => families.get(readCustomId(String(id))?.verb ?? '') ?? []);
  return value.disabled === true ? [] : names.map((name) => ({ type: 'button', name, text, messageId }));
}

/** Each subcommand with its required options, as a member would type it. */
function deedsOf(body: CommandBody): (Deed & { type: keyof typeof nameOfType })[] {
  if (!('options' in body)) return [{ type: 'menu', name: body.name, text: body.name }];
  const { name, options = [] } = body;
  const subcommands = options.filter((option) => option.type === ApplicationCommandOptionType.Subcommand);
  if (subcommands.length === 0) return [{ type: 'command', name, text: exampleOf(name, options) }];
  return subcommands.map((one) => {
    const fullName = `${name} ${one.name}`;
    return { type: 'command', name: fullName, text: exampleOf(fullName, one.options ?? []) };
  });
}

function exampleOf(name: string, options: readonly APIApplicationCommandOption[]): string {
  const values = options.flatMap((option) => {
    const isFreeText = option.type === ApplicationCommandOptionType.String && !option.choices && !option.autocomplete;
    return option.required ? `${option.name}: ${isFreeText ? PROMPT : '(any)'}` : [];
  });
  return [`/${name}`, ...values].join(' ');
}

const ROUTES = {
  [InteractionType.Ping]: 'INTERACTION ping',
  [InteractionType.ApplicationCommand]: 'INTERACTION command',
  [InteractionType.MessageComponent]: 'INTERACTION button or menu',
  [InteractionType.ApplicationCommandAutocomplete]: 'INTERACTION completion',
  [InteractionType.ModalSubmit]: 'INTERACTION form',
};

/** A message that mentions a bot. */
const MESSAGE = 'INTERACTION message';

interface BotOptions {
  version: string;
  /** In US dollars. The bot spends no more where it knows prices. */
  maxCost: string;
  recorder: Recorder;
}

/** Starts the bot itself, with an empty store of its own, and records the interactions that arrive. */
export async function startBot(
  config: Config,
  { version, maxCost, recorder }: BotOptions,
): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-trial-'));
  const secrets = [config.discord.token, config.gateway.apiKey];
  const log = createLogger({ level: 'silent', secrets, isPretty: false, write: () => undefined });
  const onClients = ({ connection }: DiscordClients): void => {
    connection.socket.on(WebSocketShardEvents.Dispatch, ({ data }) => {
      if (data.t === GatewayDispatchEvents.InteractionCreate) recorder.addPayload(ROUTES[data.d.type], data.d);
      if (data.t === GatewayDispatchEvents.MessageCreate && data.d.mentions.some(({ bot }) => bot))
        recorder.addPayload(MESSAGE, data.d);
    });
  };
  const ownConfig: Config = {
    ...config,
    store: { url: `sqlite://${join(folder, 'trial.sqlite')}`, scheme: 'sqlite' },
    budgets: { ...config.budgets, total: { month: { amount: maxCost } } },
    cluster: { ...config.cluster, role: 'all' },
    http: { ...config.http, port: undefined },
  };
  const app = await startApp(ownConfig, { log, version, onClients });
  return async () => {
    await app.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
