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
import packageFile from '../../package.json' with { type: 'json' };
import { startApp } from '../../src/app.ts';
import { features } from '../../src/commands/index.ts';
import type { Config } from '../../src/config.ts';
import { customIds, readCustomId } from '../../src/discord/custom-ids.ts';
import { type CommandBody, registrations } from '../../src/discord/registration.ts';
import { isRecord } from '../../src/lib/exact-json.ts';
import { createLogger } from '../../src/lib/log.ts';
import { removeCommands } from './discord-steps.ts';
import { LeftOut, type Step, stepsOf, Unexpected } from './run.ts';
import { PROMPT, type Sides } from './sides.ts';

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
export function memberSteps(sides: Sides, member: Member, maxCost: string): Step[] {
  const { recorder, bot, config } = sides;
  const offers = new Map<string, Deed>();
  recorder.onBody = (body) => {
    for (const offer of offersIn(body)) offers.set(offer.name, offer);
  };
  const act = async (deed: Deed | undefined, route = ROUTES[InteractionType.ApplicationCommand]): Promise<void> => {
    if (!deed) throw new LeftOut('no message had such a button');
    if (!(await member(deed))) throw new LeftOut('it was skipped');
    const isIt = (body: unknown): boolean => deed.type === 'message' || usedNames(body).includes(deed.name);
    if (!recorder.bodiesOf(route).some(isIt)) throw new Unexpected('no such interaction arrived');
  };
  const list: Deed = { type: 'command', name: 'image', text: '/image prompt: a {red, blue} kite' };
  const preset: Deed = { type: 'command', name: 'image', text: `/image prompt: ${PROMPT} preset: (the saved one)` };
  const mention: Deed = { type: 'message', name: 'mention', text: `@${bot.username} Reply with the word: ready.` };
  const commands = registrations(features, config.discord)
    .flatMap(deedsOf)
    .map((deed) => [`${deed.type === 'menu' ? 'Menu entry' : 'Command'} ${deed.name}`, () => act(deed)] as const);
  const buttons = [...families.values()]
    .toSorted((a, b) => Number(ENDS.test(a)) - Number(ENDS.test(b)))
    .map((name) => [`Button ${name}`, () => act(offers.get(name), ROUTES[InteractionType.MessageComponent])] as const);
  return stepsOf('member', {
    'Start of the bot': () => startBot(sides, maxCost),
    ...Object.fromEntries(commands),
    'Prompt with a list': () => act(list),
    'Command with a preset': () => act(preset),
    ...(config.discord.mentions && { Mention: () => act(mention, MESSAGE) }),
    ...Object.fromEntries(buttons),
    'Removal of the commands': () => removeCommands(sides),
  });
}

/** The command or the families of buttons that an interaction is about. */
function usedNames(interaction: unknown): string[] {
  const data = isRecord(interaction) && interaction.data;
  if (!isRecord(data)) return [];
  const { name, options, custom_id: customId, values } = data;
  const listed = Array.isArray(options) ? options.filter(isRecord) : [];
  const subcommand = listed.find(({ type }) => type === ApplicationCommandOptionType.Subcommand);
  const ids = [customId, ...(Array.isArray(values) ? values : [])];
  const command = subcommand ? `${String(name)} ${String(subcommand.name)}` : String(name);
  return [command, ...ids.flatMap((id) => families.get(readCustomId(String(id))?.verb ?? '') ?? [])];
}

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
function deedsOf(body: CommandBody): Deed[] {
  if (!('options' in body)) return [{ type: 'menu', name: body.name, text: body.name }];
  const { name, options = [] } = body;
  const subcommands = options.filter((option) => option.type === ApplicationCommandOptionType.Subcommand);
  const own = subcommands.map((one) => ({ name: `${name} ${one.name}`, options: one.options ?? [] }));
  return (own.length > 0 ? own : [{ name, options }]).map((one) => ({
    type: 'command',
    name: one.name,
    text: [`/${one.name}`, ...one.options.flatMap(exampleOf)].join(' '),
  }));
}

const exampleOf = ({ name, required }: APIApplicationCommandOption): string[] =>
  required ? [`${name}: ${name === 'prompt' ? PROMPT : '(any)'}`] : [];

const ROUTES = {
  [InteractionType.Ping]: 'INTERACTION ping',
  [InteractionType.ApplicationCommand]: 'INTERACTION command',
  [InteractionType.MessageComponent]: 'INTERACTION button or menu',
  [InteractionType.ApplicationCommandAutocomplete]: 'INTERACTION completion',
  [InteractionType.ModalSubmit]: 'INTERACTION form',
};

/** A message that mentions a bot. */
const MESSAGE = 'INTERACTION message';

/** Starts the bot itself, with an empty store of its own, and records the interactions that arrive. It spends at most `maxCost` US dollars where it knows prices. */
export async function startBot({ config, recorder, cleanups }: Sides, maxCost: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-trial-'));
  cleanups.defer(() => rm(folder, { recursive: true, force: true }));
  const ownConfig: Config = {
    ...config,
    store: { url: `sqlite://${join(folder, 'trial.sqlite')}`, scheme: 'sqlite' },
    budgets: { ...config.budgets, total: { month: { amount: maxCost } } },
    cluster: { ...config.cluster, role: 'all' },
    http: { ...config.http, port: undefined },
  };
  const app = await startApp(ownConfig, {
    log: createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined }),
    version: packageFile.version,
    onClients: ({ connection }) =>
      void connection.socket.on(WebSocketShardEvents.Dispatch, ({ data }) => {
        if (data.t === GatewayDispatchEvents.InteractionCreate) recorder.add(ROUTES[data.d.type], received(data.d));
        if (data.t === GatewayDispatchEvents.MessageCreate && data.d.mentions.some(({ bot }) => bot))
          recorder.add(MESSAGE, received(data.d));
      }),
  });
  cleanups.defer(() => app.stop());
}

const received = (payload: object) => ({ outcome: 'received', chunks: [Buffer.from(JSON.stringify(payload))] });
