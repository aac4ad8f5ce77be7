import type { APIApplicationCommand } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import { leavesOf, matchingLeaves } from '../../../sandbox/web/page/composer/commands.ts';

const subcommand = (name: string) => ({ type: 1, name, description: '' });
const registeredCommands = [
  { type: 1, name: 'usage', description: '', options: [] },
  { type: 1, name: 'talk', description: '', options: [subcommand('start'), subcommand('end'), subcommand('again')] },
  { type: 1, name: 'stalk', description: '', options: [] },
  { type: 1, name: 'ask', description: '', options: [] },
] as unknown as APIApplicationCommand[];
const matchingPaths = (input: string) => matchingLeaves(leavesOf(registeredCommands), input).map(({ path }) => path);

it('Commands are sorted by name, and subcommands keep their registered order', () => {
  expect(matchingPaths('/')).toEqual(['ask', 'stalk', 'talk start', 'talk end', 'talk again', 'usage']);
});

it('Commands that start with the typed text come first', () => {
  expect(matchingPaths('/talk')).toEqual(['talk start', 'talk end', 'talk again', 'stalk']);
  expect(matchingPaths('/talk e')).toEqual(['talk end']);
});
