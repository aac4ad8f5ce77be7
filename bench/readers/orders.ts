import { type Chance, field } from './chance.ts';
import {
  decoyAddresses,
  decoyFields,
  fileAddress,
  type Kind,
  ownInput,
  recordFields,
  wrapped,
  wrapperFields,
} from './noise.ts';
import type { Field, Tree } from './tree.ts';
import { decoyIds, type Name, oddIds, stateWords, vocabulary } from './words.ts';

export interface OrderAnswer {
  tree: Tree;
  /** The content of the request. */
  sent: string[];
  /** The job's id; undefined if the response has none, or is a refusal. */
  id: string | undefined;
}

const idValue = (chance: Chance): Tree => {
  const large = chance.digits(19);
  return chance.of<Tree>([
    chance.uuid(),
    chance.uuid(),
    `job_${chance.letters(24)}`,
    chance.digits(16),
    Number(chance.digits(8 + chance.whole(5))),
    { digits: large },
  ]);
};

const idText = (tree: Tree): string =>
  typeof tree === 'object' && tree !== null && 'digits' in tree ? tree.digits : String(tree);

const pending = (chance: Chance): Field =>
  field(chance.of(vocabulary.states), chance.of([...stateWords.queued, ...stateWords.running, ...stateWords.strange]));

/** A response to a submit. Most have the job's id; the others have two ids, none, or an error. */
export function orderAnswer(chance: Chance, kind: Kind): OrderAnswer {
  const parent = chance.uuid();
  const reference = fileAddress(chance, 'image');
  const sent = [parent, reference];
  const echo = chance.is(0.3)
    ? [
        field(
          chance.of<Name>([
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
    ...(chance.is(0.3) ? [ownInput(chance, kind, [reference])] : []),
    ...(chance.is(0.3) ? decoyAddresses(chance) : []),
  ];
  const value = idValue(chance);
  const id = idText(value);
  const outcome = chance.whole(100);
  if (outcome < 6) return { tree: wrapped(chance, [pending(chance), ...noise, ...echo]), sent, id: undefined };
  if (outcome < 14) return { tree: refusal(chance, [...noise, ...echo]), sent, id: undefined };
  const names = chance.is(0.25) ? vocabulary.plainIds : vocabulary.jobIds;
  const own = [field(chance.of(names), value), ...(chance.is(0.92) ? [pending(chance)] : [])];
  if (outcome < 20) {
    // Two jobs. A record called `job` is documented, and would decide which one counts.
    const other = [field(chance.of(vocabulary.jobIds), idValue(chance)), pending(chance)];
    const [first = [], second = []] = chance.shuffled(vocabulary.jobs.filter((name) => name.join() !== 'job'));
    const both = [field(first, chance.record([...own, pending(chance)])), field(second, chance.record(other))];
    return { tree: wrapped(chance, [...both, ...noise]), sent, id };
  }
  if (outcome < 24) {
    const text = chance.of([chance.uuid(), chance.digits(16)]);
    const tree = chance.record([field(chance.of(vocabulary.wrappers), text), ...wrapperFields(chance), ...echo]);
    return { tree, sent, id: text };
  }
  return { tree: wrapped(chance, [...own, ...noise, ...echo]), sent, id };
}

const reasons = ['balance is too low', 'the prompt was refused', 'rate limit', 'unknown model'];

/** An error that contains ids, those of the request and of its subject. */
function refusal(chance: Chance, noise: readonly Field[]): Tree {
  const reason = chance.of(reasons);
  const error = chance.of<Field>([
    field('error', chance.record([field('message', reason), field('code', 'refused')])),
    field('error', reason),
    field('errors', { items: [reason] }),
    field('error message', reason),
    field('success', false),
    field('code', chance.of<Tree>([40_001, 'quota_exceeded', 500, -1])),
    field('failed', true),
    field(chance.of(vocabulary.states), chance.of(stateWords.failed)),
  ]);
  // A job with an id and a failed state was accepted, at least if both are in documented places.
  const isJob = vocabulary.states.includes(error.name);
  const ids = [
    field(chance.of(decoyIds), chance.uuid()),
    ...(chance.is(0.5) && !isJob
      ? [field(chance.of([...vocabulary.jobIds, ...vocabulary.plainIds, ...oddIds]), chance.uuid())]
      : []),
  ];
  return wrapped(chance, [error, ...ids, ...noise]);
}
