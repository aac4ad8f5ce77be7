import { describe, expect, it } from 'vitest';
import { validateBody } from '../../../../sandbox/discord/validation/index.ts';
import { button, type InvalidCase, longText, row, select, text, times, V2 } from './bodies.ts';

const input = (id: string, overrides: object = {}) => ({ type: 4, custom_id: id, style: 1, ...overrides });
const role = (index: number) => ({ id: String(900_000_000_000_000_000n + BigInt(index)), type: 'role' });
const roleSelect = (overrides: object) => ({ type: 6, custom_id: 'a', ...overrides });
const label = (component: unknown, overrides: object = {}) => ({ type: 18, label: 'name', component, ...overrides });
const modal = (components: unknown, overrides: object = {}) => ({
  type: 9,
  data: { custom_id: 'm', title: 't', components, ...overrides },
});
const choices = (...items: unknown[]) => ({ type: 8, data: { choices: items } });
const inputPath = 'data.components[0].component';

const callback = (name: string, body: unknown, ...faults: InvalidCase['faults']): InvalidCase => ({
  name,
  kind: 'callback',
  body,
  faults,
});

const cases: InvalidCase[] = [
  callback('no body', null, ['', 'MODEL_TYPE_CONVERT']),
  callback('no type', {}, ['type', 'BASE_TYPE_REQUIRED']),
  callback('an unknown type', { type: 99 }, ['type', 'BASE_TYPE_CHOICES']),
  callback('an unknown key next to `data`', { type: 4, data: { content: 'x' }, flags: 64 }, ['flags', 'UNKNOWN_KEY']),
  callback('a message without data', { type: 4 }, ['data', 'BASE_TYPE_REQUIRED']),
  callback('an empty message', { type: 4, data: { content: '' } }, ['data', 'MESSAGE_EMPTY']),
  callback('content of more than 2,000 characters', { type: 7, data: { content: longText(2001) } }, [
    'data.content',
    'BASE_TYPE_MAX_LENGTH',
  ]),
  callback(
    'a deeply nested violation',
    { type: 4, data: { content: 'x', components: [row(button('a'), button('b', { label: longText(81) }))] } },
    ['data.components[0].components[1].label', 'BASE_TYPE_MAX_LENGTH'],
  ),
  callback('a deferral with the V2 flag', { type: 5, data: { flags: V2 } }, ['data.flags', 'DEFERRAL_FLAGS_INVALID']),
  callback('a deferral with two flags', { type: 5, data: { flags: 64 | 4 } }, ['data.flags', 'DEFERRAL_FLAGS_INVALID']),
  callback('a deferral with content', { type: 5, data: { content: 'x' } }, ['data.content', 'CALLBACK_DATA_MISMATCH']),
  callback('a deferred update with data', { type: 6, data: { flags: 64 } }, ['data', 'CALLBACK_DATA_MISMATCH']),
  callback('a modal in a message', { type: 4, data: { custom_id: 'm', title: 't', components: [] } }, [
    'data',
    'CALLBACK_DATA_MISMATCH',
  ]),
  callback('a title for a message', { type: 4, data: { content: 'x', title: 't' } }, ['data.title', 'UNKNOWN_KEY']),
  callback('choices in a message', { type: 4, data: { choices: [] } }, ['data', 'CALLBACK_DATA_MISMATCH']),
  callback('a message in a modal', { type: 9, data: { content: 'x' } }, ['data', 'CALLBACK_DATA_MISMATCH']),
  callback('a message in an autocomplete', { type: 8, data: { content: 'x' } }, ['data', 'CALLBACK_DATA_MISMATCH']),
  callback('an autocomplete without data', { type: 8 }, ['data', 'BASE_TYPE_REQUIRED']),
  callback('twenty-six choices', choices(...times(26, (n) => ({ name: 'a', value: `${n}` }))), [
    'data.choices',
    'BASE_TYPE_MAX_LENGTH',
  ]),
  callback('a choice name of more than 100 characters', choices({ name: longText(101), value: 'a' }), [
    'data.choices[0].name',
    'BASE_TYPE_BAD_LENGTH',
  ]),
  callback('a choice value of more than 100 characters', choices({ name: 'a', value: longText(101) }), [
    'data.choices[0].value',
    'BASE_TYPE_MAX_LENGTH',
  ]),
  callback('choices of two types', choices({ name: 'a', value: 'a' }, { name: 'b', value: 2 }), [
    'data.choices[1].value',
    'STRING_TYPE_CONVERT',
  ]),

  callback('a title of more than 45 characters', modal([label(input('a'))], { title: longText(46) }), [
    'data.title',
    'BASE_TYPE_BAD_LENGTH',
  ]),
  callback('a modal without title', modal([label(input('a'))], { title: undefined }), [
    'data.title',
    'BASE_TYPE_REQUIRED',
  ]),
  callback('a modal without components', modal([]), ['data.components', 'BASE_TYPE_BAD_LENGTH']),
  callback('six labels', modal(times(6, (n) => label(input(`${n}`)))), ['data.components', 'BASE_TYPE_BAD_LENGTH']),
  callback('a label of more than 45 characters', modal([label(input('a'), { label: longText(46) })]), [
    'data.components[0].label',
    'BASE_TYPE_BAD_LENGTH',
  ]),
  callback('a label without a component', modal([label(undefined)]), [inputPath, 'BASE_TYPE_REQUIRED']),
  callback('a label with a button', modal([label(button('a'))]), [inputPath, 'UNION_TYPE_CHOICES']),
  callback('an input with its own label inside a label', modal([label(input('a', { label: 'b' }))]), [
    `${inputPath}.label`,
    'COMPONENT_LABEL_FORBIDDEN',
  ]),
  callback('a row whose input has no label', modal([row(input('a'))]), [
    'data.components[0].components[0].label',
    'BASE_TYPE_REQUIRED',
  ]),
  callback('two inputs in a row', modal([row(input('a', { label: 'a' }), input('b', { label: 'b' }))]), [
    'data.components[0].components[1]',
    'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
  ]),
  callback('a container in a modal', modal([{ type: 17, components: [text('a')] }]), [
    'data.components[0]',
    'UNION_TYPE_CHOICES',
  ]),
  callback('the same id for two inputs', modal([label(input('a')), label(input('a'))]), [
    'data.components[1].component.custom_id',
    'COMPONENT_CUSTOM_ID_DUPLICATED',
  ]),
  callback('a minimum length above the maximum', modal([label(input('a', { min_length: 9, max_length: 3 }))]), [
    `${inputPath}.min_length`,
    'NUMBER_TYPE_MAX',
  ]),
  callback('a value longer than the maximum', modal([label(input('a', { value: 'abcd', max_length: 3 }))]), [
    `${inputPath}.value`,
    'BASE_TYPE_MAX_LENGTH',
  ]),
  callback('a disabled select', modal([label(select('a', { disabled: true }))]), [
    `${inputPath}.disabled`,
    'COMPONENT_DISABLED_IN_MODAL',
  ]),
  callback(
    'more default roles than can be chosen',
    modal([label(roleSelect({ required: false, min_values: 0, max_values: 10, default_values: times(25, role) }))]),
    [`${inputPath}.default_values`, 'BASE_TYPE_BAD_LENGTH'],
  ),
  callback('a required select that may stay empty', modal([label(roleSelect({ min_values: 0 }))]), [
    `${inputPath}.min_values`,
    'SELECT_COMPONENT_REQUIRED_ZERO_MIN_VALUES',
  ]),
  callback(
    'a radio group with one option',
    modal([label({ type: 21, custom_id: 'a', options: [{ label: 'a', value: 'a' }] })]),
    [`${inputPath}.options`, 'BASE_TYPE_BAD_LENGTH'],
  ),
  callback('eleven files', modal([label({ type: 19, custom_id: 'a', max_values: 11 })]), [
    `${inputPath}.max_values`,
    'NUMBER_TYPE_MAX',
  ]),
];

describe('The validator refuses a callback', () => {
  it.each(cases)('The validator refuses this $kind body: $name', ({ kind, body, facts, faults }) => {
    expect(validateBody(kind, body, facts).map(({ path, code }) => [path, code])).toEqual(faults);
  });
});
