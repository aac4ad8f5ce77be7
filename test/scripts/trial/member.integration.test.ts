import { expect, it } from 'vitest';
import { compareWithExpected, knownIn, readExpected } from '../../../scripts/trial/expected.ts';
import type { Member } from '../../../scripts/trial/member-steps.ts';
import { PROMPT } from '../../../scripts/trial/sides.ts';
import { costsOf, openTrial } from '../../../scripts/trial/trial.ts';
import { handlers } from '../../../src/commands/index.ts';
import { customIds } from '../../../src/discord/custom-ids.ts';
import { commandsByFullName } from '../../../src/discord/handlers.ts';
import { sumOf } from '../../../src/lib/decimals.ts';
import { replyTo, toBot } from '../../e2e/mentions/fixture.ts';
import { addCleanup } from '../../support/ending.ts';
import { cachingStudio } from '../../support/studio.ts';
import { openEmbeddedSides, tryEmbeddedSides } from './embedded.ts';

async function openSides() {
  const studio = cachingStudio();
  addCleanup(() => studio.close());
  const sides = await openEmbeddedSides('spec', { speed: 400, studio });
  addCleanup(() => sides.close());
  return sides;
}

/** A form is filled in when the button that opens it is pressed. */
const FORMS = [
  'actionTextFilled',
  'continueFilled',
  'editFilled',
  'editFilledPublicly',
  'editFilledPrivately',
  'lineFilled',
  'animateFilled',
  'makeVideoFilled',
  'referenceFilled',
  'corrected',
  'continueConversationFilled',
  'messageQuestionFilled',
  'speakFilled',
  'reportFilled',
  'reportBlockFilled',
  'rulesFilled',
  'rulesApartFilled',
  'preferencesFilled',
  'presetReportFilled',
];

it('The trial has a step for each command, each entry of a menu and each family of buttons', async () => {
  const { config, channelId } = await openSides();
  const trial = await openTrial(config, { channelId, member: async () => false, maxCost: '1000' });
  addCleanup(() => trial.close());
  expect(sumOf([trial.memberCost ?? '', costsOf(trial.steps).total])).toBe('1000');
  const names = trial.steps.map(({ name }) => name);
  const commands = [...commandsByFullName(handlers.commands).keys()].map((name) => `Command ${name}`);
  expect(names).toEqual(expect.arrayContaining(commands));
  expect(names.filter((name) => name.startsWith('Menu entry '))).toHaveLength(handlers.menus.length);
  expect(Object.keys(customIds).filter((name) => !names.includes(`Button ${name}`))).toEqual(FORMS);
  expect(new Set(names).size).toBe(names.length);
});

it('With a member, the trial starts the bot, and records commands, a mention and each family of buttons, also of private messages', {
  tags: ['breadth'],
}, async () => {
  const sides = await openSides();
  const { discord } = sides;
  const admin = discord.as('admin');
  const deeds: Record<string, (messageId: string, text: string) => Promise<unknown>> = {
    about: async () => (await admin.slash('about')).acknowledged(),
    // Another command than the one that the step is about.
    help: async () => (await admin.slash('about')).acknowledged(),
    settings: async () => (await admin.slash('settings')).message(({ components = [] }) => components.length > 0),
    imagine: async (_, text) => {
      expect(text).toBe(`/imagine prompt: ${PROMPT}`);
      const exchange = await admin.slash('imagine', { prompt: PROMPT });
      return exchange.message(({ components = [] }) => components.length > 1);
    },
    mention: async () => replyTo(discord, 'studio', await admin.say(toBot(discord, PROMPT))),
    action: async (id, text) => (await admin.click({ id }, text)).acknowledged(),
    preferences: async (id, text) => (await admin.click({ id }, text)).modal(),
  };
  const member: Member = async ({ name, text, messageId = '' }) => {
    await deeds[name]?.(messageId, text);
    return name in deeds;
  };
  const expected = readExpected();
  const names = [
    'Commands',
    'Start of the bot',
    'Command about',
    'Command help',
    'Command image',
    'Command imagine',
    'Command settings',
    'Mention',
    'Button action',
    'Button budget',
    'Button preferences',
    'Removal of the commands',
  ];
  const results = await tryEmbeddedSides(sides, knownIn(expected), names, member);
  const outcomes = Object.fromEntries(results.map(({ name, outcome, reason }) => [name, reason ?? outcome]));
  expect(outcomes).toEqual({
    ...Object.fromEntries(names.map((name) => [name, 'worked'])),
    'Command help': 'no such interaction arrived',
    'Command image': 'it was skipped',
    'Button budget': 'no message had such a button',
  });
  const worked = results.filter(({ name }) => name !== 'Command help');
  expect(compareWithExpected(worked, expected).differences).toEqual([]);
  expect(results.find(({ name }) => name === 'Command about')?.responses.map(({ route }) => route)).toEqual([
    'INTERACTION command',
  ]);
  expect(JSON.stringify(results)).not.toMatch(/kite|"admin"|atelier-bot|studio/);
  expect(discord.commands.guild('atelier')).toEqual([]);
});
