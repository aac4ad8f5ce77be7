import { expect, it } from 'vitest';
import { proposalsIn } from '../../../src/services/conversations/prompt-help.ts';

const json = (...proposals: unknown[]) => JSON.stringify({ proposals });

it.each([
  ['JSON', json('a fox', 'a hen'), ['a fox', 'a hen']],
  ['JSON in a code block', `\`\`\`json\n${json('a fox')}\n\`\`\``, ['a fox']],
  ['JSON between other words', `Sure! ${json('a fox')} Enjoy [it].`, ['a fox']],
  ['formatted JSON', JSON.stringify({ proposals: ['a "red" fox', 'a \\ hen'] }, null, 2), ['a "red" fox', 'a \\ hen']],
  ['JSON that is cut off', '{"proposals":["a fox","a h', ['a fox']],
  ['JSON with line breaks inside of strings', '{"proposals":["a\nfox"]}', ['a fox']],
  ['JSON with an escape that does not exist', '{"proposals":["a \\q fox","a hen"]}', ['a hen']],
  ['more than three proposals', json('1', '2', '3', '4'), ['1', '2', '3']],
  ['the same proposal twice, an empty and an invisible one', json('a fox', ' ', '\u200b', 'a  fox'), ['a fox']],
  ['a proposal that is too long', json('x'.repeat(6_001), 'a fox'), ['a fox']],
  ['a numbered list', 'Here:\n1. "a fox"\n2) **a hen**\n10. a cat', ['a fox', 'a hen', 'a cat']],
  ['a list with bullets', '- a fox\n• a hen\n* a cat', ['a fox', 'a hen', 'a cat']],
  ['other fields', '{"answer":["a fox"]}', []],
  ['numbers and objects', json(1, { prompt: 'a fox' }), []],
  ['a sentence', 'I cannot help with that.', []],
  ['nothing', '', []],
  ['brackets without end', `{"proposals":${'['.repeat(50_000)}`, []],
  ['a string without end', `{"proposals":["${'\\"'.repeat(50_000)}`, []],
])('The proposals in %s are read', (_, answer, expected) => {
  expect(proposalsIn(answer)).toEqual(expected);
});
