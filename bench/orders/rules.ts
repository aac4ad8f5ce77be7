import { Judge } from '../../src/services/rules/judge.ts';
import { ruleSet } from '../../src/services/rules/server-rules.ts';
import { median, table } from '../table.ts';
import { percentile } from '../tasks/percentile.ts';

const WORDS = 1_000;
const PATTERNS = 50;
const LENGTHS = [500, 6_000];
const ROUNDS = 400;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** Words that do not occur in any prompt, many of which start alike. */
const wordOf = (at: number): string =>
  `${LETTERS[at % 26]}${LETTERS[(at * 7) % 26]}${LETTERS[Math.floor(at / 26) % 26]}q${at % 10 === 0 ? ' and more' : ''}`;
const patternOf = (at: number): string => `\\bpattern${at}[a-f]{2,8}(?:\\s+of)?\\b`;

const PROMPT =
  'A lighthouse in a storm, oil painting, warm light in the window, waves against the rocks, 35 mm, in the manner of an old master. ';

/** The time that a server's rules add to a request, by the length of its prompt. */
export function measureRules(): void {
  const rules = ruleSet.parse({
    words: Array.from({ length: WORDS }, (_, at) => ({ text: wordOf(at) })),
    patterns: Array.from({ length: PATTERNS }, (_, at) => ({ text: patternOf(at) })),
    deniedDomains: ['evil.example'],
  });
  const start = performance.now();
  const judge = new Judge(rules);
  const preparationMs = performance.now() - start;
  const cases = LENGTHS.flatMap((length) => {
    const prompt = PROMPT.repeat(Math.ceil(length / PROMPT.length)).slice(0, length);
    const disguised = [...prompt]
      .map((character, at) => (at % 3 === 0 ? `${character}\u200b` : character))
      .join('')
      .slice(0, length);
    return [
      { name: `${length} characters`, prompt },
      { name: `${length} characters, disguised`, prompt: disguised },
    ];
  });
  const rows = cases.map(({ name, prompt }) => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const startedAt = performance.now();
      const verdict = judge.judge({ kind: 'imagine', request: { prompt, typed: prompt }, channelId: '1' });
      times.push(performance.now() - startedAt);
      if (verdict) throw new Error('The benchmark’s prompt must be allowed.');
    }
    return [name, median(times).toFixed(3), percentile(times, 0.95).toFixed(3)];
  });
  console.log(
    `\nOne prompt against ${WORDS} words and ${PATTERNS} patterns, prepared once in ${preparationMs.toFixed(0)} ms\n`,
  );
  console.log(table(['prompt', 'median ms', 'p95 ms'], rows));
}
