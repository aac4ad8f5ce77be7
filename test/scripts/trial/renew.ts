import { writeFileSync } from 'node:fs';
import { ApplicationCommandType, Routes } from 'discord-api-types/v10';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { type ExpectedStep, INTERACTIONS } from '../../../scripts/trial/compare.ts';
import { type Expected, profiles } from '../../../scripts/trial/expected.ts';
import { startBot } from '../../../scripts/trial/member-steps.ts';
import type { StepResult } from '../../../scripts/trial/report.ts';
import { openSides, PROMPT } from '../../../scripts/trial/sides.ts';
import { runWithoutOptions } from '../../../scripts/usage.ts';
import { features } from '../../../src/commands/index.ts';
import { registrations } from '../../../src/discord/registration.ts';
import { replyTo, toBot } from '../../e2e/mentions/fixture.ts';
import { isOpening, TALK_MODEL, threadOf } from '../../e2e/talk/fixture.ts';
import { type EmbeddedSides, openEmbeddedSides, tryEmbeddedSides, useAccount } from './embedded.ts';

const FILE = new URL('../../../scripts/trial/expected.json', import.meta.url);
const SPEED = 20;
/** The embedded sides have nothing to hide. */
const ANYTHING = { has: () => true };
const EDIT = 'Edit and retry';

async function observe(profile: (typeof profiles)[number]): Promise<StepResult[]> {
  const embedded = await openEmbeddedSides(profile, { speed: SPEED });
  const { gateway } = embedded;
  // A new job waits for its first poll, so that every state is seen.
  gateway.jobs.on('change', (_job, before) => before ?? gateway.setSpeed(1));
  gateway.onRequest(({ method }) => method === 'GET' && gateway.setSpeed(SPEED));
  try {
    await useAccount(embedded);
    return await tryEmbeddedSides(embedded, ANYTHING);
  } finally {
    await embedded.close();
  }
}

/** A member of the embedded Discord does one thing of each type. */
async function observeInteractions(): Promise<ExpectedStep> {
  const embedded = await openEmbeddedSides('spec', { speed: SPEED });
  const { discord, gateway, config, channelId } = embedded;
  const sides = await openSides(config, channelId, 0);
  const body = registrations(features, config.discord);
  await sides.clients.rest.put(Routes.applicationGuildCommands(discord.applicationId, sides.guildId), { body });
  await startBot(sides, '1');
  try {
    const member = discord.as('admin');
    await (await member.slash('about')).acknowledged();
    const image = { name: 'one.png', bytes: Buffer.from('image'), contentType: 'image/png' };
    await (await member.slash('describe', { image })).acknowledged();
    await member.complete('image', { prompt: PROMPT, model: 'x' }, 'model');
    const imagine = await member.slash('imagine', { prompt: PROMPT });
    const grid = await imagine.message(({ components = [] }) => components.length > 1);
    gateway.faults.add({ do: 'moderated' });
    const refused = await member.slash('imagine', { prompt: PROMPT });
    const failed = await refused.message(({ components }) => JSON.stringify(components).includes(EDIT));
    const form = await (await member.click(failed, EDIT)).modal();
    await (await member.fill(form, { words: PROMPT })).acknowledged();
    const [menu] = body.filter(({ type }) => type === ApplicationCommandType.Message);
    await (await member.menu(menu?.name ?? '', grid)).acknowledged();
    await (await member.click(grid, 'U1')).acknowledged();
    const page = await (await member.slash('settings')).message(({ components = [] }) => components.length > 0);
    await (await member.click(page, 'Change answers')).modal();
    await pressEachSort(embedded, grid);
    const taken = await sides.recorder.take(ANYTHING, []);
    const responses = taken.filter(({ route }) => route.startsWith('INTERACTION'));
    return { name: INTERACTIONS, outcome: 'worked', responses };
  } finally {
    await sides.close();
    await embedded.close();
  }
}

/** Presses a button of each sort of message: a reply, one in a thread, those with files of every kind, pages with a menu, and one that a button led to. */
async function pressEachSort({ discord }: EmbeddedSides, grid: Message): Promise<void> {
  const member = discord.as('admin');
  const press = async (message: Message, label: string) => (await member.click(message, label)).acknowledged();
  const hasFiles = ({ attachments }: Message): boolean => attachments.length > 0;
  await press(await replyTo(discord, 'studio', await member.say(toBot(discord, PROMPT))), 'Show details');
  const thread = await threadOf(await member.slash('talk start', { model: TALK_MODEL }));
  await (await member.click(await discord.until(() => discord.messages(thread).find(isOpening)), 'Speak')).modal();
  await press(await (await member.slash('music make', { about: PROMPT })).message(hasFiles), 'Run again');
  const list = await member.slash('tasks');
  await press(await list.message(({ components = [] }) => components.length > 1), 'Export my data');
  await press(await (await member.slash('usage')).message(hasFiles), 'Today');
  await press(await (await member.slash('models')).message(({ components = [] }) => components.length > 0), 'Next');
  await press(await (await member.click(grid, 'U2')).message(hasFiles), 'Vary (Subtle)');
}

/** One step a line, and without lengths, so that changes are readable. */
function writeExpected({ discord, gateway, member }: Expected): void {
  const linesOf = (steps: readonly ExpectedStep[]): string => {
    const lines = steps.map((step) =>
      JSON.stringify(step, (key, value) => (/^(?:length|ms)$/.test(key) ? undefined : value)),
    );
    return `[\n${lines.join(',\n')}\n]`;
  };
  const own = profiles.map((profile) => `"${profile}": ${linesOf(gateway[profile])}`).join(',\n');
  const text = `"discord": ${linesOf(discord)},\n"gateway": {\n${own}\n},\n"member": ${linesOf(member)}`;
  writeFileSync(FILE, `{\n${text}\n}\n`);
}

/** Runs the trial with the embedded sides, whose responses the trial of real ones is compared with. */
async function renew(): Promise<void> {
  // One after the other, because both use the dispatcher of the process.
  const [spec, stock] = [await observe('spec'), await observe('stock')];
  const on = (side: string, all: typeof spec) => all.filter((step) => step.side === side);
  const gateway = { spec: on('gateway', spec), stock: on('gateway', stock) };
  writeExpected({ discord: on('discord', spec), gateway, member: [await observeInteractions()] });
}

await runWithoutOptions(
  'npm run trial:expected',
  'Runs the trial with the embedded sides and stores what they respond in scripts/trial/expected.json.',
  renew,
);
