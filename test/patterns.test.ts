import { beforeAll, describe, expect, it, vi } from 'vitest';
import type * as Judge from '../scripts/patterns/judge.ts';
import { patternsIn } from '../scripts/patterns/patterns.ts';

describe('The check of regular expressions', () => {
  let judge: typeof Judge;
  beforeAll(async () => {
    vi.stubEnv('RECHECK_SYNC_BACKEND', 'pure');
    judge = await import('../scripts/patterns/judge.ts');
    return () => vi.unstubAllEnvs();
  });

  const path = 'src/services/media/probe.ts';
  const problemsIn = (source: string, exceptions: readonly string[] = []) =>
    judge.findProblems(patternsIn(path, source), exceptions);

  it.each([
    ['trailing zeros that are matched again from every position', String.raw`text.replace(/\0+$/, '')`],
    ['two ways to match the same characters', '/^(?:a|a)*$/.test(text)'],
    ['a pattern in a call to RegExp', String.raw`new RegExp('\\s+$', 'u')`],
    ['a pattern in a call without new', "RegExp('(x+x+)+y')"],
    ['a pattern that is built at run time', 'new RegExp(text)'],
  ])('The check of regular expressions finds %s', (_what, source) => {
    expect(problemsIn(`export const probe = (text: string) => ${source};`)).toEqual([
      expect.stringMatching(/^src\/services\/media\/probe\.ts:1: /),
    ]);
  });

  it.each([String.raw`/^[\w-]{1,64}$/`, String.raw`/\s\S*$/`, String.raw`/^\d+(?:\.\d*)?$/`, "new RegExp('^x+$')"])(
    'The check of regular expressions accepts %s',
    (source) => {
      expect(problemsIn(`export const probe = ${source};`)).toEqual([]);
    },
  );

  it('The check of regular expressions accepts an exception only while its pattern is in its file', () => {
    const exceptions = [`${path} /x+$/`];
    expect(problemsIn('export const probe = /x+$/;', exceptions)).toEqual([]);
    const unneededException = `The exception for ${path} /x+$/ is no longer needed.`;
    expect(problemsIn('export const probe = /^x+$/;', exceptions)).toEqual([unneededException]);
    expect(problemsIn('export const probe = /y+$/;', exceptions)).toEqual([
      expect.stringContaining('/y+$/ can take'),
      unneededException,
    ]);
  });

  it('The check of regular expressions applies an exception only to its file', () => {
    const exceptions = ['src/other.ts /x+$/'];
    expect(problemsIn('export const probe = /x+$/;', exceptions)).toHaveLength(2);
  });
});
