import { ApplicationCommandType, Routes } from 'discord-api-types/v10';
import { features } from '../../src/commands/index.ts';
import { registrations } from '../../src/discord/registration.ts';
import { runWithoutOptions } from '../usage.ts';
import { type ExpectedStep, INTERACTIONS } from './compare.ts';
import { openEmbeddedSides, tryEmbeddedSides } from './embedded.ts';
import { type Expected, type profiles, writeExpected } from './expected.ts';
import { PROMPT } from './gateway-steps.ts';
import { startBot } from './member-steps.ts';
import { Recorder } from './recorder.ts';
import type { StepResult } from './run.ts';
import { openDiscord } from './sides.ts';

/** Slow enough that every state of a job is seen. */
const SPEED = 20;
/** The embedded sides have nothing to hide. */
const ANYTHING = { has: () => true };

async function observe(profile: (typeof profiles)[number]): Promise<StepResult[]> {
  const sides = await openEmbeddedSides(profile, { speed: SPEED });
  try {
    return await tryEmbeddedSides(sides, ANYTHING);
  } finally {
    await sides.close();
  }
}

const EDIT = 'Edit and retry';

/** A member of the embedded Discord does one thing of each type. */
async function observeInteractions(): Promise<ExpectedStep> {
  const sides = await openEmbeddedSides('spec', { speed: SPEED });
  const { discord, config } = sides;
  const recorder = new Recorder();
  const { clients, close } = openDiscord(config.discord.apiUrl, discord.token, recorder);
  const body = registrations(features, config.discord);
  await clients.rest.put(Routes.applicationGuildCommands(discord.applicationId, discord.world.guild('atelier').id), {
    body,
  });
  const stop = await startBot(config, { version: '0.0.0', maxCost: '1', recorder });
  try {
    const member = discord.as('admin');
    await (await member.slash('about')).acknowledged();
    const image = { name: 'one.png', bytes: Buffer.from('image'), contentType: 'image/png' };
    await (await member.slash('describe', { image })).acknowledged();
    await member.complete('image', { prompt: PROMPT, model: 'x' }, 'model');
    const imagine = await member.slash('imagine', { prompt: PROMPT });
    const grid = await imagine.message(({ components = [] }) => components.length > 1);
    await member.say(`<@${discord.applicationId}> ${PROMPT}`);
    sides.gateway.faults.add({ do: 'moderated' });
    const refused = await member.slash('imagine', { prompt: PROMPT });
    const failed = await refused.message(({ components }) => JSON.stringify(components).includes(EDIT));
    const form = await (await member.click(failed, EDIT)).modal();
    await (await member.fill(form, { words: PROMPT })).acknowledged();
    const [menu] = body.filter(({ type }) => type === ApplicationCommandType.Message);
    await (await member.menu(menu?.name ?? '', grid)).acknowledged();
    await (await member.click(grid, 'U1')).acknowledged();
    const page = await (await member.slash('settings')).message(({ components = [] }) => components.length > 0);
    await (await member.click(page, 'Change answers')).modal();
    const taken = await recorder.take(ANYTHING, []);
    const responses = taken.filter(({ route }) => route.startsWith('INTERACTION'));
    return { name: INTERACTIONS, outcome: 'worked', responses };
  } finally {
    await stop();
    await close();
    await sides.close();
  }
}

/** Runs the trial with the embedded sides, whose responses the trial of real ones is compared with. */
async function observeEmbeddedSides(): Promise<Expected> {
  // One after the other, because both use the dispatcher of the process.
  const [spec, stock] = [await observe('spec'), await observe('stock')];
  const on = (side: string, all: typeof spec) => all.filter((step) => step.side === side);
  return {
    discord: on('discord', spec),
    gateway: { spec: on('gateway', spec), stock: on('gateway', stock) },
    member: [await observeInteractions()],
  };
}

if (import.meta.main)
  await runWithoutOptions(
    'npm run trial:expected',
    'Runs the trial with the embedded sides and stores what they respond in scripts/trial/expected.json.',
    async () => writeExpected(await observeEmbeddedSides()),
  );
