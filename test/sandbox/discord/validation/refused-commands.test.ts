import { describe, expect, it } from 'vitest';
import { validateBody } from '../../../../sandbox/discord/validation/index.ts';
import { type BadCase, long, option, slashCommand, times } from './bodies.ts';

const one = (name: string, body: unknown, ...faults: BadCase['faults']): BadCase => ({
  name,
  kind: 'command',
  body,
  faults,
});
const list = (name: string, body: unknown, ...faults: BadCase['faults']): BadCase => ({
  ...one(name, body, ...faults),
  kind: 'commands',
});
const withOption = (...options: unknown[]) => slashCommand('draw', { options });
const sub = (name: string, more: object = {}) => option(name, { type: 1, ...more });
const at = 'options[0]';

const cases: BadCase[] = [
  one('no body', null, ['', 'BASE_TYPE_REQUIRED']),
  one('nothing', {}, ['name', 'BASE_TYPE_REQUIRED']),
  one('upper case', slashCommand('Draw'), ['name', 'APPLICATION_COMMAND_INVALID_NAME']),
  one('a space', slashCommand('draw it'), ['name', 'APPLICATION_COMMAND_INVALID_NAME']),
  one('an emoji', slashCommand('🎨'), ['name', 'APPLICATION_COMMAND_INVALID_NAME']),
  one('upper case of another script', slashCommand('Рисуй'), ['name', 'APPLICATION_COMMAND_INVALID_NAME']),
  one('a name over 32', slashCommand(long(33)), ['name', 'BASE_TYPE_BAD_LENGTH']),
  one('a name in capitals in one translation', slashCommand('draw', { name_localizations: { de: 'Malen' } }), [
    'name_localizations.de',
    'APPLICATION_COMMAND_INVALID_NAME',
  ]),
  one('an unknown language', slashCommand('draw', { name_localizations: { en: 'draw' } }), [
    'name_localizations.en',
    'BASE_TYPE_CHOICES',
  ]),
  one('a chat command without description', { name: 'draw' }, ['description', 'BASE_TYPE_REQUIRED']),
  one('a chat command with an empty one', slashCommand('draw', { description: '' }), [
    'description',
    'BASE_TYPE_REQUIRED',
  ]),
  one('a description over 100', slashCommand('draw', { description: long(101) }), [
    'description',
    'BASE_TYPE_MAX_LENGTH',
  ]),
  one('a translated description over 100', slashCommand('draw', { description_localizations: { de: long(101) } }), [
    'description_localizations.de',
    'BASE_TYPE_BAD_LENGTH',
  ]),
  one('a menu with a description', { name: 'Ask Me', type: 3, description: 'no' }, [
    'description',
    'APPLICATION_COMMAND_MENU_DESCRIPTION',
  ]),
  one('a menu with options', { name: 'Ask Me', type: 2, options: [option('a')] }, [
    'options',
    'APPLICATION_COMMAND_MENU_OPTIONS',
  ]),
  one('an unknown type', slashCommand('draw', { type: 9 }), ['type', 'BASE_TYPE_CHOICES']),
  one('a typing error', slashCommand('draw', { integrationTypes: [0] }), ['integrationTypes', 'UNKNOWN_KEY']),
  one('permissions in words', slashCommand('draw', { default_member_permissions: 'all' }), [
    'default_member_permissions',
    'NUMBER_TYPE_COERCE',
  ]),
  one('an unknown place', slashCommand('draw', { contexts: [3] }), ['contexts[0]', 'BASE_TYPE_CHOICES']),
  one('a place twice', slashCommand('draw', { contexts: [0, 0] }), ['contexts[1]', 'SET_TYPE_ALREADY_CONTAINS_VALUE']),
  one('no place', slashCommand('draw', { integration_types: [] }), ['integration_types', 'BASE_TYPE_MIN_LENGTH']),
  one('an edit with a long description', { description: long(101) }, ['description', 'BASE_TYPE_MAX_LENGTH']),

  one('twenty-six options', withOption(...times(26, (n) => option(`o${n}`))), ['options', 'BASE_TYPE_MAX_LENGTH']),
  one('an option in capitals', withOption(option('Prompt')), [`${at}.name`, 'APPLICATION_COMMAND_INVALID_NAME']),
  one('an option without description', withOption({ type: 3, name: 'prompt' }), [
    `${at}.description`,
    'BASE_TYPE_REQUIRED',
  ]),
  one('an option of no type', withOption(option('a', { type: 12 })), [at, 'UNION_TYPE_CHOICES']),
  one('a required option after another', withOption(option('a'), option('b', { required: true })), [
    'options[1]',
    'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
  ]),
  one('one name for two options', withOption(option('a'), option('a')), [
    'options[1]',
    'APPLICATION_COMMAND_OPTIONS_NAME_INVALID',
  ]),
  one(
    'the same translation for two options',
    withOption(option('a', { name_localizations: { de: 'x' } }), option('b', { name_localizations: { de: 'x' } })),
    ['options[1]', 'APPLICATION_COMMAND_OPTIONS_NAME_INVALID'],
  ),
  one('a subcommand beside an option', withOption(sub('a'), option('b')), [
    'options',
    'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
  ]),
  one('a subcommand in a subcommand', withOption(sub('a', { options: [sub('b')] })), [
    `${at}.options[0]`,
    'UNION_TYPE_CHOICES',
  ]),
  one('a group in a group', withOption(option('a', { type: 2, options: [option('b', { type: 2 })] })), [
    `${at}.options[0]`,
    'UNION_TYPE_CHOICES',
  ]),
  one('a group in a subcommand', withOption(sub('a', { options: [option('b', { type: 2, options: [] })] })), [
    `${at}.options[0]`,
    'UNION_TYPE_CHOICES',
  ]),
  one('an option straight in a group', withOption(option('a', { type: 2, options: [option('b')] })), [
    `${at}.options[0]`,
    'UNION_TYPE_CHOICES',
  ]),
  one('order inside a subcommand', withOption(sub('a', { options: [option('b'), option('c', { required: true })] })), [
    `${at}.options[1]`,
    'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
  ]),
  one('twenty-six choices', withOption(option('a', { choices: times(26, (n) => ({ name: `${n}`, value: `${n}` })) })), [
    `${at}.choices`,
    'BASE_TYPE_MAX_LENGTH',
  ]),
  one('a choice name over 100', withOption(option('a', { choices: [{ name: long(101), value: 'a' }] })), [
    `${at}.choices[0].name`,
    'BASE_TYPE_BAD_LENGTH',
  ]),
  one('a choice value over 100', withOption(option('a', { choices: [{ name: 'a', value: long(101) }] })), [
    `${at}.choices[0].value`,
    'BASE_TYPE_MAX_LENGTH',
  ]),
  one('a number for a text', withOption(option('a', { choices: [{ name: 'a', value: 1 }] })), [
    `${at}.choices[0].value`,
    'STRING_TYPE_CONVERT',
  ]),
  one('a text for a number', withOption(option('a', { type: 10, choices: [{ name: 'a', value: '1' }] })), [
    `${at}.choices[0].value`,
    'NUMBER_TYPE_COERCE',
  ]),
  one('a fraction for an integer', withOption(option('a', { type: 4, choices: [{ name: 'a', value: 1.5 }] })), [
    `${at}.choices[0].value`,
    'NUMBER_TYPE_COERCE',
  ]),
  one('one choice twice', withOption(option('a', { choices: times(2, () => ({ name: 'a', value: 'a' })) })), [
    `${at}.choices[1]`,
    'APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_INVALID',
  ]),
  one(
    'choices and autocomplete',
    withOption(option('a', { autocomplete: true, choices: [{ name: 'a', value: 'a' }] })),
    [`${at}.autocomplete`, 'APPLICATION_COMMAND_OPTIONS_CHOICES_EXCLUSIVE'],
  ),
  one('choices of a switch', withOption(option('a', { type: 5, choices: [] })), [`${at}.choices`, 'UNKNOWN_KEY']),
  one('a least value of a text', withOption(option('a', { min_value: 1 })), [`${at}.min_value`, 'UNKNOWN_KEY']),
  one('a length of an integer', withOption(option('a', { type: 4, max_length: 1 })), [
    `${at}.max_length`,
    'UNKNOWN_KEY',
  ]),
  one('values that cross', withOption(option('a', { type: 4, min_value: 5, max_value: 1 })), [
    `${at}.min_value`,
    'NUMBER_TYPE_MAX',
  ]),
  one('lengths that cross', withOption(option('a', { min_length: 5, max_length: 1 })), [
    `${at}.min_length`,
    'NUMBER_TYPE_MAX',
  ]),
  one('a length over 6,000', withOption(option('a', { max_length: 6001 })), [`${at}.max_length`, 'NUMBER_TYPE_MAX']),
  one(
    '8,001 characters',
    withOption(
      ...times(4, (n) =>
        option(`o${n}`, { choices: times(25, (m) => ({ name: `${m}`.padEnd(50, 'x'), value: long(30) })) }),
      ),
    ),
    ['', 'APPLICATION_COMMAND_TOO_LARGE'],
  ),

  list('no list', { name: 'draw' }, ['', 'LIST_TYPE_CONVERT']),
  list('a command that is text', ['draw'], ['[0]', 'MODEL_TYPE_CONVERT']),
  list(
    'a violation in the second command',
    [slashCommand('a'), slashCommand('B')],
    ['[1].name', 'APPLICATION_COMMAND_INVALID_NAME'],
  ),
  list(
    'the same name for two commands',
    [slashCommand('a'), slashCommand('a')],
    ['[1]', 'APPLICATION_COMMANDS_DUPLICATE_NAME'],
  ),
  list(
    'a hundred and one chat commands',
    times(101, (n) => slashCommand(`c${n}`)),
    ['', 'APPLICATION_COMMANDS_TOO_MANY'],
  ),
  list(
    'sixteen user commands',
    times(16, (n) => ({ name: `C ${n}`, type: 2 })),
    ['', 'APPLICATION_COMMANDS_TOO_MANY'],
  ),
  list(
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
    const translated = (length: number) =>
      slashCommand('draw', {
        options: times(25, (n) =>
          option(`o${n}`, {
            description: 'x',
            description_localizations: { de: long(length), fr: long(90) },
            choices: times(2, (m) => ({ name: `${m}`.padEnd(80, 'x'), value: long(30) })),
          }),
        ),
      });
    const codes = (body: unknown) => validateBody('command', body).map(({ code }) => code);
    expect(codes(translated(90))).toEqual([]);
    expect(codes(translated(100))).toEqual(['APPLICATION_COMMAND_TOO_LARGE']);
  });
});
