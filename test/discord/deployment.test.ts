import type { APIApplicationCommand } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { validateBody } from '../../sandbox/discord/validation/index.ts';
import { features } from '../../src/commands/index.ts';
import { type CommandBody, installLinks, planDeployment, registrations } from '../../src/discord/registration.ts';

const expectedCommands = registrations(features, { userInstall: false });
const names = expectedCommands.map(({ name }) => name);

/** Commands as Discord returns them: with ids, versions and explicit defaults. */
function registeredCommands(bodies: readonly CommandBody[]): APIApplicationCommand[] {
  return bodies.map((body, index) => ({
    default_member_permissions: null,
    name_localizations: null,
    ...body,
    id: `90000000000000000${index}`,
    application_id: '900000000000000100',
    version: '900000000000000200',
    nsfw: false,
    ...('options' in body && {
      options: body.options?.map((option) => ({ name_localizations: null, ...option })),
    }),
  })) as unknown as APIApplicationCommand[];
}

describe('The deployment of commands', () => {
  it('The deployment creates all commands if none is registered', () => {
    expect(planDeployment([], expectedCommands).create.map(({ name }) => name)).toEqual(names);
  });

  it('The deployment writes nothing if nothing has changed', () => {
    expect(planDeployment(registeredCommands(expectedCommands), expectedCommands)).toEqual({
      create: [],
      change: [],
      remove: [],
      unchanged: expectedCommands,
    });
  });

  it('The deployment updates changed commands and deletes removed ones', () => {
    const registered = registeredCommands(expectedCommands);
    const [first] = registered;
    if (first) Object.assign(first, { description: 'Another' });
    const { change, remove, unchanged } = planDeployment(registered, expectedCommands.slice(0, -1));
    expect(change).toEqual([{ id: first?.id, body: expectedCommands[0] }]);
    expect(remove.map(({ name }) => name)).toEqual(names.slice(-1));
    expect(unchanged).toEqual(expectedCommands.slice(1, -1));
  });

  it('A changed translation of a command, of an option or of a menu entry is a change, and an empty list of translations is none', () => {
    const withTexts = (text: string): CommandBody[] => {
      const texts = { de: text };
      const option = { type: 3, name: 'prompt', description: 'Words', description_localizations: texts } as const;
      return [
        { type: 1, name: 'one', description: 'One', description_localizations: texts },
        { type: 1, name: 'two', description: 'Two', options: [option] },
        { type: 3, name: 'Three', name_localizations: texts },
        { type: 1, name: 'four', description: 'Four', description_localizations: {} },
      ];
    };
    const { change, unchanged } = planDeployment(registeredCommands(withTexts('Eins')), withTexts('Zwei'));
    expect(change.map(({ body }) => body.name)).toEqual(['one', 'two', 'Three']);
    expect(unchanged.map(({ name }) => name)).toEqual(['four']);
  });

  it.each([true, false])('Discord accepts the registered commands (user installation: %s)', (userInstall) => {
    expect(validateBody('commands', registrations(features, { userInstall }))).toEqual([]);
  });

  it.each([true, false])(
    'The commands for live conversations, channels, budgets, rules, the set-up and reports are offered only in servers (user installation: %s)',
    (userInstall) => {
      const allCommands = registrations(features, { userInstall });
      const forServers = allCommands.filter(({ name }) =>
        ['talk', 'channel', 'budget', 'server', 'setup', 'Report'].includes(name),
      );
      for (const one of forServers) expect(one).toMatchObject({ integration_types: [0], contexts: [0] });
      const otherContexts = allCommands
        .filter((one) => !forServers.includes(one))
        .map((one) => JSON.stringify([one.integration_types, one.contexts]));
      expect([...new Set(otherContexts)]).toEqual([userInstall ? '[[0,1],[0,1,2]]' : '[[0],[0]]']);
    },
  );

  it('The invite link contains exactly the required permissions and scopes', () => {
    const { server, person } = installLinks('900000000000000100', { userInstall: true });
    const url = new URL(server);
    expect(url.searchParams.get('scope')).toBe('bot applications.commands');
    expect(url.searchParams.get('permissions')).toBe(
      String([10n, 11n, 15n, 16n, 35n, 36n, 38n, 46n].reduce((bits, bit) => bits | (1n << bit), 0n)),
    );
    expect(new URL(person ?? '').searchParams.get('scope')).toBe('applications.commands');
    expect(installLinks('1', { userInstall: false }).person).toBeUndefined();
  });
});
