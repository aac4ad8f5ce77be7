import {
  hasAny,
  idNameOf,
  isStateName,
  JOB_WORDS,
  KIND_WORDS,
  PROGRESS_WORDS,
  RESULT_WORDS,
  WRAPPER_WORDS,
} from '../../src/services/gateway/read/search/names.ts';
import { meaningOfStatus } from '../../src/services/gateway/record.ts';
import { table } from '../table.ts';
import { families, type Judgement, judgeOrder, judgePoll } from './reading.ts';
import { stateWords, vocabulary } from './words.ts';

const RESPONSES_PER_ROW = 10_000;
const SEEDS = [20_260_101, 7, 424_242];
const MAX_SHOWN_MISREADINGS = 3;

/** Measures whether the readers understand responses in undocumented envelopes, and checks that they never misread one. */
export async function measureReaders(): Promise<void> {
  console.log(
    `\n${RESPONSES_PER_ROW.toLocaleString('en')} responses per row; bench/readers/rule.ts defines which of them are unambiguous.`,
  );
  const { knownCount, totalCount } = knownSynonyms();
  console.log(
    `Of the generator's ${totalCount} synonyms, ${totalCount - knownCount} (${percent(totalCount - knownCount, totalCount)}) are unknown to the readers.`,
  );
  for (const seed of SEEDS) {
    const rows: string[][] = [];
    const misreadings: string[] = [];
    for (const [index, { family, kind }] of families.entries()) {
      const first = (seed * families.length + index) * RESPONSES_PER_ROW;
      for (const [operation, judge] of [
        ['orders', judgeOrder],
        ['polls', judgePoll],
      ] as const) {
        const judgements = Array.from({ length: RESPONSES_PER_ROW }, (_, i) => judge(family, kind, first + i));
        rows.push([`${family} ${operation}`, ...cells(judgements)]);
        misreadings.push(
          ...judgements
            .flatMap((one, i) =>
              one.verdict === 'wrong' ? [`wrong: ${family} ${operation}, seed ${first + i}: ${describe(one)}`] : [],
            )
            .slice(0, MAX_SHOWN_MISREADINGS),
        );
      }
    }
    console.log(`\nSeed ${seed}:\n`);
    console.log(
      table(
        ['', 'responses', 'unambiguous', 'understood', 'ambiguous', 'ambiguous: nothing read', 'wrong', 'µs'],
        rows,
      ),
    );
    for (const line of misreadings) console.log(line);
  }
}

function cells(judgements: readonly Judgement[]): string[] {
  const unambiguous = judgements.filter(({ isClear }) => isClear);
  const ambiguous = judgements.filter(({ isClear }) => !isClear);
  const count = (list: readonly Judgement[], verdict: Judgement['verdict']): number =>
    list.filter((one) => one.verdict === verdict).length;
  const micros = judgements.reduce((sum, one) => sum + one.micros, 0) / judgements.length;
  return [
    String(judgements.length),
    String(unambiguous.length),
    percent(count(unambiguous, 'understood'), unambiguous.length),
    String(ambiguous.length),
    percent(count(ambiguous, 'none'), ambiguous.length),
    String(count(judgements, 'wrong')),
    micros.toFixed(0),
  ];
}

const percent = (part: number, total: number): string => `${((100 * part) / total).toFixed(1)}%`;

const describe = ({ read, expected, text }: Judgement): string =>
  `${JSON.stringify(read)} instead of ${JSON.stringify(expected)} in ${text}`;

/** How many of the generator's synonyms are in the readers' lists. */
function knownSynonyms(): { knownCount: number; totalCount: number } {
  const media = new Set([...Object.values(KIND_WORDS).flatMap((words) => [...words]), ...RESULT_WORDS]);
  const verdicts = [
    ...vocabulary.jobIds.map((words) => /^job/.test(idNameOf({ words, ancestors: [] }) ?? '')),
    ...vocabulary.plainIds.map((words) => idNameOf({ words, ancestors: [] }) !== undefined),
    ...vocabulary.jobs.map((words) => hasAny(words, JOB_WORDS)),
    ...vocabulary.wrappers.map((words) => hasAny(words, WRAPPER_WORDS)),
    ...vocabulary.states.map((words) => isStateName(words)),
    ...vocabulary.progress.map((words) => hasAny(words, PROGRESS_WORDS)),
    ...[...Object.values(vocabulary.media).flat(), ...vocabulary.results, ...vocabulary.uninformative].map((words) =>
      hasAny(words, media),
    ),
    ...Object.values(stateWords)
      .flat()
      .map((word) => meaningOfStatus(word) !== undefined),
  ];
  return { knownCount: verdicts.filter(Boolean).length, totalCount: verdicts.length };
}
