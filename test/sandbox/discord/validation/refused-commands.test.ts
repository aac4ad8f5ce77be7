import { describe, expect, it } from 'vitest';
import { validateBody } from '../../../../sandbox/discord/validation/index.ts';
import { type InvalidCase, longText, option, slashCommand, times } from './bodies.ts';

const command = (name: string, body: unknown, ...faults: InvalidCase['faults']): InvalidCase => ({
  name,
  kind: 'command',
  body,
  faults,
});
const commands = (name: string, body: unknown, ...faults: InvalidCase['faults']): InvalidCase => ({
  ...command(name, body, ...faults),
  kind: 'commands',
});
const withOption = (...options: unknown[]) => slashCommand('draw', { options });
const subcommand = (name: string, overrides: object = {}) => option(name, { type: 1, ...overrides });
const optionPath = 'options[0]';

const cases: InvalidCase[] = [
  command('no body', null, ['', 'BASE_TYPE_REQUIRED']),
  command('an empty object', {}, ['name', 'BASE_TYPE_REQUIRED']),
  command('a name with a capital letter', slashCommand('Draw'), ['name', 'APPLICATION_COMMAND_INVALID_NAME']),
  command('a name with a space', slashCommand('draw it'), ['name', 'APPLICATION_COMMAND_INVALID_NAME']),
  command('an emoji as the name', slashCommand('🎨'), ['name', 'APPLICATION_COMMAND_INVALID_NAME']),
  command('an upper-case name in another script', slashCommand('Рисуй'), ['name', 'APPLICATION_COMMAND_INVALID_NAME']),
  command('a name of more than 32 characters', slashCommand(longText(33)), ['name', 'BASE_TYPE_BAD_LENGTH']),
  command('a capital letter in a translated name', slashCommand('draw', { name_localizations: { de: 'Malen' } }), [
    'name_localizations.de',
    'APPLICATION_COMMAND_INVALID_NAME',
  ]),
  command('an unknown language', slashCommand('draw', { name_localizations: { en: 'draw' } }), [
    'name_localizations.en',
    'BASE_TYPE_CHOICES',
  ]),
  command('a chat command without description', { name: 'draw' }, ['description', 'BASE_TYPE_REQUIRED']),
  command('a chat command with an empty description', slashCommand('draw', { description: '' }), [
    'description',
    'BASE_TYPE_REQUIRED',
  ]),
  command('a description of more than 100 characters', slashCommand('draw', { description: longText(101) }), [
    'description',
    'BASE_TYPE_MAX_LENGTH',
  ]),
  command(
    'a translated description of more than 100 characters',
    slashCommand('draw', { description_localizations: { de: longText(101) } }),
    ['description_localizations.de', 'BASE_TYPE_BAD_LENGTH'],
  ),
  command('a menu with a description', { name: 'Ask Me', type: 3, description: 'no' }, [
    'description',
    'APPLICATION_COMMAND_MENU_DESCRIPTION',
  ]),
  command('a menu with options', { name: 'Ask Me', type: 2, options: [option('a')] }, [
    'options',
    'APPLICATION_COMMAND_MENU_OPTIONS',
  ]),
  command('an unknown type', slashCommand('draw', { type: 9 }), ['type', 'BASE_TYPE_CHOICES']),
  command('a misspelled key', slashCommand('draw', { integrationTypes: [0] }), ['integrationTypes', 'UNKNOWN_KEY']),
  command('permissions that are not a number', slashCommand('draw', { default_member_permissions: 'all' }), [
    'default_member_permissions',
    'NUMBER_TYPE_COERCE',
  ]),
  command('an unknown context', slashCommand('draw', { contexts: [3] }), ['contexts[0]', 'BASE_TYPE_CHOICES']),
  command('the same context twice', slashCommand('draw', { contexts: [0, 0] }), [
    'contexts[1]',
    'SET_TYPE_ALREADY_CONTAINS_VALUE',
  ]),
  command('no integration type', slashCommand('draw', { integration_types: [] }), [
    'integration_types',
    'BASE_TYPE_MIN_LENGTH',
  ]),
  command('an edit with a long description', { description: longText(101) }, ['description', 'BASE_TYPE_MAX_LENGTH']),

  command('twenty-six options', withOption(...times(26, (n) => option(`o${n}`))), ['options', 'BASE_TYPE_MAX_LENGTH']),
  command('an option name with a capital letter', withOption(option('Prompt')), [
    `${optionPath}.name`,
    'APPLICATION_COMMAND_INVALID_NAME',
  ]),
  command('an option without description', withOption({ type: 3, name: 'prompt' }), [
    `${optionPath}.description`,
    'BASE_TYPE_REQUIRED',
  ]),
  command('an option of an unknown type', withOption(option('a', { type: 12 })), [optionPath, 'UNION_TYPE_CHOICES']),
  command('a required option after an optional one', withOption(option('a'), option('b', { required: true })), [
    'options[1]',
    'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
  ]),
  command('the same name for two options', withOption(option('a'), option('a')), [
    'options[1]',
    'APPLICATION_COMMAND_OPTIONS_NAME_INVALID',
  ]),
  command(
    'the same translation for two options',
    withOption(option('a', { name_localizations: { de: 'x' } }), option('b', { name_localizations: { de: 'x' } })),
    ['options[1]', 'APPLICATION_COMMAND_OPTIONS_NAME_INVALID'],
  ),
  command('a subcommand next to an option', withOption(subcommand('a'), option('b')), [
    'options',
    'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
  ]),
  command('a subcommand in a subcommand', withOption(subcommand('a', { options: [subcommand('b')] })), [
    `${optionPath}.options[0]`,
    'UNION_TYPE_CHOICES',
  ]),
  command('a group in a group', withOption(option('a', { type: 2, options: [option('b', { type: 2 })] })), [
    `${optionPath}.options[0]`,
    'UNION_TYPE_CHOICES',
  ]),
  command(
    'a group in a subcommand',
    withOption(subcommand('a', { options: [option('b', { type: 2, options: [] })] })),
    [`${optionPath}.options[0]`, 'UNION_TYPE_CHOICES'],
  ),
  command('an option directly in a group', withOption(option('a', { type: 2, options: [option('b')] })), [
    `${optionPath}.options[0]`,
    'UNION_TYPE_CHOICES',
  ]),
  command(
    'a required option after an optional one in a subcommand',
    withOption(subcommand('a', { options: [option('b'), option('c', { required: true })] })),
    [`${optionPath}.options[1]`, 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID'],
  ),
  command(
    'twenty-six choices',
    withOption(option('a', { choices: times(26, (n) => ({ name: `${n}`, value: `${n}` })) })),
    [`${optionPath}.choices`, 'BASE_TYPE_MAX_LENGTH'],
  ),
  command(
    'a choice name of more than 100 characters',
    withOption(option('a', { choices: [{ name: longText(101), value: 'a' }] })),
    [`${optionPath}.choices[0].name`, 'BASE_TYPE_BAD_LENGTH'],
  ),
  command(
    'a choice value of more than 100 characters',
    withOption(option('a', { choices: [{ name: 'a', value: longText(101) }] })),
    [`${optionPath}.choices[0].value`, 'BASE_TYPE_MAX_LENGTH'],
  ),
  command('a number as a choice of a string option', withOption(option('a', { choices: [{ name: 'a', value: 1 }] })), [
    `${optionPath}.choices[0].value`,
    'STRING_TYPE_CONVERT',
  ]),
  command(
    'a string as a choice of a number option',
    withOption(option('a', { type: 10, choices: [{ name: 'a', value: '1' }] })),
    [`${optionPath}.choices[0].value`, 'NUMBER_TYPE_COERCE'],
  ),
  command(
    'a fraction as a choice of an integer option',
    withOption(option('a', { type: 4, choices: [{ name: 'a', value: 1.5 }] })),
    [`${optionPath}.choices[0].value`, 'NUMBER_TYPE_COERCE'],
  ),
  command('the same choice twice', withOption(option('a', { choices: times(2, () => ({ name: 'a', value: 'a' })) })), [
    `${optionPath}.choices[1]`,
    'APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_INVALID',
  ]),
  command(
    'choices and autocomplete',
    withOption(option('a', { autocomplete: true, choices: [{ name: 'a', value: 'a' }] })),
    [`${optionPath}.autocomplete`, 'APPLICATION_COMMAND_OPTIONS_CHOICES_EXCLUSIVE'],
  ),
  command('choices for a boolean option', withOption(option('a', { type: 5, choices: [] })), [
    `${optionPath}.choices`,
    'UNKNOWN_KEY',
  ]),
  command('a minimum value for a string option', withOption(option('a', { min_value: 1 })), [
    `${optionPath}.min_value`,
    'UNKNOWN_KEY',
  ]),
  command('a maximum length for an integer option', withOption(option('a', { type: 4, max_length: 1 })), [
    `${optionPath}.max_length`,
    'UNKNOWN_KEY',
  ]),
  command('a minimum value above the maximum', withOption(option('a', { type: 4, min_value: 5, max_value: 1 })), [
    `${optionPath}.min_value`,
    'NUMBER_TYPE_MAX',
  ]),
  command('a minimum length above the maximum', withOption(option('a', { min_length: 5, max_length: 1 })), [
    `${optionPath}.min_length`,
    'NUMBER_TYPE_MAX',
  ]),
  command('a maximum length above 6,000', withOption(option('a', { max_length: 6001 })), [
    `${optionPath}.max_length`,
    'NUMBER_TYPE_MAX',
  ]),
  command(
    'more than 8,000 characters in total',
    withOption(
      ...times(4, (n) =>
        option(`o${n}`, { choices: times(25, (m) => ({ name: `${m}`.padEnd(50, 'x'), value: longText(30) })) }),
      ),
    ),
    ['', 'APPLICATION_COMMAND_TOO_LARGE'],
  ),

  commands('a body that is not a list', { name: 'draw' }, ['', 'LIST_TYPE_CONVERT']),
  commands('a command that is a string', ['draw'], ['[0]', 'MODEL_TYPE_CONVERT']),
  commands(
    'a violation in the second command',
    [slashCommand('a'), slashCommand('B')],
    ['[1].name', 'APPLICATION_COMMAND_INVALID_NAME'],
  ),
  commands(
    'the same name for two commands',
    [slashCommand('a'), slashCommand('a')],
    ['[1]', 'APPLICATION_COMMANDS_DUPLICATE_NAME'],
  ),
  commands(
    'a hundred and one chat commands',
    times(101, (n) => slashCommand(`c${n}`)),
    ['', 'APPLICATION_COMMANDS_TOO_MANY'],
  ),
  commands(
    'sixteen user commands',
    times(16, (n) => ({ name: `C ${n}`, type: 2 })),
    ['', 'APPLICATION_COMMANDS_TOO_MANY'],
  ),
  commands(
    'sixteen message commands',
    times(16, (n) => ({ name: `C ${n}`, type: 3 })),
    ['', 'APPLICATION_COMMANDS_TOO_MANY'],
  ),
];

describe('The validator refuses a command', () => {
  it.each(cases)('The validator refuses this $kind body: $name', ({ kind, body, facts, faults }) => {
    expect(validateBody(kind, body, facts).map(({ path, code }) => [path, code])).toEqual(faults);
  });

  it('Only the longest translation counts towards the 8,000 characters', () => {
    const translatedCommand = (length: number) =>
      slashCommand('draw', {
        options: times(25, (n) =>
          option(`o${n}`, {
            description: 'x',
            description_localizations: { de: longText(length), fr: longText(90) },
            choices: times(2, (m) => ({ name: `${m}`.padEnd(80, 'x'), value: longText(30) })),
          }),
        ),
      });
    const codes = (body: unknown) => validateBody('command', body).map(({ code }) => code);
    expect(codes(translatedCommand(90))).toEqual([]);
    expect(codes(translatedCommand(100))).toEqual(['APPLICATION_COMMAND_TOO_LARGE']);
  });
});
