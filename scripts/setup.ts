import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { APIApplication } from 'discord-api-types/v10';
import { type Config, configVariables, secretVariables } from '../src/config.ts';
import { fileVariable } from '../src/lib/secret.ts';
import { explainFailure, printLinks, registerCommands } from './deploy.ts';
import { checkPermissions, openRest, readServers, waitForServer } from './setup/discord-side.ts';
import { Draft } from './setup/draft.ts';
import { proposeLimits, proposeModels, readDraft, reportGateway, settleGateway, settleToken } from './setup/steps.ts';
import { openTerminal, type Terminal, wrap } from './setup/terminal.ts';
import { EX_NOPERM, runScript, type Values } from './usage.ts';

const DOES =
  'checks the token of a Discord bot and the address and key of a gateway, writes .env, registers the commands, and examines the bot’s permissions. It costs nothing, and can be run again.';
const WELCOME = `Sets Atelier up: asks for all that the bot needs, ${DOES}`;
const WELCOME_WITHOUT_QUESTIONS = `Sets Atelier up from the environment and .env, and asks nothing: ${DOES}`;

/** Windows has no mode that keeps a file from others. */
const WROTE = process.platform === 'win32' ? 'Wrote .env.' : 'Wrote .env, which only you can read.';

const help =
  'asks nothing: takes settings from the environment and .env, accepts\nall proposals, and overwrites nothing in .env';
const options = { yes: { type: 'boolean', help } } as const;

async function setup(values: Values<typeof options>): Promise<number> {
  let howToGoOn = `Nothing was written. To start again: npm run setup${values.yes ? ' -- --yes' : ''}`;
  const terminal = openTerminal(!values.yes, () => howToGoOn);
  try {
    const welcome = values.yes ? WELCOME_WITHOUT_QUESTIONS : WELCOME;
    terminal.say(`${welcome} Ctrl-C ends it; nothing is written before the end of step 3.`);
    const draft = new Draft('.env', process.env);
    if (values.yes) {
      draft.takeFromEnvironment([...configVariables, ...secretVariables.map(fileVariable)]);
      // Reports all problems at once.
      readDraft(draft);
    }
    const application = await settleToken(draft, terminal);
    const report = await settleGateway(draft, terminal);
    await reportGateway(report, draft, terminal);
    await proposeModels(report, draft, terminal);
    await proposeLimits(draft, terminal);
    const { discord } = readDraft(draft);
    terminal.good(draft.write() ? WROTE : '.env needs no change.');
    howToGoOn = values.yes
      ? 'Your settings are in .env. To go on: npm run setup -- --yes'
      : 'Your settings are in .env. To go on: npm run setup, which asks whether to keep them.';
    return await addToServer(discord, application, terminal);
  } finally {
    terminal.close();
  }
}

/** Registers the commands, waits until the bot is on a server, and examines its permissions there. */
async function addToServer(discord: Config['discord'], { id }: APIApplication, terminal: Terminal): Promise<number> {
  terminal.title('4 of 4  The server');
  const rest = openRest(discord.apiUrl, discord.token);
  const { deployGuildId } = discord;
  const isThere = (on: { id: string }[]): boolean =>
    deployGuildId === undefined ? on.length > 0 : on.some((server) => server.id === deployGuildId);
  let servers = await readServers(rest);
  const mustJoinFirst = deployGuildId !== undefined && !isThere(servers);
  const register = async (): Promise<void> => {
    const { count, scope } = await registerCommands(discord);
    terminal.good(`${count} commands and menu entries are registered ${scope}.`);
  };
  if (!mustJoinFirst) await register();
  printLinks(id, discord);
  if (!isThere(servers) && terminal.canAsk) {
    terminal.say('\nOpen the link, and choose your server. Waiting until the bot is there; Enter skips this.');
    servers = await waitForServer(rest, isThere, terminal);
  }
  if (mustJoinFirst) await register();
  if (servers.length === 0) terminal.bad('The bot is on no server yet. Open the link to add it.');
  const canWork = await checkPermissions(rest, servers, id, terminal);
  terminal.title('Ready');
  if (servers.length > 0)
    terminal.say(
      'Once the bot runs, use /setup on your server. It checks the channel in which you use it and those that the settings name, and shows budget, rules and privacy.',
    );
  const shouldStart = terminal.canAsk && (await terminal.confirm('Start the bot now?'));
  terminal.close();
  if (shouldStart) return await start();
  terminal.say('To start the bot: npm start');
  return canWork ? 0 : EX_NOPERM;
}

/** Runs until the bot ends. Ctrl-C reaches the bot too, so this process only waits. */
async function start(): Promise<number> {
  process.on('SIGINT', () => undefined);
  const bot = spawn('npm', ['start'], { stdio: 'inherit', shell: process.platform === 'win32' });
  const [code] = await once(bot, 'exit');
  return code ?? 1;
}

const script = { usage: 'npm run setup -- [--yes]', does: WELCOME, options, explain: explainFailure, wrap };
await runScript(script, setup);
