import { expect, it } from 'vitest';
import { localeProblems } from '../../scripts/locales/check.ts';
import { readMaxLengths } from '../../scripts/locales/lengths.ts';
import type { StringTree } from '../../src/locales/index.ts';

const maxLengthOf = readMaxLengths();
const filesOf = (tree: StringTree) => new Map([['one.json', tree]]);
const problemsOf = (language: string, english: StringTree, own: StringTree) =>
  localeProblems(language, filesOf(english), filesOf(own), maxLengthOf);
/** The problems of one string, without its file and key. */
const problemsOfText = (english: string, text: string, key = 'key', language = 'de') =>
  problemsOf(language, { [key]: english }, { [key]: text }).map((problem) => problem.replace(/^\S+ /, ''));

it('A missing file, a missing string and a string that English does not have are found', () => {
  expect(localeProblems('de', filesOf({ a: 'One' }), new Map(), maxLengthOf)).toEqual(['one.json:a is missing']);
  expect(problemsOf('de', { group: { a: 'One', b: 'Two' } }, { group: { a: 'Eins', c: 'Drei' } })).toEqual([
    'one.json:group.c is not expected',
    'one.json:group.b is missing',
  ]);
});

it('A plural has exactly the categories of its language', () => {
  const english = { files_one: '{{count}} file', files_other: '{{count}} files' };
  expect(problemsOf('ja', english, { files_other: 'ファイル{{count}}個' })).toEqual([]);
  expect(problemsOf('ja', english, { files_one: '{{count}}個', files_other: '{{count}}個' })).toEqual([
    'one.json:files_one is not expected',
  ]);
  expect(problemsOf('ru', english, { files_one: '{{count}} файл', files_other: '{{count}} файла' })).toEqual([
    'one.json:files_few is missing',
    'one.json:files_many is missing',
  ]);
});

it('A plural says its number where English does, and where its singular is also said of 21', () => {
  const english = { more_one: 'One more file', more_other: '{{count}} more files' };
  expect(problemsOf('de', english, { more_one: 'Eine Datei', more_other: '{{count}} Dateien' })).toEqual([]);
  expect(problemsOf('de', english, { more_one: '{{count}} Datei', more_other: 'Dateien' })).toEqual([
    'one.json:more_other has other values than English: none, not {{count}}',
  ]);
  const forms = { more_few: '{{count}} файла', more_many: '{{count}} файлов', more_other: '{{count}} файла' };
  expect(problemsOf('ru', english, { more_one: 'Один файл', ...forms })).toEqual([
    'one.json:more_one has other values than English: none, not {{count}}',
  ]);
});

it.each([
  ['Hello {{name}}', 'Hallo {{namen}}', 'values'],
  ['Use `/tasks` now', 'Nutze `/aufgaben`', 'code'],
  ['It ends <t:{{at}}:R>.', 'Es endet <t:{{at}}:F>.', 'mentions, times or addresses'],
  ['See https://example.com/a', 'Siehe https://example.com/b', 'mentions, times or addresses'],
  ['Press **Retry**', 'Drücke Erneut', 'marks'],
  ['-# A note', 'Ein Hinweis', 'marks'],
  ['One\ntwo', 'Eins zwei', 'lines'],
])('"%s" is not "%s", which has other %s', (english, text, what) => {
  expect(problemsOfText(english, text).join()).toContain(`has other ${what} than English`);
});

it('Values and code may change their places, and the choice of an option in a command is translated', () => {
  expect(problemsOfText('{{a}} of {{b}}', 'Von {{b}}: {{a}}')).toEqual([]);
  expect(problemsOfText('Use `/models kind:Live voice`', 'Nutze `/models kind:Live-Stimme`')).toEqual([]);
});

it('The example of a command keeps the names of the command and its options', () => {
  const english = '/imagine prompt:a fox aspect:Wide';
  expect(problemsOfText(english, '/imagine prompt:ein Fuchs aspect:Breit', 'x.example')).toEqual([]);
  expect(problemsOfText(english, '/imagine text:ein Fuchs aspect:Breit', 'x.example').join()).toContain('names of');
});

it('A string that is equal to the English one is found, unless its words are the same in the language', () => {
  expect(problemsOfText('Delete', 'Delete')).toEqual(['is not translated: Delete']);
  expect(problemsOfText('Version {{version}}', 'Version {{version}}')).toEqual([]);
  expect(problemsOfText('Version {{version}}', 'Version {{version}}', 'key', 'ja')).toHaveLength(1);
  expect(problemsOfText('{{a}} · `/tasks`', '{{a}} · `/tasks`')).toEqual([]);
});

it.each(['Ein\u202eText', 'Ein\u200eText', 'Ein\tText', 'Ein\u00adText'])(
  'A character that cannot be seen is found in %j',
  (text) => expect(problemsOfText('A text', text)).toEqual(['has a control or bidirectional character']),
);

it('An empty string, and a space at an end, are found', () => {
  expect(problemsOfText('A text', ' ')).toContain('is empty');
  expect(problemsOfText('A text', 'Ein Text ')).toEqual(['begins or ends with a space']);
});

it('Each kind of string has the length that Discord allows, by its key or by where the code uses it', () => {
  expect(maxLengthOf('task.done')).toBeUndefined();
  expect(
    ['menus.describe', 'commands.imagine.options.prompt', 'task.buttons.retry', 'promptForm.mask'].map(maxLengthOf),
  ).toEqual([32, 100, 80, 45]);
  const label = (length: number) => problemsOf('de', { menus: { a: 'Name' } }, { menus: { a: 'n'.repeat(length) } });
  expect([label(32), label(33)]).toEqual([[], ['one.json:menus.a has 33 characters; 32 are allowed']]);
});
