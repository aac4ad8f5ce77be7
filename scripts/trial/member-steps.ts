import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocketShardEvents } from '@discordjs/ws';
import {
  type APIButtonComponentWithCustomId,
  type APIMessage,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ComponentType,
  GatewayDispatchEvents,
  InteractionType,
  Routes,
} from 'discord-api-types/v10';
import { startApp } from '../../src/app.ts';
import { features } from '../../src/commands/index.ts';
import type { Config } from '../../src/config.ts';
import { readCustomId } from '../../src/discord/custom-ids.ts';
import type { DiscordClients } from '../../src/discord/outbox/clients.ts';
import { type CommandBody, registrations } from '../../src/discord/registration.ts';
import { isRecord } from '../../src/lib/exact-json.ts';
import { createLogger } from '../../src/lib/log.ts';
import { type DiscordSide, removeCommands } from './discord-steps.ts';
import { PROMPT } from './gateway-steps.ts';
import type { Recorder } from './recorder.ts';
import { LeftOut, type Step, Unexpected } from './run.ts';

/** What a member is to do: use a command, or press a button of a message. */
type Deed =
  | { type: 'command'; name: string; text: string }
  | { type: 'button'; messageId: string; customId: string; label: string };

/** Resolves when the member has done it and the bot has responded, with whether they did. */
export type Member = (deed: Deed) => Promise<boolean>;

/** A member would not press more. Each family of buttons is pressed once. */
const MAX_BUTTONS = 40;

/** Each command once, then each family of buttons once that the bot's messages in the channel have. */
export function memberSteps(side: DiscordSide, member: Member, recorder: Recorder): Step[] {
  const { channel, clients } = side;
  const commands = registrations(features, side).filter(({ type }) => type !== ApplicationCommandType.Message);
  const pressed = new Set<string>();
  const press = async (): Promise<void> => {
    const next = await nextButton(clients, channel.id, pressed);
    if (!next) throw new LeftOut('no message has another button');
    pressed.add(verbOf(next.customId));
    if (!(await member(next))) throw new LeftOut('it was skipped');
    if (!recorder.has(ROUTES[InteractionType.MessageComponent])) throw new Unexpected('no such interaction arrived');
  };
  return [
    ...commands.map((command) => ({
      side: 'member' as const,
      name: `Command ${command.name}`,
      run: async () => {
        if (!(await member({ type: 'command', name: command.name, text: exampleOf(command) })))
          throw new LeftOut('it was skipped');
        if (!recorder.has(ROUTES[InteractionType.ApplicationCommand]))
          throw new Unexpected('no such interaction arrived');
      },
    })),
    ...Array.from({ length: MAX_BUTTONS }, (_, index) => ({
      side: 'member' as const,
      name: `Button ${index + 1}`,
      run: press,
    })),
    { side: 'member', name: 'Removal of the commands', run: () => removeCommands(side) },
  ];
}

/** The first button of a family that was not pressed yet, newest message first. */
async function nextButton({ rest }: DiscordClients, channelId: string, pressed: ReadonlySet<string>) {
  const messages = (await rest.get(Routes.channelMessages(channelId))) as APIMessage[];
  return messages
    .flatMap(({ id, components = [] }) => buttonsIn(components).map((button) => ({ ...button, messageId: id })))
    .map(({ messageId, custom_id: customId, emoji, label = emoji?.name ?? '' }) => ({
      type: 'button' as const,
      messageId,
      customId,
      label,
    }))
    .find(({ customId }) => !pressed.has(verbOf(customId)));
}

function buttonsIn(value: unknown): APIButtonComponentWithCustomId[] {
  if (Array.isArray(value)) return value.flatMap(buttonsIn);
  if (!isRecord(value)) return [];
  const isButton =
    value.type === ComponentType.Button && typeof value.custom_id === 'string' && value.disabled !== true;
  return isButton ? [value as never] : [value.components, value.accessory].flatMap(buttonsIn);
}

/** The verb in an id of ours says what the button does, and nothing else. */
const verbOf = (customId: string): string => readCustomId(customId)?.verb ?? 'other';

/** The command with its required options, as a member would type it. */
function exampleOf(command: CommandBody): string {
  const [first] = 'options' in command ? (command.options ?? []) : [];
  const isGroup = first?.type === ApplicationCommandOptionType.Subcommand;
  const options = (isGroup ? (first.options ?? []) : 'options' in command ? (command.options ?? []) : []).filter(
    (option) => 'required' in option && option.required,
  );
  const values = options.map(
    ({ name, type }) => `${name}: ${type === ApplicationCommandOptionType.String ? PROMPT : '(any)'}`,
  );
  return [`/${command.name}`, ...(isGroup ? [first.name] : []), ...values].join(' ');
}

const ROUTES = {
  [InteractionType.Ping]: 'INTERACTION ping',
  [InteractionType.ApplicationCommand]: 'INTERACTION command',
  [InteractionType.MessageComponent]: 'INTERACTION button or menu',
  [InteractionType.ApplicationCommandAutocomplete]: 'INTERACTION completion',
  [InteractionType.ModalSubmit]: 'INTERACTION form',
};

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
