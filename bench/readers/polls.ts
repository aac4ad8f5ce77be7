import { type Chance, field } from './chance.ts';
import { decoyFields, decoyUrls, echoedInput, fileUrl, type Kind, opaqueUrl, recordFields, wrap } from './noise.ts';
import type { Field, Tree } from './tree.ts';
import { type Name, stateWords, vocabulary } from './words.ts';

type State = 'pending' | 'succeeded' | 'failed';

export interface PollResponse {
  tree: Tree;
  /** The references that the request contained. */
  requestValues: string[];
  state: State;
  progress: number | undefined;
  media: string[];
}

/** A response to a poll. */
export function pollResponse(chance: Chance, kind: Kind): PollResponse {
  const state = chance.pick<State>(['pending', 'pending', 'succeeded', 'succeeded', 'succeeded', 'failed']);
  const reference = fileUrl(chance, chance.pick([kind, 'image']));
  const { fields, media } = resultFields(chance, kind);
  // An unfinished job may already show a file, which is not a result.
  const hasResult = state === 'succeeded' ? !chance.withProbability(0.06) : chance.withProbability(0.3);
  const progress = state === 'pending' && chance.withProbability(0.6) ? chance.integer(100) : undefined;
  const isReferenceSent = chance.withProbability(0.7);
  // Two state fields whose names are equally informative.
  const hasTwoStates = chance.withProbability(0.05);
  const core = [
    field(chance.pick(chance.withProbability(0.3) ? vocabulary.plainIds : vocabulary.jobIds), chance.uuid()),
    field(hasTwoStates ? ['phase'] : chance.pick(vocabulary.states), stateWord(chance, state)),
    ...(hasTwoStates ? [field('stage', stateWord(chance, chance.pick(['pending', 'succeeded', 'failed'])))] : []),
    ...(progress === undefined ? [] : [progressField(chance, progress)]),
  ];
  const noise = [
    ...decoyFields(chance),
    ...decoyUrls(chance),
    ...recordFields(chance),
    ...(chance.withProbability(0.6) ? [echoedInput(chance, kind, [reference])] : []),
    // If the field's name means nothing, only the request distinguishes the reference from the result.
    ...(isReferenceSent && chance.withProbability(0.2)
      ? [field(chance.pick(vocabulary.uninformative), reference)]
      : []),
  ];
  const result = hasResult ? fields : [];
  const isCoreNested = chance.withProbability(0.25);
  const allFields = isCoreNested
    ? [field(chance.pick(vocabulary.jobs), chance.record(core)), ...result, ...noise]
    : [...core, ...result, ...noise];
  const tree = wrap(chance, allFields);
  return {
    tree,
    requestValues: isReferenceSent ? [reference] : [],
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
  const word = chance.pick<string>(words);
  return chance.pick([
    word,
    word.toUpperCase(),
    word.replaceAll(' ', '_'),
    word.slice(0, 1).toUpperCase() + word.slice(1),
    word.replaceAll(' ', '-'),
  ]);
}

function progressField(chance: Chance, progress: number): Field {
  const name = chance.pick(vocabulary.progress);
  return field(
    name,
    chance.pick<Tree>([progress, `${progress}%`, progress === 0 ? 0 : { digits: (progress / 100).toFixed(2) }]),
  );
}

/** The result as a string, list or record, in a field whose name says that it is the result, or in one whose name means nothing. */
function resultFields(chance: Chance, kind: Kind): { fields: Field[]; media: string[] } {
  const resultName: Name = chance.pick<Name>([
    ...vocabulary.media[kind],
    ...vocabulary.results,
    ...vocabulary.uninformative,
  ]);
  const isOpaque = chance.withProbability(0.12);
  const isList = chance.withProbability(0.4);
  const media = Array.from({ length: isList ? 1 + chance.integer(4) : 1 }, () =>
    isOpaque ? opaqueUrl(chance) : fileUrl(chance, kind),
  );
  const urlFieldName = chance.pick([['url'], ['href'], ['link'], ['file', 'url'], ['download', 'url']]);
  const isRecord = chance.withProbability(0.5);
  const itemOf = (url: string): Tree =>
    isRecord
      ? chance.record([
          field(urlFieldName, url),
          field('width', 1024),
          ...(chance.withProbability(0.3) ? [field('thumbnail', fileUrl(chance, 'image'))] : []),
        ])
      : url;
  const value: Tree = isList ? { items: media.map(itemOf) } : itemOf(media[0] ?? '');
  const fields = [
    field(
      resultName,
      chance.withProbability(0.2)
        ? chance.record([field(chance.pick([...vocabulary.results, ...vocabulary.uninformative]), value)])
        : value,
    ),
  ];
  if (!chance.withProbability(0.04)) return { fields, media };
  // Two results, neither of which is more likely than the other.
  return { fields: [field(['left'], fileUrl(chance, kind)), field(['right'], fileUrl(chance, kind))], media };
}
