import { type Chance, field } from './chance.ts';
import { decoyFields, decoyUrls, echoedInput, fileUrl, type Kind, recordFields, wrap, wrapperFields } from './noise.ts';
import type { Field, Tree } from './tree.ts';
import { decoyIds, type Name, stateWords, unfamiliarIds, vocabulary } from './words.ts';

export interface SubmitResponse {
  tree: Tree;
  /** The ids and URLs that the request contained. */
  requestValues: string[];
  /** The job's id; undefined if the response has none, or is a refusal. */
  id: string | undefined;
}

const idValue = (chance: Chance): Tree => {
  const largeNumber = chance.digits(19);
  return chance.pick<Tree>([
    chance.uuid(),
    chance.uuid(),
    `job_${chance.letters(24)}`,
    chance.digits(16),
    Number(chance.digits(8 + chance.integer(5))),
    { digits: largeNumber },
  ]);
};

const idText = (tree: Tree): string =>
  typeof tree === 'object' && tree !== null && 'digits' in tree ? tree.digits : String(tree);

const pending = (chance: Chance): Field =>
  field(
    chance.pick(vocabulary.states),
    chance.pick([...stateWords.queued, ...stateWords.running, ...stateWords.strange]),
  );

/** A response to a submit. Most have the job's id; the others have two ids, none, or an error. */
export function submitResponse(chance: Chance, kind: Kind): SubmitResponse {
  const parent = chance.uuid();
  const reference = fileUrl(chance, 'image');
  const requestValues = [parent, reference];
  const echo = chance.withProbability(0.3)
    ? [
        field(
          chance.pick<Name>([
            ['task', 'id'],
            ['source', 'task', 'id'],
            ['job', 'ref'],
          ]),
          parent,
        ),
      ]
    : [];
  const noise = [
    ...decoyFields(chance),
    ...recordFields(chance),
    ...(chance.withProbability(0.3) ? [echoedInput(chance, kind, [reference])] : []),
    ...(chance.withProbability(0.3) ? decoyUrls(chance) : []),
  ];
  const value = idValue(chance);
  const id = idText(value);
  const outcome = chance.integer(100);
  if (outcome < 6) return { tree: wrap(chance, [pending(chance), ...noise, ...echo]), requestValues, id: undefined };
  if (outcome < 14) return { tree: refusal(chance, [...noise, ...echo]), requestValues, id: undefined };
  const names = chance.withProbability(0.25) ? vocabulary.plainIds : vocabulary.jobIds;
  const jobFields = [field(chance.pick(names), value), ...(chance.withProbability(0.92) ? [pending(chance)] : [])];
  if (outcome < 20) {
    // Two jobs. Neither is called `job`, because that name is documented and would decide which one counts.
    const otherFields = [field(chance.pick(vocabulary.jobIds), idValue(chance)), pending(chance)];
    const [first = [], second = []] = chance.shuffled(vocabulary.jobs.filter((name) => name.join() !== 'job'));
    const bothRecords = [
      field(first, chance.record([...jobFields, pending(chance)])),
      field(second, chance.record(otherFields)),
    ];
    return { tree: wrap(chance, [...bothRecords, ...noise]), requestValues, id };
  }
  if (outcome < 24) {
    const text = chance.pick([chance.uuid(), chance.digits(16)]);
    const tree = chance.record([field(chance.pick(vocabulary.wrappers), text), ...wrapperFields(chance), ...echo]);
    return { tree, requestValues, id: text };
  }
  return { tree: wrap(chance, [...jobFields, ...noise, ...echo]), requestValues, id };
}

const reasons = ['balance is too low', 'the prompt was refused', 'rate limit', 'unknown model'];

/** An error that contains an id of something other than the job, and sometimes one with the name of a job id. */
function refusal(chance: Chance, noise: readonly Field[]): Tree {
  const reason = chance.pick(reasons);
  const error = chance.pick<Field>([
    field('error', chance.record([field('message', reason), field('code', 'refused')])),
    field('error', reason),
    field('errors', { items: [reason] }),
    field('error message', reason),
    field('success', false),
    field('code', chance.pick<Tree>([40_001, 'quota_exceeded', 500, -1])),
    field('failed', true),
    field(chance.pick(vocabulary.states), chance.pick(stateWords.failed)),
  ]);
  // A job with an id and a failed state counts as accepted, so it gets no job id here, if both are in documented places.
  const isJob = vocabulary.states.includes(error.name);
  const ids = [
    field(chance.pick(decoyIds), chance.uuid()),
    ...(chance.withProbability(0.5) && !isJob
      ? [field(chance.pick([...vocabulary.jobIds, ...vocabulary.plainIds, ...unfamiliarIds]), chance.uuid())]
      : []),
  ];
  return wrap(chance, [error, ...ids, ...noise]);
}
