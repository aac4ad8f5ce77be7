import { Judge } from '../../src/services/safety/judge.ts';
import { ruleSet } from '../../src/services/safety/server-rules.ts';
import { median, percentile, table } from '../table.ts';

const WORD_COUNT = 1_000;
const PATTERN_COUNT = 50;
const PROMPT_LENGTHS = [500, 6_000];
const ROUNDS = 400;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** Words that do not occur in any prompt, many of which share a prefix. */
const wordOf = (index: number): string =>
  `${LETTERS[index % 26]}${LETTERS[(index * 7) % 26]}${LETTERS[Math.floor(index / 26) % 26]}q${index % 10 === 0 ? ' and more' : ''}`;
const patternOf = (index: number): string => `\\bpattern${index}[a-f]{2,8}(?:\\s+of)?\\b`;

const PROMPT =
  'A lighthouse in a storm, oil painting, warm light in the window, waves against the rocks, 35 mm, in the manner of an old master. ';

/** Measures the time that a server's rules add to a request, for prompts of several lengths. */
export function measureRules(): void {
  const rules = ruleSet.parse({
    words: Array.from({ length: WORD_COUNT }, (_, index) => ({ text: wordOf(index) })),
    patterns: Array.from({ length: PATTERN_COUNT }, (_, index) => ({ text: patternOf(index) })),
    deniedDomains: ['evil.example'],
  });
  const start = performance.now();
  const judge = new Judge(rules);
  const preparationMs = performance.now() - start;
  const cases = PROMPT_LENGTHS.flatMap((length) => {
    const prompt = PROMPT.repeat(Math.ceil(length / PROMPT.length)).slice(0, length);
    const disguised = [...prompt]
      .map((character, index) => (index % 3 === 0 ? `${character}\u200b` : character))
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
    `\nOne prompt against ${WORD_COUNT} words and ${PATTERN_COUNT} patterns, prepared once in ${preparationMs.toFixed(0)} ms\n`,
  );
  console.log(table(['prompt', 'median ms', 'p95 ms'], rows));
}
