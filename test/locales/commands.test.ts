import { expect, it } from 'vitest';
import { features } from '../../src/commands/index.ts';
import type { Command, SingleCommand } from '../../src/discord/handlers.ts';
import { registrations } from '../../src/discord/registration.ts';
import type { Texts } from '../../src/locales/index.ts';

/** https://discord.com/developers/docs/interactions/application-commands */
const MAX_NAME = 32;
const MAX_DESCRIPTION = 100;
const MAX_CHOICE = 100;
/** Our own limit: Discord shows the description of an option in one line next to its name. */
const MAX_OPTION = 60;

const placesIn = (sentences: Texts, path = ''): string[] =>
  Object.entries(sentences).flatMap(([name, one]) =>
    typeof one === 'string' ? [path + name] : placesIn(one, `${path}${name}.`),
  );

const sentencesIn = (sentences: Texts, within: string): string[] =>
  Object.entries(sentences).flatMap(([name, one]) => {
    if (typeof one === 'string') return [];
    return name === within
      ? Object.values(one).flatMap((text) => (typeof text === 'string' ? [text] : []))
      : sentencesIn(one, within);
  });

const choicesIn = (sentences: Texts): string[] =>
  Object.entries(sentences).flatMap(([name, one]) => {
    if (typeof one === 'string') return [];
    return name === 'choices' ? Object.keys(one).flatMap((option) => sentencesIn(one, option)) : choicesIn(one);
  });

/** The keys that a command requires in its text. */
function optionKeys({ options }: SingleCommand<never>, path: string): string[] {
  return [
    `${path}example`,
    `${path}who`,
    ...Object.entries(options).flatMap(([name, option]) => [
      `${path}options.${name}`,
      ...(option.type === 'text' && !option.hasSuggestions
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

it.each(features.map(({ command, text }) => [command.name, command, text.command] as const))(
  'The text of /%s describes exactly the names and options of the command',
  (_name, command, text) => {
    expect(placesIn(text).sort()).toEqual(requiredKeys(command).sort());
  },
);

it('Discord accepts the length of every name and description of a command', () => {
  for (const body of registrations(features, { userInstall: true })) {
    expect(body.name.length, body.name).toBeLessThanOrEqual(MAX_NAME);
    if ('description' in body) expect(body.description.length, body.name).toBeLessThanOrEqual(MAX_DESCRIPTION);
  }
  for (const { command, text } of features) {
    if (!('subcommands' in command)) continue;
    for (const { name } of command.subcommands) {
      const one = Object.entries<string | Texts>(text.command).find(([key]) => key === name)?.[1];
      const description = typeof one === 'object' ? one.description : undefined;
      expect(String(description).length, `${command.name} ${name}`).toBeLessThanOrEqual(MAX_DESCRIPTION);
    }
  }
});

it('The description of an option is a short phrase without a full stop', () => {
  const odd = features
    .flatMap(({ text }) => sentencesIn(text.command, 'options'))
    .filter((description) => description.length > MAX_OPTION || description.endsWith('.'));
  expect(odd).toEqual([]);
});

it('Discord accepts the length of every choice', () => {
  const choices = features.flatMap(({ text }) => choicesIn(text.command));
  expect(choices.length).toBeGreaterThan(20);
  expect(choices.filter((name) => name.length > MAX_CHOICE)).toEqual([]);
});
