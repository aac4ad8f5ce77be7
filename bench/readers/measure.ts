import { meaningOfStatus } from '../../src/services/gateway/read/record.ts';
import { idNameOf, isStateName } from '../../src/services/gateway/read/search/names.ts';
import {
  CARRIER_WORDS,
  hasAny,
  JOB_WORDS,
  KIND_WORDS,
  PROGRESS_WORDS,
  RESULT_WORDS,
} from '../../src/services/gateway/read/search/words.ts';
import { table } from '../table.ts';
import { families, type Judged, judgeOrder, judgePoll } from './reading.ts';
import { stateWords, vocabulary } from './words.ts';

const ANSWERS = 10_000;
const SEEDS = [20_260_101, 7, 424_242];
const SHOWN = 3;

/** Measures whether the readers understand responses in undocumented envelopes, and checks that they never misread one. */
export async function measureReaders(): Promise<void> {
  console.log(`\n${ANSWERS.toLocaleString('en')} answers per row; the rule is in bench/readers/rule.ts.`);
  const { known, all } = knownSynonyms();
  console.log(
    `Of ${all} synonyms of the generator, ${all - known} (${percent(all - known, all)}) are unknown to the readers.`,
  );
  for (const seed of SEEDS) {
    const rows: string[][] = [];
    const odd: string[] = [];
    for (const [index, { family, kind }] of families.entries()) {
      const first = (seed * families.length + index) * ANSWERS;
      for (const [what, judge] of [
        ['orders', judgeOrder],
        ['polls', judgePoll],
      ] as const) {
        const judged = Array.from({ length: ANSWERS }, (_, at) => judge(family, kind, first + at));
        rows.push([`${family} ${what}`, ...cells(judged)]);
        odd.push(
          ...judged
            .flatMap((one, at) =>
              one.verdict === 'wrong' ? [`wrong: ${family} ${what}, seed ${first + at}: ${shown(one)}`] : [],
            )
            .slice(0, SHOWN),
        );
      }
    }
    console.log(`\nSeed ${seed}:\n`);
    console.log(table(['', 'answers', 'unambiguous', 'understood', 'ambiguous', 'gave none', 'wrong', 'µs'], rows));
    for (const line of odd) console.log(line);
  }
}

function cells(judged: readonly Judged[]): string[] {
  const clear = judged.filter(({ isClear }) => isClear);
  const others = judged.filter(({ isClear }) => !isClear);
  const count = (list: readonly Judged[], verdict: Judged['verdict']): number =>
    list.filter((one) => one.verdict === verdict).length;
  const micros = judged.reduce((sum, one) => sum + one.micros, 0) / judged.length;
  return [
    String(judged.length),
    String(clear.length),
    percent(count(clear, 'understood'), clear.length),
    String(others.length),
    percent(count(others, 'none'), others.length),
    String(count(judged, 'wrong')),
    micros.toFixed(0),
  ];
}

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;

const shown = ({ read, wanted, text }: Judged): string =>
  `${JSON.stringify(read)} instead of ${JSON.stringify(wanted)} in ${text}`;

/** How many of the generator's synonyms are in the readers' lists. */
function knownSynonyms(): { known: number; all: number } {
  const media = new Set([...Object.values(KIND_WORDS).flatMap((words) => [...words]), ...RESULT_WORDS]);
  const verdicts = [
    ...vocabulary.jobIds.map((words) => /^job/.test(idNameOf({ words, around: [] }) ?? '')),
    ...vocabulary.plainIds.map((words) => idNameOf({ words, around: [] }) !== undefined),
    ...vocabulary.jobs.map((words) => hasAny(words, JOB_WORDS)),
    ...vocabulary.wrappers.map((words) => hasAny(words, CARRIER_WORDS)),
    ...vocabulary.states.map((words) => isStateName(words)),
    ...vocabulary.progress.map((words) => hasAny(words, PROGRESS_WORDS)),
    ...[...Object.values(vocabulary.media).flat(), ...vocabulary.results, ...vocabulary.uninformative].map((words) =>
      hasAny(words, media),
    ),
    ...Object.values(stateWords)
      .flat()
      .map((word) => meaningOfStatus(word) !== undefined),
  ];
  return { known: verdicts.filter(Boolean).length, all: verdicts.length };
}
