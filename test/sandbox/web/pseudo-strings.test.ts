import { expect, it } from 'vitest';
import { PSEUDO_LANGUAGE, pseudoStrings, pseudoText } from '../../../sandbox/web/pseudo-strings.ts';
import { localeProblems } from '../../../scripts/locales/check.ts';
import { readMaxLengths } from '../../../scripts/locales/lengths.ts';
import { stringFiles } from '../../../src/locales/index.ts';

it('The pseudo-language has accents, brackets and 40 % more characters, and keeps values, code, marks and commands', () => {
  expect(pseudoText('Delete')).toBe('⟦Đéļéŧé ļó⟧');
  const text = pseudoText(
    '-# Press **Retry** or use `/tasks`: {{count}} left, see <#1>, /help and https://example.com/a',
  );
  expect(text).toMatch(/^-# ⟦.*\*\*Ŕéŧŕý\*\*.*`\/tasks`: \{\{count\}\} .*<#1>.* \/help .*https:\/\/example\.com\/a/);
  expect(text).toMatch(/⟧$/);
});

it('The pseudo-language passes the check of languages, and with it the lengths that Discord allows', {
  tags: ['breadth'],
}, () => {
  const maxLengthOf = readMaxLengths();
  const english = stringFiles('en');
  const own = new Map([...english].map(([name, tree]) => [name, pseudoStrings(tree, maxLengthOf)]));
  expect(localeProblems(PSEUDO_LANGUAGE, english, own, maxLengthOf)).toEqual([]);
});
