import { Judge } from '../../src/services/rules/judge.ts';
import { ruleSet } from '../../src/services/rules/server-rules.ts';
import { median, table } from '../table.ts';
import { percentile } from '../tasks/percentile.ts';

const WORDS = 1_000;
const PATTERNS = 50;
const LENGTHS = [500, 6_000];
const ROUNDS = 400;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** Words that no prompt has, with common beginnings. */
const wordOf = (at: number): string =>
  `${LETTERS[at % 26]}${LETTERS[(at * 7) % 26]}${LETTERS[Math.floor(at / 26) % 26]}q${at % 10 === 0 ? ' and more' : ''}`;
const patternOf = (at: number): string => `\\bpattern${at}[a-f]{2,8}(?:\\s+of)?\\b`;

const PROMPT =
  'A lighthouse in a storm, oil painting, warm light in the window, waves against the rocks, 35 mm, in the manner of an old master. ';

/** Measures the time that a server's rules add to a request, for each kind of rule that its prompt is checked against. */
export function measureRules(): void {
  const rules = ruleSet.parse({
    words: Array.from({ length: WORDS }, (_, at) => ({ text: wordOf(at) })),
    patterns: Array.from({ length: PATTERNS }, (_, at) => ({ text: patternOf(at) })),
    deniedDomains: ['evil.example'],
  });
  const start = performance.now();
  const judge = new Judge(rules);
  const prepared = performance.now() - start;
  const sides = LENGTHS.flatMap((length) => {
    const prompt = PROMPT.repeat(Math.ceil(length / PROMPT.length)).slice(0, length);
    const disguised = [...prompt]
      .map((letter, at) => (at % 3 === 0 ? `${letter}\u200b` : letter))
      .join('')
      .slice(0, length);
    return [
      { name: `${length} characters`, prompt },
      { name: `${length} characters, disguised`, prompt: disguised },
    ];
  });
  const rows = sides.map(({ name, prompt }) => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const before = performance.now();
      const verdict = judge.judge({ kind: 'imagine', request: { prompt, typed: prompt }, channelId: '1' });
      times.push(performance.now() - before);
      if (verdict) throw new Error('The prompt of the benchmark must be allowed.');
    }
    return [name, median(times).toFixed(3), percentile(times, 0.95).toFixed(3)];
  });
  console.log(
    `\nOne prompt against ${WORDS} words and ${PATTERNS} patterns, prepared once in ${prepared.toFixed(0)} ms\n`,
  );
  console.log(table(['prompt', 'median ms', 'p95 ms'], rows));
}
