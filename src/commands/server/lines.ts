import { Mistakes } from '../../lib/mistakes.ts';
import { Refusal } from '../../lib/refusal.ts';
import { plainHost } from '../../services/safety/links.ts';
import { kindsIn, type RuleTargets } from '../../services/safety/rules-file.ts';
import type { RuleSet } from '../../services/safety/server-rules.ts';
import {
  allowedWord,
  domain,
  MAX_DOMAINS,
  MAX_LIST_ENTRIES,
  MAX_LOG_DAYS,
  MAX_MODEL_LENGTH,
  MAX_PATTERN_LENGTH,
  MAX_PATTERNS,
  MAX_THRESHOLDS,
  MAX_WORD_LENGTH,
  MAX_WORDS,
  word,
} from '../../services/safety/server-rules.ts';
import { KIND_PREFIX } from './readable.ts';

/** Reads a list as admins type it, one entry per line. */
const linesOf = (text: string): string[] =>
  [...new Set(text.split(/\r?\n/).map((line) => line.trim()))].filter((line) => line !== '');

/** Of several spellings of one word or phrase, the first. */
function wordsIn(text: string): string[] {
  const lines = linesOf(text).map((line) => line.replace(/\s+/g, ' '));
  const spellings = Map.groupBy(lines, (line) => line.normalize('NFKC').toLowerCase());
  return [...spellings.values()].flatMap(([first]) => first ?? []);
}

const KINDS_PREFIX = /^\[([^\]]{1,300})\]/;

/** Reads an entry such as `[video, music] word`, which applies to these commands only. */
function parseEntry(line: string, targets: RuleTargets): RuleSet['words'][number] {
  const [prefix = '', names = ''] = KINDS_PREFIX.exec(line) ?? [];
  const text = line.slice(prefix.length).trim();
  const kinds = text === '' ? [] : parseKinds(names, targets);
  return kinds.length === 0 ? { text: line } : { text, kinds };
}

/** A name means all kinds of its command; single kinds are accepted too, as in the file of an export. */
function parseKinds(names: string, targets: RuleTargets): string[] {
  const { kindsByCommand } = targets;
  const kinds = splitAtCommas(names).flatMap((name): readonly string[] => {
    const known =
      kindsByCommand.get(name.replace(/^\//, '')) ??
      kindsIn(targets).filter((kind) => kind === name || KIND_PREFIX + kind === name);
    if (known.length > 0) return known;
    throw new Refusal('refusals.rules.unknownKind', { kind: name, kinds: [...kindsByCommand.keys()] });
  });
  return [...new Set(kinds)];
}

const splitAtCommas = (text: string): string[] =>
  [...new Set(text.split(',').map((one) => one.trim()))].filter(Boolean);

export function parseWords(text: string, targets: RuleTargets): RuleSet['words'] {
  const mistakes = new Mistakes();
  const entries = requireAtMost(wordsIn(text), MAX_WORDS, MAX_WORD_LENGTH).flatMap((line) =>
    mistakes.collect([], () => [parseEntry(line, targets)]),
  );
  const invalid = entries.filter((entry) => !word.safeParse(entry).success).map((entry) => entry.text);
  if (invalid.length > 0) mistakes.add(new Refusal('refusals.rules.wordInvalid', { lines: invalid.slice(0, 3) }));
  mistakes.throwIfAny();
  return entries;
}

export const parsePatterns = (text: string, targets: RuleTargets): RuleSet['patterns'] =>
  requireAtMost(linesOf(text), MAX_PATTERNS, MAX_PATTERN_LENGTH).map((line) => parseEntry(line, targets));

export function parseAllowedWords(text: string): string[] {
  const words = requireAtMost(wordsIn(text), MAX_WORDS, MAX_WORD_LENGTH);
  const invalid = words.filter((one) => !allowedWord.safeParse(one).success);
  if (invalid.length > 0) throw new Refusal('refusals.rules.allowedWordInvalid', { lines: invalid.slice(0, 3) });
  return words;
}

/** Also accepts `https://a.example/`, as copied from a browser, and `*.a.example`: a site always includes its subdomains. */
export function parseDomains(text: string): string[] {
  const lines = requireAtMost(linesOf(text), MAX_DOMAINS, 300);
  const hostOf = (line: string) => plainHost((URL.parse(line)?.hostname ?? line.toLowerCase()).replace(/^\*\./, ''));
  const invalid = lines.filter((line) => !domain.safeParse(hostOf(line)).success);
  if (invalid.length > 0) throw new Refusal('refusals.rules.domainInvalid', { domains: invalid.slice(0, 3) });
  return [...new Set(lines.map(hostOf))];
}

export const parseLongestPrompt = (text: string): number | undefined =>
  // Digits can be grouped, as in the sentence of the refusal.
  parseNumber(
    text.trim().replace(/(?<=^[1-9]\d{0,2})[.,\s](?=\d{3}$)/, ''),
    100_000,
    new Refusal('refusals.rules.lengthInvalid'),
  );

export const parseLogDays = (text: string): number | undefined =>
  parseNumber(text.trim(), MAX_LOG_DAYS, new Refusal('refusals.rules.daysInvalid'));

function parseNumber(text: string, max: number, refusal: Refusal): number | undefined {
  if (text === '') return undefined;
  const number = Number(text);
  if (!/^\d+$/.test(text) || text.length > String(max).length || number < 1 || number > max) throw refusal;
  return number;
}

export function parseCommands(text: string, allowedNames: readonly string[]): string[] {
  const names = splitAtCommas(text.replaceAll('\n', ',')).map((name) => name.replace(/^\//, ''));
  const unknown = names.find((name) => !allowedNames.includes(name));
  if (unknown !== undefined) throw new Refusal('refusals.rules.unknownCommand', { command: unknown });
  return names;
}

const THRESHOLD = /^[a-z][a-z/_-]{0,50} +(?:0(?:\.\d{1,4})?|1(?:\.0{1,4})?)$/;

/** Reads lines such as `violence 0.8` into thresholds by category. */
export function parseThresholds(text: string): Record<string, number> {
  const lines = requireAtMost(linesOf(text), MAX_THRESHOLDS, MAX_WORD_LENGTH);
  const invalid = lines.filter((line) => !THRESHOLD.test(line));
  if (invalid.length > 0) throw new Refusal('refusals.rules.thresholdsInvalid', { lines: invalid.slice(0, 3) });
  const entries = lines.map((line) => line.split(/ +/));
  return Object.fromEntries(entries.map(([category, number]) => [category, Number(number)]));
}

/** Reads the ids of models, separated by commas. */
export const parseModels = (text: string): string[] =>
  requireAtMost(splitAtCommas(text), MAX_LIST_ENTRIES, MAX_MODEL_LENGTH);

function requireAtMost(lines: string[], max: number, maxLength: number): string[] {
  if (lines.length > max) throw new Refusal('refusals.rules.tooManyLines', { max, count: max });
  const tooLongLine = lines.find((line) => line.length > maxLength);
  if (tooLongLine !== undefined)
    throw new Refusal('refusals.rules.lineTooLong', {
      line: tooLongLine.slice(0, 40),
      max: maxLength,
      count: maxLength,
    });
  return lines;
}
