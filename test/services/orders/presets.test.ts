import { expect, it } from 'vitest';
import type { OtherPartitions } from '../../../src/services/orders/other-partitions.ts';
import {
  fillTemplate,
  type PresetContent,
  type PresetRow,
  presetContent,
} from '../../../src/services/orders/preset.ts';
import { Presets, presetsAbout } from '../../../src/services/orders/presets.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { bucketOf, partitionOf, WHOLE_STORE } from '../../../src/services/tasks/homes.ts';
import { createStoreFixture } from '../store/store-fixture.ts';

const GUILD = '100000000000000001';
const ann = { memberId: 'ann' };
const shared = { memberId: 'ann', guildId: GUILD };
const atHome = { memberId: 'ann', install: 'guild' } as const;
const inServer = { memberId: 'ben', guildId: GUILD, install: 'guild' } as const;

const content = (name: string): PresetContent => ({
  name,
  command: 'imagine',
  template: '{prompt}, poster',
  options: {},
});
const namesOf = (rows: readonly { name: string }[]) => rows.map(({ name }) => name);

async function createFixture() {
  const fixture = createStoreFixture();
  const store = (await fixture.open()) as StoredTasks;
  const openOn = (partition = WHOLE_STORE, others?: OtherPartitions) =>
    new Presets({ ...fixture, store, settings: { presets: [content('Operator')] }, partition, others });
  return { store, openOn };
}

async function fill(store: StoredTasks, owner: Pick<PresetRow, 'memberId' | 'guildId'>, count: number) {
  for (let index = 0; index < count; index++)
    await store.presets.put({ ...content(`Preset ${index}`), ...owner, id: `id ${index}`, uses: 0, at: 0 });
}

it('A member can have 50 presets, and a server 200; a full list can still be changed', async () => {
  const { store, openOn } = await createFixture();
  const presets = openOn();
  await fill(store, ann, 50);
  await fill(store, shared, 200);
  await expect(presets.save(ann, content('New'))).rejects.toMatchObject({
    key: 'refusals.presets.tooMany.own',
    variables: { max: 50 },
  });
  await expect(presets.save(shared, content('New'))).rejects.toMatchObject({
    key: 'refusals.presets.tooMany.server',
    variables: { max: 200 },
  });
  await presets.save(ann, content('New'), 'id 7');
  await presets.remove({ ...ann, id: 'id 8' });
  await presets.save(ann, content('Newer'));
  expect(await store.presets.startingWith('member:ann:')).toHaveLength(50);
  await store.close();
});

it('Names differ within a list without regard to case, and what has been deleted or is another member’s cannot be changed', async () => {
  const { store, openOn } = await createFixture();
  const presets = openOn();
  const { id } = await presets.save(ann, content('Poster'));
  await presets.save(shared, content('Poster'));
  await expect(presets.save(ann, content('poster'))).rejects.toMatchObject({ key: 'refusals.presets.nameTaken.own' });
  const ofBen = { ...shared, memberId: 'ben' };
  await expect(presets.save(ofBen, content('POSTER'))).rejects.toMatchObject({
    key: 'refusals.presets.nameTaken.server',
  });
  const [row] = await store.presets.startingWith(`server:${GUILD}:`);
  await expect(presets.save(ofBen, content('Mine'), row?.id)).rejects.toMatchObject({
    key: 'refusals.presets.unknown',
  });
  await presets.remove({ ...ann, id });
  await expect(presets.save(ann, content('Poster'), id)).rejects.toMatchObject({ key: 'refusals.presets.unknown' });
  await store.close();
});

it('At once, no more are saved than fit, and no name is saved twice', async () => {
  const { store, openOn } = await createFixture();
  const presets = openOn();
  await fill(store, ann, 48);
  const saves = ['A', 'B', 'B', 'C', 'D'].map((name) => presets.save(ann, content(name)));
  const outcomes = (await Promise.allSettled(saves)).map(({ status }) => status);
  expect(outcomes.filter((status) => status === 'fulfilled')).toHaveLength(2);
  expect(await store.presets.startingWith('member:ann:')).toHaveLength(50);
  await store.close();
});

it('A list has a member’s own presets, those of the server, and the operator’s, the most used ones first', async () => {
  const { store, openOn } = await createFixture();
  const presets = openOn();
  await presets.save(ann, content('One'));
  const two = await presets.save(ann, content('Two'));
  await presets.save(shared, content('Shared'));
  await presets.countUse(two);
  await presets.countUse({ id: 'bot:Operator' });
  expect(namesOf(await presets.listFor({ ...atHome, guildId: GUILD }))).toEqual(['Two', 'One', 'Shared', 'Operator']);
  expect(namesOf(await presets.listFor(atHome))).toEqual(['Two', 'One', 'Operator']);
  expect(namesOf(await presets.listFor(inServer))).toEqual(['Shared', 'Operator']);
  expect(namesOf(await presets.listFor({ ...inServer, install: 'user' }))).toEqual(['Operator']);
  await expect(presets.find(two.id, inServer)).rejects.toMatchObject({ key: 'refusals.presets.unknown' });
  expect(await presets.find('bot:Operator', inServer)).toMatchObject({ name: 'Operator' });
  await store.close();
});

it('An erasure deletes what a member has saved and shared, and nothing of others', async () => {
  const { store, openOn } = await createFixture();
  const presets = openOn();
  await presets.save(ann, content('Poster'));
  await presets.save(shared, content('Poster'));
  await presets.save({ memberId: 'ben' }, content('Copy'));
  expect(await presetsAbout('ann', store.presets)).toMatchObject([ann, shared]);
  await presets.eraseId('ann');
  expect(await Array.fromAsync(store.presets.each())).toMatchObject([{ memberId: 'ben', name: 'Copy' }]);
  await store.close();
});

it('In a cluster, a member’s presets are used in every partition, and changed and counted only in their own', async () => {
  const [own, home] = [await createFixture(), await createFixture()];
  const homeNumber = partitionOf(bucketOf('ann'), 2);
  const owner = home.openOn({ number: homeNumber, count: 2 });
  const { id } = await owner.save(ann, content('Poster'));
  const sent: unknown[] = [];
  const others: OtherPartitions = {
    ownNumber: 1 - homeNumber,
    numbers: [homeNumber],
    find: async () => home.store,
    all: async () => [home.store],
    send: async (partition, message) => void sent.push([partition, message]),
  };
  const elsewhere = own.openOn({ number: 1 - homeNumber, count: 2 }, others);
  const found = await elsewhere.find('poster', atHome);
  expect(found).toMatchObject({ id });
  await elsewhere.countUse(found);
  expect(sent).toEqual([[homeNumber, { do: 'use-preset', id, memberId: 'ann', guildId: undefined }]]);
  await owner.countUse({ ...ann, id });
  expect(await elsewhere.find(id, atHome)).toMatchObject({ uses: 1 });
  expect(() => elsewhere.save(ann, content('New'))).toThrow('refusals.presets.choose');
  await Promise.all([own.store.close(), home.store.close()]);
});

it.each([
  ['{prompt}, oil', 'a fox', 'a fox, oil'],
  ['Translate to French:', 'a fox', 'Translate to French: a fox'],
  ['{prompt} or {PROMPT}', '$1 {prompt}', '$1 {prompt} or $1 {prompt}'],
  ['{red, blue} {prompt}', 'a {b, c}', '{red, blue} a {b, c}'],
  ['A haiku', '', 'A haiku'],
])('The template %s is filled with %s', (template, text, expected) => {
  expect(fillTemplate(template, text)).toBe(expected);
});

it.each([
  ...[
    '',
    ' ',
    '-',
    '**bold**',
    '<@123>',
    '@everyone',
    'a`b',
    'a_b',
    'a|b',
    'https://a.example',
    'bot:x',
    'x'.repeat(41),
  ],
  ...['a\u202eb', 'a\u200bb', 'a\u0000b', '\u3164', '\u115f', 'a\u2066b', '🦊'],
])('A preset cannot be called %j', (name) => {
  expect(presetContent.safeParse({ ...content(name) }).success).toBe(false);
});

it.each([
  ['  Old   map ', 'Old map'],
  ['Été d’or', 'Été d’or'],
  ['e\u0301te\u0301', 'été'],
  ['夜景 2', '夜景 2'],
  ['खेल', 'खेल'],
])('A preset can be called %s', (name, expected) => {
  expect(presetContent.parse(content(name)).name).toBe(expected);
});

it('A template keeps line breaks, and loses control characters and those that change the direction of text', () => {
  const template = ' a\r\nb\u0000\u0007c\u202ed\u2066e\u009f ';
  expect(presetContent.parse({ ...content('x'), template }).template).toBe('a\nbcde');
  for (const unusable of ['', ' \u202e ', 'x'.repeat(2_001)])
    expect(presetContent.safeParse({ ...content('x'), template: unusable }).success).toBe(false);
});
