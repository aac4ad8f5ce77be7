import { type Chance, field } from './chance.ts';
import {
  bareAddress,
  decoyAddresses,
  decoyFields,
  fileAddress,
  type Kind,
  ownInput,
  recordFields,
  wrapped,
} from './noise.ts';
import type { Field, Tree } from './tree.ts';
import { type Name, stateWords, vocabulary } from './words.ts';

type State = 'pending' | 'succeeded' | 'failed';

export interface PollAnswer {
  tree: Tree;
  /** The references that the request contained. */
  sent: string[];
  state: State;
  progress: number | undefined;
  media: string[];
}

/** A response to a poll. */
export function pollAnswer(chance: Chance, kind: Kind): PollAnswer {
  const state = chance.of<State>(['pending', 'pending', 'succeeded', 'succeeded', 'succeeded', 'failed']);
  const reference = fileAddress(chance, chance.of([kind, 'image']));
  const { fields, media } = resultFields(chance, kind);
  // An unfinished job may show an early file; it is not a result.
  const hasResult = state === 'succeeded' ? !chance.is(0.06) : chance.is(0.3);
  const progress = state === 'pending' && chance.is(0.6) ? chance.whole(100) : undefined;
  const isSent = chance.is(0.7);
  // Two names that are equally informative.
  const isTorn = chance.is(0.05);
  const core = [
    field(chance.of(chance.is(0.3) ? vocabulary.plainIds : vocabulary.jobIds), chance.uuid()),
    field(isTorn ? ['phase'] : chance.of(vocabulary.states), stateWord(chance, state)),
    ...(isTorn ? [field('stage', stateWord(chance, chance.of(['pending', 'succeeded', 'failed'])))] : []),
    ...(progress === undefined ? [] : [progressField(chance, progress)]),
  ];
  const noise = [
    ...decoyFields(chance),
    ...decoyAddresses(chance),
    ...recordFields(chance),
    ...(chance.is(0.6) ? [ownInput(chance, kind, [reference])] : []),
    // If its name means nothing, only the request distinguishes it from the result.
    ...(isSent && chance.is(0.2) ? [field(chance.of(vocabulary.uninformative), reference)] : []),
  ];
  const result = hasResult ? fields : [];
  const isApart = chance.is(0.25);
  const all = isApart
    ? [field(chance.of(vocabulary.jobs), chance.record(core)), ...result, ...noise]
    : [...core, ...result, ...noise];
  const tree = wrapped(chance, all);
  return {
    tree,
    sent: isSent ? [reference] : [],
    state,
    progress,
    media: state === 'succeeded' && hasResult ? media : [],
  };
}

function stateWord(chance: Chance, state: State): string {
  const words = {
    pending: [...stateWords.queued, ...stateWords.running, ...stateWords.strange],
    succeeded: stateWords.succeeded,
    failed: stateWords.failed,
  }[state];
  const word = chance.of<string>(words);
  return chance.of([
    word,
    word.toUpperCase(),
    word.replaceAll(' ', '_'),
    word.slice(0, 1).toUpperCase() + word.slice(1),
    word.replaceAll(' ', '-'),
  ]);
}

function progressField(chance: Chance, progress: number): Field {
  const name = chance.of(vocabulary.progress);
  return field(
    name,
    chance.of<Tree>([progress, `${progress}%`, progress === 0 ? 0 : { digits: (progress / 100).toFixed(2) }]),
  );
}

/** The result as a text, list or record, in a field whose name says that it is the result, or in one whose name means nothing. */
function resultFields(chance: Chance, kind: Kind): { fields: Field[]; media: string[] } {
  const named: Name = chance.of<Name>([...vocabulary.media[kind], ...vocabulary.results, ...vocabulary.uninformative]);
  const isBare = chance.is(0.12);
  const isList = chance.is(0.4);
  const media = Array.from({ length: isList ? 1 + chance.whole(4) : 1 }, () =>
    isBare ? bareAddress(chance) : fileAddress(chance, kind),
  );
  const inner = chance.of([['url'], ['href'], ['link'], ['file', 'url'], ['download', 'url']]);
  const isRecord = chance.is(0.5);
  const one = (address: string): Tree =>
    isRecord
      ? chance.record([
          field(inner, address),
          field('width', 1024),
          ...(chance.is(0.3) ? [field('thumbnail', fileAddress(chance, 'image'))] : []),
        ])
      : address;
  const value: Tree = isList ? { items: media.map(one) } : one(media[0] ?? '');
  const fields = [
    field(
      named,
      chance.is(0.2)
        ? chance.record([field(chance.of([...vocabulary.results, ...vocabulary.uninformative]), value)])
        : value,
    ),
  ];
  if (!chance.is(0.04)) return { fields, media };
  // Two results of the same rank.
  return { fields: [field(['left'], fileAddress(chance, kind)), field(['right'], fileAddress(chance, kind))], media };
}
