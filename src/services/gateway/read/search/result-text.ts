import { asString } from '../places.ts';
import { isUnrelated } from './names.ts';
import { bestOf, type Spot } from './survey.ts';
import { JOB_WORDS, RESULT_WORDS, WRAPPER_WORDS } from './words.ts';

const SURE_NAME = 'final-prompt';
/** The words of names for a text that a job returns, the least certain first. */
const NAMES =
  `prompt description descriptions text lyrics keywords caption captions prompts prompt-en ${SURE_NAME}`.split(' ');

/**
 * Returns the text that a finished task returns somewhere inside its record, if exactly one place is the best. The items of a
 * list are lines. If the task may be an image, any but a sure name may be that of its prompt.
 */
export function findResultText(
  spots: readonly Spot[],
  record: Record<string, unknown>,
  mayBeImage: boolean,
): string | undefined {
  const rankOf = ({ words }: Spot): number => {
    const name = words.join('-');
    return mayBeImage && name !== SURE_NAME ? 0 : NAMES.indexOf(name) + 1;
  };
  const texts = spots.filter(
    (spot) =>
      rankOf(spot) > 0 &&
      asString(spot.value) !== undefined &&
      spot.holder !== record &&
      spot.ancestors.every(isAroundResult) &&
      !isUnrelated(spot),
  );
  const candidates = [...Map.groupBy(texts, ({ group }) => group).values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const text = [first, ...others].map(({ value }) => asString(value)).join('\n');
    return [{ rank: rankOf(first), value: text, key: text }];
  });
  return bestOf(candidates);
}

const AROUND_RESULT = new Set([...WRAPPER_WORDS, ...RESULT_WORDS, ...JOB_WORDS, 'properties']);
const isAroundResult = (words: readonly string[]): boolean => words.every((word) => AROUND_RESULT.has(word));
