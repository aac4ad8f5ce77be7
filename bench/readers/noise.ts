import { type Chance, field } from './chance.ts';
import type { Field, Tree } from './tree.ts';
import {
  decoyCovers,
  decoyIds,
  decoyInputs,
  decoyPages,
  decoyRecords,
  inputFields,
  oddIds,
  vocabulary,
} from './words.ts';

export type Kind = 'image' | 'video' | 'audio';

const endings: Readonly<Record<Kind, readonly string[]>> = {
  image: ['png', 'webp', 'jpeg'],
  video: ['mp4', 'webm', 'mov'],
  audio: ['mp3', 'wav', 'm4a'],
};

export const fileAddress = (chance: Chance, kind: Kind): string =>
  `https://cdn-${chance.letters(4)}.example/${chance.letters(12)}.${chance.of(endings[kind])}${chance.is(0.3) ? `?sig=${chance.letters(8)}` : ''}`;

/** A URL that does not reveal what it points to. */
export const bareAddress = (chance: Chance): string => `https://cdn.example/f/${chance.letters(16)}`;

const anyId = (chance: Chance): Tree =>
  chance.of([chance.uuid(), `req_${chance.letters(20)}`, chance.digits(12), chance.whole(90_000)]);

/** The member's own references, as a response repeats them. */
export const ownInput = (chance: Chance, kind: Kind, sent: readonly string[]): Field => {
  const repeated = sent.length > 0 ? chance.of(sent) : fileAddress(chance, chance.of([kind, 'image']));
  return field(
    chance.of(decoyInputs),
    chance.record([
      field('prompt', `a lighthouse like ${fileAddress(chance, 'image')}`),
      field(chance.of(inputFields), chance.is(0.3) ? { items: [repeated] } : repeated),
    ]),
  );
};

/** Ids of other things, which may be next to the job's own. */
export const decoyFields = (chance: Chance): Field[] => [
  field(chance.of(decoyIds), anyId(chance)),
  ...chance.some(decoyIds, 2).map((name) => field(name, anyId(chance))),
  ...chance
    .some(decoyRecords, 1)
    .map((name) => field(name, chance.record([field('id', anyId(chance)), field('name', 'harbour')]))),
];

/** Cover images and web pages. */
export const decoyAddresses = (chance: Chance): Field[] => [
  field(chance.of(decoyCovers), fileAddress(chance, 'image')),
  field(chance.of(decoyPages), `https://app.example/${chance.letters(8)}${chance.is(0.5) ? '.html' : ''}`),
];

/** The other fields of a wrapper. */
export const wrapperFields = (chance: Chance): Field[] => [
  ...chance.some(
    [
      field('code', chance.of<Tree>([0, 200, 1, '0', 'success'])),
      field('message', chance.of(['ok', 'success', '', 'accepted'])),
      field('success', true),
      field('error', chance.of<Tree>([null, '', false])),
      field('errors', { items: [] }),
      field('timestamp', 1_767_225_600 + chance.whole(1_000_000)),
      field('api version', '2026-01'),
      field('elapsed ms', chance.whole(9_000)),
      field('region', 'eu-west-1'),
      field('status', chance.of(['success', 'ok'])),
    ],
    4,
  ),
  ...(chance.is(0.5) ? [field(chance.of(decoyIds), anyId(chance))] : []),
  ...(chance.is(0.15) ? [field(chance.of(oddIds), chance.uuid())] : []),
];

/** The other fields of a job's record, next to its id, state and result. */
export const recordFields = (chance: Chance): Field[] =>
  chance.some(
    [
      field('created at', chance.of<Tree>([1_767_225_600_000, '2026-01-01T00:00:00Z'])),
      field('queue position', chance.whole(40)),
      field('eta', chance.whole(90)),
      field('cost', '0.12'),
      field('model', chance.of(['reel-2-pro', 'flux-1.1', 'chorale-4'])),
      field('seed', Number(chance.digits(9))),
      field('width', 1024),
      field('priority', 'normal'),
      field('type', chance.of(['text2image', 'song', 'clip'])),
      field('retries', 0),
      field('tags', { items: ['sea', 'storm'] }),
    ],
    5,
  );

/** Puts the record into up to four wrappers. */
export function wrapped(chance: Chance, fields: readonly Field[]): Tree {
  let tree: Tree = chance.record(fields);
  const depth = chance.whole(5);
  for (let level = 0; level < depth; level++) {
    const isLone = chance.is(0.1) && level === 0;
    const name = isLone
      ? ['jobs']
      : chance.of(level === 0 ? [...vocabulary.wrappers, ...vocabulary.jobs] : vocabulary.wrappers);
    tree = chance.record([field(name, isLone ? { items: [tree] } : tree), ...wrapperFields(chance)]);
  }
  return tree;
}
