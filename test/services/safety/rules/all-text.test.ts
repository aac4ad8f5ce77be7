import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { Refusal } from '../../../../src/lib/refusal.ts';
import type { ModerationService } from '../../../../src/services/safety/moderation-service.ts';
import { FIELDS_WITHOUT_TEXT } from '../../../../src/services/safety/rules/judged-text.ts';
import { type JudgedOrder, type OrderFiles, Rules } from '../../../../src/services/safety/rules.ts';
import { type RuleSet, ruleSet } from '../../../../src/services/safety/server-rules.ts';
import { kindNames, type TaskKind } from '../../../../src/services/tasks/kind-spec.ts';

const MARKER = 'zebrafish';

type Path = readonly string[];

/** A value of a schema, and the paths of all strings and free keys in it. */
interface Sample {
  value: unknown;
  paths: Path[];
}

const KEY = '(key)';

/** Fills every field of a schema. Each string is the result of `textAt`. */
function sampleOf(schema: z.core.$ZodType, textAt: (path: Path) => string, path: Path = []): Sample {
  const inner = (one: z.core.$ZodType, step: Path = []): Sample => sampleOf(one, textAt, [...path, ...step]);
  const { def } = schema._zod as z.core.$ZodTypes['_zod'];
  switch (def.type) {
    case 'object': {
      const entries = Object.entries(def.shape).map(([key, one]) => [key, inner(one, [key])] as const);
      const fields = entries.map(([key, { value }]) => [key, value] as const);
      return { value: Object.fromEntries(fields), paths: entries.flatMap(([, { paths }]) => paths) };
    }
    case 'record': {
      const { value, paths } = inner(def.valueType, ['(value)']);
      const keyPath = [...path, KEY];
      return { value: { [textAt(keyPath)]: value }, paths: [keyPath, ...paths] };
    }
    case 'array': {
      const samples = Array.from({ length: 2 }, (_, index) => inner(def.element, [String(index)]));
      return { value: samples.map(({ value }) => value), paths: samples.flatMap(({ paths }) => paths) };
    }
    case 'union': {
      const samples = def.options.map((one, index) => inner(one, [`|${index}`]));
      const longest = samples.toSorted((one, other) => other.paths.length - one.paths.length)[0];
      return longest ?? { value: undefined, paths: [] };
    }
    case 'optional':
    case 'default':
    case 'nullable':
    case 'catch':
      return inner(def.innerType);
    case 'pipe':
      return inner(def.in);
    case 'lazy':
      // Any JSON: the marker is nested in an object and a list.
      return { value: { deep: [{ [KEY]: textAt([...path, 'deep']) }] }, paths: [[...path, 'deep']] };
    case 'string':
      return { value: textAt(path), paths: [path] };
    case 'enum':
      return { value: Object.values(def.entries)[0], paths: [] };
    case 'literal':
      return { value: def.values[0], paths: [] };
    case 'number':
      return { value: 1, paths: [] };
    case 'boolean':
      return { value: true, paths: [] };
    default:
      throw new Error(`The test does not know schemas of the type ${def.type}.`);
  }
}

const isAddress = (path: Path): boolean => path.at(-1) === 'address';

/** The request of a kind in which one string holds the marker, in URLs as the name of a file. */
function requestWith(kind: TaskKind, marked: Path | undefined): Sample {
  const name = (path: Path): string => (marked?.join() === path.join() ? MARKER : `plain${path.length}`);
  return sampleOf(kindSpecs[kind].request, (path) =>
    isAddress(path) ? `https://cdn.discordapp.com/${name(path)}.png` : name(path),
  );
}

/** The places for text in requests, by kind. A batch is not submitted itself: each of its orders is judged as what it is. */
const placesByKind = kindNames(kindSpecs)
  .filter((kind) => !kindSpecs[kind].traits.isBatch)
  .map((kind) => ({ kind, paths: requestWith(kind, undefined).paths }));
const nameOf = (path: Path): string => path.join('.');
/** The image that a region belongs to is a result: its address is the gateway's. */
const isResult = ([field, , part]: Path): boolean => field === 'region' && part === 'of';
const isException = (path: Path): boolean => isResult(path) || Object.hasOwn(FIELDS_WITHOUT_TEXT, path[0] ?? '');

const openRules = (operatorRules: Partial<RuleSet>, moderationService?: ModerationService): Rules =>
  new Rules(
    { all: async () => [], get: async () => undefined, put: async () => undefined },
    { ...ruleSet.parse({}), ...operatorRules },
    moderationService,
  );

const noFiles: OrderFiles = { images: async () => [], documents: async () => [] };
const orderOf = (kind: TaskKind, value: unknown): JudgedOrder => ({
  kind,
  request: value as JudgedOrder['request'],
  requesterId: '1',
  channelId: '2',
});

function recordingService() {
  const texts: string[] = [];
  const judgement = { scores: {}, flagged: [] };
  const service: ModerationService = {
    async judgeText(text) {
      texts.push(text);
      return judgement;
    },
    judgeImage: async () => judgement,
  };
  return { service, texts };
}

function isRefused(work: () => void): boolean {
  try {
    work();
    return false;
  } catch (error) {
    if (error instanceof Refusal) return true;
    throw error;
  }
}

const moderation = ruleSet.parse({ moderation: { prompts: 'refuse' } }).moderation;

describe('The text of a request', () => {
  it('The requests of all kinds are searched, and every exception is a field of one of them', () => {
    const names = placesByKind.flatMap(({ kind, paths }) => paths.map((path) => `${kind} ${nameOf(path)}`));
    const known = [
      'imagine prompt',
      'song style',
      'video extra.(key)',
      'video extra.(value).deep',
      'ask documents.0.name',
    ];
    expect(names).toEqual(expect.arrayContaining(known));
    const fields = new Set(placesByKind.flatMap(({ paths }) => paths.map(([field]) => field)));
    const enums = ['action', 'motion', 'shape', 'format', 'who', 'length', 'tone'];
    expect(Object.keys(FIELDS_WITHOUT_TEXT).filter((name) => !fields.has(name) && !enums.includes(name))).toEqual([]);
  });

  it.each(placesByKind)(
    'Words and the moderation service see all text of a member in $kind',
    async ({ kind, paths }) => {
      const rules = openRules({ words: [{ text: MARKER }] });
      const { service, texts } = recordingService();
      const moderated = openRules({ moderation }, service);
      const hidden: { words: string[]; service: string[] } = { words: [], service: [] };
      for (const path of paths) {
        const order = orderOf(kind, requestWith(kind, path).value);
        if (!isRefused(() => rules.assertAllowed(order))) hidden.words.push(nameOf(path));
        texts.length = 0;
        await moderated.moderate(order, {}, noFiles);
        if (!texts.join().includes(MARKER)) hidden.service.push(nameOf(path));
      }
      const exceptions = paths.filter(isException).map(nameOf);
      expect(hidden).toEqual({ words: exceptions, service: exceptions });
    },
  );

  it('Words and the moderation service see the whole text of a document, in pieces of a bounded size', async () => {
    const document = `${'a line of text\n'.repeat(3_000)} ${MARKER} ${'and more\n'.repeat(3_000)}`;
    const order = orderOf('ask', {
      prompt: 'what is this',
      documents: [{ address: 'https://a.example/a', name: 'a' }],
    });
    const files = { ...noFiles, documents: async () => [document] };
    const { service, texts } = recordingService();
    await openRules({ moderation }, service).moderate(order, {}, files);
    expect(texts.some((text) => text.includes(MARKER))).toBe(true);
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(10_000);
    expect(texts.join('').length).toBeGreaterThan(document.length);
    await expect(openRules({ words: [{ text: MARKER }] }).moderate(order, {}, files)).rejects.toThrow(
      'refusals.rules.word',
    );
    const { service: strict } = recordingService();
    const tooLong = { ...noFiles, documents: async () => ['word '.repeat(50_000)] };
    await expect(openRules({ moderation }, strict).moderate(order, {}, tooLong)).rejects.toThrow(Refusal);
    await expect(openRules({}).moderate(order, {}, tooLong)).resolves.toBe(order);
  });
});
