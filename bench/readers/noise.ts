import { type Chance, field } from './chance.ts';
import type { Field, Tree } from './tree.ts';
import {
  decoyCovers,
  decoyIds,
  decoyInputs,
  decoyPages,
  decoyRecords,
  inputFields,
  unfamiliarIds,
  vocabulary,
} from './words.ts';

export type Kind = 'image' | 'video' | 'audio';

const extensions: Readonly<Record<Kind, readonly string[]>> = {
  image: ['png', 'webp', 'jpeg'],
  video: ['mp4', 'webm', 'mov'],
  audio: ['mp3', 'wav', 'm4a'],
};

export const fileUrl = (chance: Chance, kind: Kind): string =>
  `https://cdn-${chance.letters(4)}.example/${chance.letters(12)}.${chance.pick(extensions[kind])}${chance.withProbability(0.3) ? `?sig=${chance.letters(8)}` : ''}`;

/** A URL that does not reveal what it points to. */
export const opaqueUrl = (chance: Chance): string => `https://cdn.example/f/${chance.letters(16)}`;

const anyId = (chance: Chance): Tree =>
  chance.pick([chance.uuid(), `req_${chance.letters(20)}`, chance.digits(12), chance.integer(90_000)]);

/** A field in which the response repeats the request, with the member's own references. */
export const echoedInput = (chance: Chance, kind: Kind, requestValues: readonly string[]): Field => {
  const repeatedUrl =
    requestValues.length > 0 ? chance.pick(requestValues) : fileUrl(chance, chance.pick([kind, 'image']));
  return field(
    chance.pick(decoyInputs),
    chance.record([
      field('prompt', `a lighthouse like ${fileUrl(chance, 'image')}`),
      field(chance.pick(inputFields), chance.withProbability(0.3) ? { items: [repeatedUrl] } : repeatedUrl),
    ]),
  );
};

/** Ids of things other than the job, which may appear next to the job's own id. */
export const decoyFields = (chance: Chance): Field[] => [
  field(chance.pick(decoyIds), anyId(chance)),
  ...chance.pickSome(decoyIds, 2).map((name) => field(name, anyId(chance))),
  ...chance
    .pickSome(decoyRecords, 1)
    .map((name) => field(name, chance.record([field('id', anyId(chance)), field('name', 'harbour')]))),
];

/** Cover images and web pages. */
export const decoyUrls = (chance: Chance): Field[] => [
  field(chance.pick(decoyCovers), fileUrl(chance, 'image')),
  field(
    chance.pick(decoyPages),
    `https://app.example/${chance.letters(8)}${chance.withProbability(0.5) ? '.html' : ''}`,
  ),
];

/** The other fields of a wrapper. */
export const wrapperFields = (chance: Chance): Field[] => [
  ...chance.pickSome(
    [
      field('code', chance.pick<Tree>([0, 200, 1, '0', 'success'])),
      field('message', chance.pick(['ok', 'success', '', 'accepted'])),
      field('success', true),
      field('error', chance.pick<Tree>([null, '', false])),
      field('errors', { items: [] }),
      field('timestamp', 1_767_225_600 + chance.integer(1_000_000)),
      field('api version', '2026-01'),
      field('elapsed ms', chance.integer(9_000)),
      field('region', 'eu-west-1'),
      field('status', chance.pick(['success', 'ok'])),
    ],
    4,
  ),
  ...(chance.withProbability(0.5) ? [field(chance.pick(decoyIds), anyId(chance))] : []),
  ...(chance.withProbability(0.15) ? [field(chance.pick(unfamiliarIds), chance.uuid())] : []),
];

/** The other fields of a job's record, next to its id, state and result. */
export const recordFields = (chance: Chance): Field[] =>
  chance.pickSome(
    [
      field('created at', chance.pick<Tree>([1_767_225_600_000, '2026-01-01T00:00:00Z'])),
      field('queue position', chance.integer(40)),
      field('eta', chance.integer(90)),
      field('cost', '0.12'),
      field('model', chance.pick(['reel-2-pro', 'flux-1.1', 'chorale-4'])),
      field('seed', Number(chance.digits(9))),
      field('width', 1024),
      field('priority', 'normal'),
      field('type', chance.pick(['text2image', 'song', 'clip'])),
      field('retries', 0),
      field('tags', { items: ['sea', 'storm'] }),
    ],
    5,
  );

/** Puts the record into up to four wrappers. */
export function wrap(chance: Chance, fields: readonly Field[]): Tree {
  let tree: Tree = chance.record(fields);
  const depth = chance.integer(5);
  for (let level = 0; level < depth; level++) {
    const isListItem = chance.withProbability(0.1) && level === 0;
    const name = isListItem
      ? ['jobs']
      : chance.pick(level === 0 ? [...vocabulary.wrappers, ...vocabulary.jobs] : vocabulary.wrappers);
    tree = chance.record([field(name, isListItem ? { items: [tree] } : tree), ...wrapperFields(chance)]);
  }
  return tree;
}
