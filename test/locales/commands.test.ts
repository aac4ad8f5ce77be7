import { expect, it } from 'vitest';
import { checkedSizes } from '../../scripts/command-limits.ts';
import { features } from '../../src/commands/index.ts';
import type { Command, SingleCommand } from '../../src/discord/handlers.ts';
import { registrations } from '../../src/discord/registration.ts';
import { languages } from '../../src/lib/languages.ts';
import { type StringTree, stringAt, strings, stringsIn } from '../../src/locales/index.ts';

/** https://discord.com/developers/docs/interactions/application-commands */
const MAX_NAME_LENGTH = 32;
const MAX_DESCRIPTION_LENGTH = 100;
const MAX_CHOICE_LENGTH = 100;
/** Our own limit: Discord shows the description of an option on one line, next to the option's name. */
const MAX_OPTION_DESCRIPTION_LENGTH = 60;

const keyPathsIn = (sentences: StringTree, path = ''): string[] =>
  Object.entries(sentences).flatMap(([name, one]) =>
    typeof one === 'string' ? [path + name] : keyPathsIn(one, `${path}${name}.`),
  );

const sentencesIn = (sentences: StringTree, parentKey: string): string[] =>
  Object.entries(sentences).flatMap(([name, one]) => {
    if (typeof one === 'string') return [];
    return name === parentKey
      ? Object.values(one).flatMap((text) => (typeof text === 'string' ? [text] : []))
      : sentencesIn(one, parentKey);
  });

const choicesIn = (sentences: StringTree): string[] =>
  Object.entries(sentences).flatMap(([name, one]) => {
    if (typeof one === 'string') return [];
    return name === 'choices' ? Object.keys(one).flatMap((option) => sentencesIn(one, option)) : choicesIn(one);
  });

/** The keys that the text of a command or subcommand must have for its options. */
function optionKeys({ options }: SingleCommand<never>, path: string): string[] {
  return [
    `${path}example`,
    ...Object.entries(options).flatMap(([name, option]) => [
      `${path}options.${name}`,
      ...(option.type === 'text' && !option.hasSuggestions && !option.labelPath
        ? (option.choices ?? []).map((value) => `${path}choices.${name}.${value}`)
        : []),
    ]),
  ];
}

const requiredKeys = (command: Command<never>): string[] =>
  'subcommands' in command
    ? [
        'description',
        ...command.subcommands.flatMap((one) => [`${one.name}.description`, ...optionKeys(one, `${one.name}.`)]),
      ]
    : ['description', ...optionKeys(command, '')];

function stringsOf(...path: string[]): StringTree {
  const tree = path.reduce<string | StringTree | undefined>(
    (parent, name) => (typeof parent === 'object' ? parent[name] : undefined),
    strings,
  );
  return typeof tree === 'object' ? tree : {};
}

it.each(features.map(({ command }) => [command.name, command, stringsOf('commands', command.name)] as const))(
  'The text of /%s describes exactly the names and options of the command',
  (_name, command, text) => {
    expect(keyPathsIn(text).sort()).toEqual(requiredKeys(command).sort());
  },
);

const bodies = registrations(features, { userInstall: true });

it('Discord accepts the length of every text of the commands in every language', () => {
  expect(checkedSizes(bodies)).toHaveLength(bodies.length);
});

/** What the files of the other languages say at a path. */
function translationsAt(...path: string[]): Record<string, string> {
  const texts = [...languages, 'es-419' as const].map((locale) => {
    const text = stringAt(stringsIn(locale === 'es-419' ? 'es-ES' : locale), path);
    return [locale, text === stringAt(strings, path) ? undefined : text] as const;
  });
  return Object.fromEntries(texts.flatMap(([locale, text]) => (text === undefined ? [] : [[locale, text]])));
}

it('Discord gets the texts of commands in each language that has its own, in Latin America those of Spain', () => {
  expect(bodies).toContainEqual(
    expect.objectContaining({
      name: 'imagine',
      description_localizations: translationsAt('commands', 'imagine', 'description'),
      options: expect.arrayContaining([
        expect.objectContaining({
          name: 'aspect',
          description_localizations: translationsAt('commands', 'imagine', 'options', 'aspect'),
          choices: expect.arrayContaining([
            expect.objectContaining({
              value: '1:1',
              name_localizations: translationsAt('commands', 'imagine', 'choices', 'aspect', '1:1'),
            }),
          ]),
        }),
      ]),
    }),
  );
  expect(bodies).toContainEqual(
    expect.objectContaining({ name: 'Use as reference', name_localizations: translationsAt('menus', 'reference') }),
  );
});

it('Discord accepts the length of every name and description of a command', () => {
  for (const body of registrations(features, { userInstall: true })) {
    expect(body.name.length, body.name).toBeLessThanOrEqual(MAX_NAME_LENGTH);
    if ('description' in body) expect(body.description.length, body.name).toBeLessThanOrEqual(MAX_DESCRIPTION_LENGTH);
  }
  for (const { command } of features) {
    if (!('subcommands' in command)) continue;
    for (const { name } of command.subcommands) {
      const { description } = stringsOf('commands', command.name, name);
      expect(String(description).length, `${command.name} ${name}`).toBeLessThanOrEqual(MAX_DESCRIPTION_LENGTH);
    }
  }
});

it('The description of an option is a short phrase without a full stop', () => {
  const invalidDescriptions = sentencesIn(stringsOf('commands'), 'options').filter(
    (description) => description.length > MAX_OPTION_DESCRIPTION_LENGTH || description.endsWith('.'),
  );
  expect(invalidDescriptions).toEqual([]);
});

it('Discord accepts the length of every choice', () => {
  const choices = choicesIn(stringsOf('commands'));
  expect(choices.length).toBeGreaterThan(20);
  expect(choices.filter((name) => name.length > MAX_CHOICE_LENGTH)).toEqual([]);
});
