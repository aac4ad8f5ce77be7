import { expect, it } from 'vitest';
import type { OtherPartitions } from '../../../src/services/orders/other-partitions.ts';
import {
  earlyPreferencesOf,
  homeOfPreferences,
  Preferences,
  preferencesAbout,
} from '../../../src/services/orders/preferences.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { bucketOf, partitionOf, WHOLE_STORE } from '../../../src/services/tasks/homes.ts';
import { createStoreFixture } from '../store/store-fixture.ts';

const GUILD = '123456789012345678';
const channel = { guildId: GUILD, channelId: 'studio' };
const inServer = { memberId: 'ann', ...channel, install: 'guild' } as const;
const set = (isPrivate: boolean) => () => ({ set: { isPrivate } });

async function createFixture() {
  const fixture = createStoreFixture();
  const openStore = async () => (await fixture.open()) as StoredTasks;
  const store = await openStore();
  const openOn = async (opened: StoredTasks, partition = WHOLE_STORE, others?: OtherPartitions) => {
    const preferences = new Preferences({ store: opened, partition, others, clock: fixture.clock, log: fixture.log });
    await preferences.open();
    return preferences;
  };
  return { ...fixture, store, openStore, openOn };
}

it('Whether replies are private is in memory: the member decides before the channel, and the channel before the server, also after a restart', async () => {
  const { store, openStore, openOn } = await createFixture();
  const preferences = await openOn(store);
  expect(preferences.early(inServer).isPrivate).toBe(undefined);
  await preferences.change({ guildId: GUILD }, 'owner', set(true));
  expect(preferences.early(inServer).isPrivate).toBe(true);
  await preferences.change(channel, 'owner', set(false));
  expect(preferences.early(inServer).isPrivate).toBe(false);
  expect(preferences.early({ ...inServer, channelId: 'hall' }).isPrivate).toBe(true);
  await preferences.change({ memberId: 'ann' }, 'ann', set(true));
  await store.close();
  const reopened = await openStore();
  const restarted = await openOn(reopened);
  const places = [inServer, { ...inServer, memberId: 'ben' }, { ...inServer, memberId: 'ben', channelId: 'hall' }];
  expect(places.map((place) => restarted.early(place).isPrivate)).toEqual([true, false, true]);
  for (const place of places) expect(earlyPreferencesOf(await restarted.read(place))).toEqual(restarted.early(place));
  await reopened.close();
});

it('A thread has the settings of its channel, and a personal installation has neither those of the channel nor of the server', async () => {
  const { store, openOn } = await createFixture();
  const preferences = await openOn(store);
  await preferences.change(channel, 'owner', () => ({ set: { tone: 'formal' } }));
  await preferences.change({ guildId: GUILD }, 'owner', () => ({ set: { length: 'short' } }));
  const inThread = { ...inServer, channelId: 'thread', parentChannelId: 'studio' };
  expect(await preferences.read(inThread)).toMatchObject({ channel: { tone: 'formal' }, server: { length: 'short' } });
  const installed = await preferences.read({ ...inServer, install: 'user' });
  expect([installed.channel, installed.server]).toEqual([undefined, undefined]);
  await store.close();
});

it('The model of a persona is the channel’s model for text', async () => {
  const { store, openOn } = await createFixture();
  const preferences = await openOn(store);
  const persona = { name: 'Ada', instructions: 'Be kind.', model: 'quill-5', answersMentions: true };
  await preferences.change(channel, 'owner', () => ({ set: { models: { image: 'lumen' } }, persona }));
  const here = await preferences.read(inServer);
  expect(here).toMatchObject({ persona, channel: { models: { image: 'lumen', text: 'quill-5' } } });
  await store.close();
});

it('One without settings has no row, and a server keeps those of at most 500 channels', async () => {
  const { store, openOn } = await createFixture();
  const preferences = await openOn(store);
  await preferences.change(channel, 'owner', set(true));
  await preferences.change(channel, 'owner', () => ({ set: {} }));
  expect(await Array.fromAsync(store.preferences.each())).toEqual([]);
  for (let index = 0; index < 500; index++)
    await store.preferences.put({ guildId: GUILD, channelId: `channel ${index}`, set: { isPrivate: true }, at: index });
  await preferences.open();
  expect(preferences.early({ ...inServer, channelId: 'channel 0' }).isPrivate).toBe(true);
  await preferences.change({ guildId: GUILD, channelId: 'channel 500' }, 'owner', set(true));
  const kept = await store.preferences.startingWith(`server:${GUILD}:`);
  expect(kept).toHaveLength(500);
  expect(preferences.early({ ...inServer, channelId: 'channel 0' }).isPrivate).toBe(undefined);
  expect(preferences.early({ ...inServer, channelId: 'channel 500' }).isPrivate).toBe(true);
  await store.close();
});

it('An erasure deletes a member’s own settings, and their id from those of channels', async () => {
  const { store, openOn } = await createFixture();
  const preferences = await openOn(store);
  await preferences.change({ memberId: 'ann' }, 'ann', set(true));
  await preferences.change({ memberId: 'ben' }, 'ben', set(true));
  await preferences.change(channel, 'ann', () => ({ set: { tone: 'formal' } }));
  expect(await preferencesAbout('ann', store.preferences)).toMatchObject([
    { memberId: 'ann' },
    { ...channel, set: { tone: 'formal' } },
  ]);
  await preferences.eraseId('ann');
  expect(await preferencesAbout('ann', store.preferences)).toEqual([]);
  expect(preferences.early({ ...inServer, guildId: undefined }).isPrivate).toBe(undefined);
  expect(preferences.early({ memberId: 'ben', install: 'guild' }).isPrivate).toBe(true);
  expect((await preferences.read(inServer)).channel).toEqual({ tone: 'formal', models: {} });
  expect(JSON.stringify(await Array.fromAsync(store.preferences.each()))).not.toContain('"ann"');
  await store.close();
});

it('In a cluster, a member’s settings are read from their own partition, known after its start, and refreshed later', async () => {
  const own = await createFixture();
  const home = await createFixture();
  const homeNumber = partitionOf(bucketOf(homeOfPreferences({ memberId: 'ann' })), 2);
  const owners = await home.openOn(home.store, { number: homeNumber, count: 2 });
  await owners.change({ memberId: 'ann' }, 'ann', set(true));
  const others: OtherPartitions = {
    ownNumber: 1 - homeNumber,
    numbers: [homeNumber],
    find: async () => home.store,
    all: async () => [home.store],
    send: async () => undefined,
  };
  const elsewhere = await own.openOn(own.store, { number: 1 - homeNumber, count: 2 }, others);
  const place = { memberId: 'ann', install: 'guild' } as const;
  expect(elsewhere.early(place).isPrivate).toBe(true);
  await owners.change({ memberId: 'ann' }, 'ann', set(false));
  await elsewhere.refresh(place);
  expect(elsewhere.early(place).isPrivate).toBe(false);
  await expect(elsewhere.change({ memberId: 'ann' }, 'ann', set(true))).rejects.toMatchObject({
    key: 'refusals.elsewhere',
  });
  await own.store.close();
  await home.store.close();
});

it('Whether prompts are opened first is in memory beside whether replies are private, each by its own precedence', async () => {
  const { store, openStore, openOn } = await createFixture();
  const preferences = await openOn(store);
  await preferences.change({ guildId: GUILD }, 'owner', () => ({ set: { isPrivate: true, remix: false } }));
  await preferences.change({ memberId: 'ann' }, 'ann', () => ({ set: { remix: true } }));
  expect(preferences.early(inServer)).toEqual({ isPrivate: true, remix: true });
  await store.close();
  const reopened = await openStore();
  const restarted = await openOn(reopened);
  expect(restarted.early(inServer)).toEqual({ isPrivate: true, remix: true });
  expect(restarted.early({ ...inServer, memberId: 'ben' })).toEqual({ isPrivate: true, remix: false });
  await restarted.change({ memberId: 'ann' }, 'ann', () => ({ set: {} }));
  expect(restarted.early(inServer)).toEqual({ isPrivate: true, remix: false });
  await reopened.close();
});
