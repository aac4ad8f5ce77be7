import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Judge, type JudgedRequest } from '../../../src/services/safety/judge.ts';
import { type RuleSet, ruleSet } from '../../../src/services/safety/server-rules.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { runs } from '../../support/runs.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const heapUsed = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

const judgeOf = (rules: Partial<RuleSet>) => new Judge({ ...ruleSet.parse({}), ...rules });
const order = (prompt: string, overrides: Partial<JudgedRequest> = {}): JudgedRequest => ({
  kind: 'imagine',
  request: { prompt },
  channelId: '1',
  ...overrides,
});
const keyOf = (rules: Partial<RuleSet>, request: JudgedRequest): string | undefined =>
  judgeOf(rules).judge(request)?.refusal.key;
const words = (...texts: string[]): Pick<RuleSet, 'words'> => ({ words: texts.map((text) => ({ text })) });

describe('The rule check of a server', () => {
  it('A refusal says where the blocked text is if the member did not write it', () => {
    const rules = words('casino');
    const suffixed = (prompt: string, typed: string, suffix: 'member' | 'channel') =>
      keyOf(rules, order(prompt, { request: { prompt, typed, sources: { suffix } } }));
    expect(suffixed('a hat in a casino', 'a hat', 'member')).toBe('refusals.rules.suffix.own');
    expect(suffixed('a hat in a casino', 'a hat', 'channel')).toBe('refusals.rules.suffix.shared');
    expect(suffixed('a casino in oil', 'a casino', 'member')).toBe('refusals.rules.word');
    const quoting = (prompt: string, quote: string) =>
      keyOf(rules, order(prompt, { kind: 'ask', request: { prompt, model: 'quill', quote } }));
    expect(quoting('what is this?', 'play at the casino')).toBe('refusals.rules.quoted');
    expect(quoting('which casino?', 'a message')).toBe('refusals.rules.word');
  });

  it('A blocked word is found in every text from a member or a model, but not in model names and ids', () => {
    const rules = words('casino');
    const file = { address: 'https://cdn.discordapp.com/attachments/1/2/photo.png?ex=casino', name: 'casino.png' };
    expect(keyOf(rules, order('a photo', { request: { pictures: [file] } }))).toBe('refusals.rules.word');
    const link = { address: 'https://a.example/my%20casino.png', name: 'a', medium: 'any', takes: 'address' } as const;
    expect(keyOf(rules, order('a photo', { request: { references: [link] } }))).toBe('refusals.rules.word');
    expect(keyOf(rules, order('', { request: { instructions: 'talk about casino' } }))).toBe('refusals.rules.word');
    expect(keyOf(rules, order('a boat', { request: { prompt: 'a boat', model: 'casino-1' } }))).toBeUndefined();
    expect(judgeOf(rules).judge(order('a cas1no'))).toMatchObject({ rule: 'words', entry: 'casino' });
  });

  it('A word on the list of exceptions is not blocked, although it looks like a blocked one', () => {
    const rules = { ...words('mono', 'hot*'), allowedWords: ['moño', 'hotel'] };
    expect(keyOf(words('mono'), order('un moño rojo'))).toBe('refusals.rules.word');
    expect(keyOf(rules, order('un moño rojo'))).toBeUndefined();
    expect(keyOf(rules, order('a hotel at night'))).toBeUndefined();
    expect(keyOf(rules, order('a hotshot'))).toBe('refusals.rules.word');
  });

  it('An exception with accents does not allow the word without them', () => {
    const rules = { ...words('casino'), allowedWords: ['casinò'] };
    expect(keyOf(rules, order('un CASINÒ'))).toBeUndefined();
    for (const prompt of ['a casino', 'CASINO royale', 'a cásino', 'a cas1no', 'c a s i n o'])
      expect(keyOf(rules, order(prompt)), prompt).toBe('refusals.rules.word');
  });

  it('Words, patterns and access rules apply to the task kinds that they name', () => {
    const rules: Partial<RuleSet> = {
      words: [{ text: 'storm', kinds: ['video'] }],
      patterns: [{ text: 'fox(es)?', kinds: ['video', 'image'] }],
    };
    expect(keyOf(rules, order('a storm'))).toBeUndefined();
    expect(keyOf(rules, order('a storm', { kind: 'video' }))).toBe('refusals.rules.word');
    expect(keyOf(rules, order('two FOXES', { kind: 'image' }))).toBe('refusals.rules.pattern');
    expect(keyOf(rules, order('two f\u200bo\u0301xes', { kind: 'image' }))).toBe('refusals.rules.pattern');
  });

  it('Judgements compile no pattern again and hold memory, however many requests are refused', {
    tags: ['breadth'],
  }, () => {
    const patterns = Array.from({ length: 100 }, (_, index) => ({
      text: `\\bpattern${index}[a-f]{2,8}(?:\\s+of)?\\b`,
    }));
    const judge = judgeOf({ patterns });
    const judgeMany = (count: number): void => {
      for (let index = 0; index < count; index++)
        expect(judge.judge(order(`${index} patterns, pattern99abc of ${index}`))?.entry).toBe(patterns[99]?.text);
    };
    judgeMany(2_000);
    const before = heapUsed();
    judgeMany(2_000);
    expect(heapUsed() - before).toBeLessThan(1_000_000);
  });

  it('Patterns that would make each text expensive are refused, and those of a usual size are not', () => {
    const usual = Array.from({ length: 100 }, (_, index) => ({ text: `\\bfree[ -]?(?:nitro|money)${index}\\b` }));
    expect(keyOf({ patterns: usual }, order('free-money42'))).toBe('refusals.rules.pattern');
    const costly = { text: 'a(?:b?c?){499}d', kinds: ['video'] };
    expect(() => judgeOf({ patterns: [costly, { ...costly, kinds: ['image'] }, ...usual] })).toThrow(
      'refusals.rules.patternsTooComplex',
    );
    expect(() => judgeOf({ patterns: [{ text: 'a{2,1000}(b' }] })).toThrow('refusals.rules.patternInvalid');
  });

  it('Every pattern that is invalid is named, not only the first', () => {
    const patterns = [{ text: '(a' }, { text: 'b' }, { text: '[c' }];
    const refusal = (() => {
      try {
        return judgeOf({ patterns });
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toMatchObject({ all: [{ variables: { pattern: '(a' } }, { variables: { pattern: '[c' } }] });
  });

  it.each([
    ['(?i)\\x{e9}t\\u00e9', 'ÉTÉ'],
    ['^fo{2}', 'foo bar'],
    ['\\p{Cyrillic}+', 'the word мир'],
    ['(?<name>a+)b', 'aab'],
  ])('The pattern %s is found in %s', (text, prompt) => {
    expect(keyOf({ patterns: [{ text }] }, order(prompt))).toBe('refusals.rules.pattern');
  });

  it('A pattern that takes a backtracking engine for ever is judged in a time that grows with the text alone', () => {
    const judge = judgeOf({ patterns: [{ text: '^(?:(?:a|aa)+)+$' }, { text: '(?:[ab]*a){20}c' }] });
    const timeFor = (length: number): number => {
      const text = 'ab'.repeat(length / 2);
      const start = cpuMs();
      for (let round = 0; round < 5; round++) expect(judge.judge(order(`${text}b`))).toBeUndefined();
      return cpuMs() - start;
    };
    timeFor(20_000);
    expect(timeFor(80_000)).toBeLessThan(16 * timeFor(20_000));
  });

  it('Models can be denied by the prefix of their ids, and if a role is allowed a model, members without the role are denied all models', () => {
    const request = { prompt: 'a fox', model: 'reel-2' };
    const deny: RuleSet['access'] = [{ effect: 'deny', models: ['reel-*'] }];
    expect(judgeOf({ access: deny }).judge(order('', { request }))?.refusal).toMatchObject({
      key: 'refusals.rules.denied.admin.model.everywhere',
      variables: { model: 'reel-2' },
    });
    const denyHere: RuleSet['access'] = [{ effect: 'deny', models: ['reel-*'], channelIds: ['1'] }];
    expect(keyOf({ access: denyHere }, order('', { request }))).toBe('refusals.rules.denied.admin.model.here');
    const denyBoth: RuleSet['access'] = [{ effect: 'deny', models: ['reel-*'], kinds: ['imagine'] }];
    expect(keyOf({ access: denyBoth }, order('', { request }))).toBe('refusals.rules.denied.admin.request.everywhere');
    expect(keyOf({ access: deny }, order('', { request: { model: 'other' } }))).toBeUndefined();
    const allow: RuleSet['access'] = [{ effect: 'allow', models: ['reel-2'], roleIds: ['7'] }];
    expect(keyOf({ access: allow }, order('', { request }))).toBe('refusals.rules.denied.admin.model.everywhere');
    expect(keyOf({ access: allow }, order('', { request, roleIds: ['7'] }))).toBeUndefined();
    expect(keyOf({ access: allow }, order('', { request: { model: 'other' } }))).toBeUndefined();
    expect(keyOf({ access: [...allow, ...deny] }, order('', { request, roleIds: ['7'] }))).toBe(
      'refusals.rules.denied.admin.model.everywhere',
    );
  });

  it('A rule for the role of everyone applies to every member, although Discord lists that role for none', () => {
    const here = order('', { guildId: '5', roleIds: ['7'] });
    expect(keyOf({ access: [{ effect: 'deny', roleIds: ['5'] }] }, here)).toBe(
      'refusals.rules.denied.admin.request.everywhere',
    );
    expect(keyOf({ access: [{ effect: 'allow', roleIds: ['5'] }] }, here)).toBeUndefined();
    expect(keyOf({ access: [{ effect: 'deny', roleIds: ['5'] }] }, { ...here, guildId: '6' })).toBeUndefined();
  });

  it('A refusal names the channel only if the same request could be allowed in another one', () => {
    const here = order('', { channelId: '1' });
    expect(keyOf({ access: [{ effect: 'deny', channelIds: ['1'] }] }, here)).toBe(
      'refusals.rules.denied.admin.request.here',
    );
    expect(keyOf({ access: [{ effect: 'allow', channelIds: ['2'] }] }, here)).toBe(
      'refusals.rules.denied.admin.request.here',
    );
    const allowElsewhere: RuleSet['access'] = [{ effect: 'allow', channelIds: ['2'], roleIds: ['7'] }];
    expect(keyOf({ access: allowElsewhere }, here)).toBe('refusals.rules.denied.admin.request.everywhere');
    expect(keyOf({ access: [{ effect: 'deny' }] }, here)).toBe('refusals.rules.denied.admin.request.everywhere');
  });

  it.each([
    ['https://evil.example/a.png', true],
    ['see www.EVIL.example.', true],
    ['http://user@evil.example:80/', true],
    ['evil。example', true],
    ['https://xn--evil-.example', false],
    ['https://notevil.example', false],
    ['evil example', false],
  ])('A denied site is found in %s: %s', (text, isDenied) => {
    expect(keyOf({ deniedDomains: ['evil.example'] }, order(text)) === 'refusals.rules.link').toBe(isDenied);
  });

  it('If only some sites are allowed, members’ uploads and names with a dot are still allowed', () => {
    const rules = { allowedDomains: ['good.example'] };
    const upload = { address: 'https://cdn.discordapp.com/attachments/1/2/a.png', name: 'a.png' };
    const embedded = { address: 'http://127.0.0.1:4040/attachments/1/2/a.png', name: 'a.png' };
    for (const picture of [upload, embedded])
      expect(keyOf(rules, order('', { request: { pictures: [picture] } }))).toBeUndefined();
    expect(keyOf(rules, order('version v1.final of the robot'))).toBeUndefined();
    expect(keyOf(rules, order('https://a.good.example/x'))).toBeUndefined();
    expect(keyOf(rules, order('https://bad.example/x'))).toBe('refusals.rules.link');
  });

  it.each([
    'http://9.9.9.9/a.png',
    'http://134744072/a.png',
    'HTTPS://user@[2001:db8::1]:8080/a.png',
    'http://[2001:db8::1]/a.png',
    'http://intranet/a.png',
  ])('If only some sites are allowed, %s is not, although it has no domain', (link) => {
    const judge = judgeOf({ allowedDomains: ['good.example'], deniedDomains: ['evil.example'] });
    expect(judge.judge(order(`like ${link} please`))).toMatchObject({ rule: 'allowedDomains' });
    expect(judge.judge(order('like evil.example'))).toMatchObject({ rule: 'deniedDomains', entry: 'evil.example' });
    expect(judgeOf({ deniedDomains: ['evil.example'] }).judge(order(`like ${link}`))).toBeUndefined();
  });

  it('A text is shown without its blocked words, and not at all if a word is spread over it', () => {
    const judge = judgeOf({ ...words('casino', 'free money'), patterns: [{ text: 'q{3}' }] });
    expect(judge.mask('imagine', 'a neon c4s1no, at **casino** qqq night')).toBe('a neon ▇▇▇ at ▇▇▇ ▇▇▇ night');
    expect(judge.mask('imagine', 'get free\nmoney')).toBe('▇▇▇');
    expect(judge.mask('imagine', 'c a s i n o')).toBe('▇▇▇');
    expect(judge.mask('imagine', 'a quiet lake')).toBe('a quiet lake');
  });

  it('Arbitrary text is checked without an error, and a blocked word in it is always found', {
    tags: ['breadth'],
  }, () => {
    const judge = judgeOf({
      ...words('zebra', 'two words'),
      deniedDomains: ['a.example'],
      patterns: [{ text: 'q{3}' }],
    });
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 400 }),
        fc.string({ unit: 'binary', maxLength: 50 }),
        (a, b) => {
          judge.judge(order(a));
          expect(judge.judge(order(`${a} zebra ${b}`))).toBeDefined();
        },
      ),
      { numRuns: runs(100, 25) },
    );
  });
});
