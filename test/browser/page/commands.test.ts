import type { APIApplicationCommand } from 'discord-api-types/v10';
import { expect, it } from 'vitest';
import { leavesOf, matching } from '../../../sandbox/web/page/composer/commands.ts';

const below = (name: string) => ({ type: 1, name, description: '' });
const registered = [
  { type: 1, name: 'usage', description: '', options: [] },
  { type: 1, name: 'talk', description: '', options: [below('start'), below('end'), below('again')] },
  { type: 1, name: 'stalk', description: '', options: [] },
  { type: 1, name: 'ask', description: '', options: [] },
] as unknown as APIApplicationCommand[];
const offered = (typed: string) => matching(leavesOf(registered), typed).map(({ path }) => path);

it('commands stand by name, and the subcommands of one as they were registered', () => {
  expect(offered('/')).toEqual(['ask', 'stalk', 'talk start', 'talk end', 'talk again', 'usage']);
});

it('what begins like the words stands first', () => {
  expect(offered('/talk')).toEqual(['talk start', 'talk end', 'talk again', 'stalk']);
  expect(offered('/talk e')).toEqual(['talk end']);
});
