import { expect, it } from 'vitest';
import { openEmbeddedSides, tryEmbeddedSides } from '../../../scripts/trial/embedded.ts';
import { compareWithExpected, knownIn, readExpected } from '../../../scripts/trial/expected.ts';
import { PROMPT } from '../../../scripts/trial/gateway-steps.ts';
import type { Member } from '../../../scripts/trial/member-steps.ts';
import { addCleanup } from '../../support/ending.ts';
import { cachingStudio } from '../../support/studio.ts';

it('With a member, the trial starts the bot, and records each command and each family of buttons', async () => {
  const studio = cachingStudio();
  addCleanup(() => studio.close());
  const sides = await openEmbeddedSides('spec', { speed: 400, studio });
  addCleanup(() => sides.close());
  const { discord } = sides;
  const admin = discord.as('admin');
  const told: string[] = [];
  const member: Member = async (deed) => {
    if (deed.type === 'button') {
      told.push(deed.label);
      if (told.length > 2) return false;
      await (await admin.click({ id: deed.messageId }, deed.label)).acknowledged();
      return true;
    }
    if (deed.name === 'imagine') {
      expect(deed.text).toBe(`/imagine prompt: ${PROMPT}`);
      const exchange = await admin.slash('imagine', { prompt: PROMPT });
      await exchange.message(({ components = [] }) => components.length > 1);
      return true;
    }
    if (deed.name !== 'about') return false;
    await (await admin.slash('about')).acknowledged();
    return true;
  };
  const expected = readExpected();
  const names = [
    'Commands',
    'Start of the bot',
    'Command about',
    'Command imagine',
    'Command image',
    'Button 1',
    'Button 2',
    'Button 3',
    'Removal of the commands',
  ];
  const results = await tryEmbeddedSides(sides, knownIn(expected), names, member);
  const outcomes = Object.fromEntries(results.map(({ name, outcome, reason }) => [name, reason ?? outcome]));
  expect(outcomes).toEqual({
    ...Object.fromEntries(names.map((name) => [name, 'worked'])),
    'Command image': 'it was skipped',
    'Button 3': 'it was skipped',
  });
  // Buttons of one family, such as U1 to U4, are pressed once.
  expect(new Set(told).size).toBe(told.length);
  expect(compareWithExpected(results, expected).differences).toEqual([]);
  expect(results.find(({ name }) => name === 'Command about')?.responses.map(({ route }) => route)).toEqual([
    'INTERACTION command',
  ]);
  expect(JSON.stringify(results)).not.toMatch(/kite|"admin"|atelier-bot|studio/);
  expect(discord.commands.guild('atelier')).toEqual([]);
});
