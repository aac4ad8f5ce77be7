import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { type Removal, ServerLogs } from '../../../src/services/safety/server-log.ts';
import { NO_RULES } from '../../../src/services/safety/server-rules.ts';
import { openStore } from '../../../src/services/store/open-store.ts';
import { createStoreFixture, createTemporaryFolder, DAY_MS } from '../store/store-fixture.ts';

const GUILD = '323456789012345678';

async function setUp(days = 1) {
  const { file, clock, log } = createStoreFixture(join(createTemporaryFolder(), 'atelier.sqlite'));
  const store = await openStore({ url: `sqlite://${file}`, scheme: 'sqlite' }, { specs: kindSpecs, log, clock });
  onTestFinished(() => store.close());
  const removed: string[] = [];
  const removals = new Map<string, Removal>();
  const undecided = new Set<string>();
  const logs = new ServerLogs({
    store: store.serverLogs,
    rules: { get: () => NO_RULES, logRetentions: () => [{ guildId: GUILD, days }] },
    isUndecided: async ({ id }) => undecided.has(id),
    async removeMessage({ id }) {
      const removal = removals.get(id) ?? 'gone';
      if (removal === 'gone') removed.push(id);
      return removal;
    },
    clock,
  });
  const note = (id: number, overrides: { about?: string } = {}) =>
    logs.record(GUILD, { channelId: GUILD, id: String(id), at: clock.now(), ...overrides });
  const kept = async () => (await store.serverLogs.get({ guildId: GUILD }))?.messages.map(({ id }) => id) ?? [];
  return { store, clock, logs, note, kept, removed, removals, undecided };
}

it('The newest thousand messages of a server are stored, each once', async () => {
  const { store, clock, note, kept } = await setUp();
  const messages = Array.from({ length: 1_000 }, (_, index) => ({
    channelId: GUILD,
    id: String(index + 1),
    at: clock.now(),
  }));
  await store.serverLogs.put({ guildId: GUILD, messages });
  for (let id = 1_001; id <= 1_005; id++) await note(id);
  await note(1_005);
  const ids = await kept();
  expect(ids).toHaveLength(1_000);
  expect([ids[0], ids.at(-1)]).toEqual(['6', '1005']);
});

it('A sweep deletes fifty old messages, and the next one continues', async () => {
  const { clock, logs, note, kept, removed } = await setUp();
  for (let id = 1; id <= 60; id++) await note(id);
  clock.advance(DAY_MS);
  await note(61);
  await logs.sweep();
  expect(removed).toHaveLength(50);
  await logs.sweep();
  expect(await kept()).toEqual(['61']);
});

it('A message that cannot be deleted right now is kept, and one that can never be deleted is no longer tracked', async () => {
  const { clock, logs, note, kept, removed, removals, undecided } = await setUp();
  for (let id = 1; id <= 5; id++) await note(id);
  removals.set('2', 'stays').set('3', 'none').set('4', 'later');
  undecided.add('1');
  clock.advance(DAY_MS);
  await logs.sweep();
  expect(removed).toEqual([]);
  expect(await kept()).toEqual(['1', '4', '5']);
  removals.clear();
  await logs.sweep();
  expect(await kept()).toEqual(['1']);
});

it('An erasure is not complete until the last message that names the member is deleted', async () => {
  const { logs, note, kept, removals } = await setUp();
  await note(1, { about: '600000000000000001' });
  await note(2, { about: '600000000000000002' });
  await note(3, { about: '600000000000000001' });
  removals.set('3', 'later');
  expect(await logs.erase('600000000000000001')).toBe(false);
  expect(await kept()).toEqual(['2', '3']);
  removals.clear();
  expect(await logs.erase('600000000000000001')).toBe(true);
  expect(await kept()).toEqual(['2']);
});
