import { expect, it } from 'vitest';
import { createServerSetup, type ServerSetup } from '../../../src/services/safety/server-setup.ts';
import { bucketOf, partitionOf } from '../../../src/services/tasks/homes.ts';

const GUILD = '123456789012345678';
const count = 4;
const home = partitionOf(bucketOf(GUILD), count);

/** Rows in memory, which several owners of a partition use one after the other. */
function memoryRows() {
  const rows = new Map<string, Parameters<ServerSetup['mark']>[1]>();
  const state = { reads: 0, isAway: false };
  const store = {
    async startingWith(prefix: string) {
      state.reads += 1;
      if (state.isAway) throw new Error('away');
      const found = [...rows].filter(([key]) => key.startsWith(prefix));
      return found.map(([, mark]) => ({ guildId: prefix.slice(0, -1), mark }));
    },
    async put({ guildId, mark }: { guildId: string; mark: Parameters<ServerSetup['mark']>[1] }) {
      rows.set(`${guildId}:${mark}`, mark);
    },
  };
  return { state, open: (number = home) => createServerSetup(store, { number, count }) };
}

it('The hint of a server is taken once, by the partition of the server, with one read of the store, and not by a later owner', async () => {
  const { state, open } = memoryRows();
  expect(await open((home + 1) % count).takeHint(GUILD)).toBe(false);
  const setup = open();
  expect(await Promise.all([1, 2, 3].map(() => setup.takeHint(GUILD)))).toEqual([true, false, false]);
  expect(state.reads).toBe(1);
  await setup.mark(GUILD, 'known');
  expect(await setup.takeHint(GUILD)).toBe(false);
  expect(await open().takeHint(GUILD)).toBe(false);
  expect(await open().takeHint('123456789012345679')).toBe(partitionOf(bucketOf('123456789012345679'), count) === home);
});

it('A hint that was given back, or whose marks could not be read, can be taken again', async () => {
  const { state, open } = memoryRows();
  const setup = open();
  state.isAway = true;
  await expect(setup.takeHint(GUILD)).rejects.toThrow('away');
  state.isAway = false;
  expect(await setup.takeHint(GUILD)).toBe(true);
  setup.giveHintBack(GUILD);
  expect(await setup.takeHint(GUILD)).toBe(true);
});

it('A server whose admins have used /setup needs no hint', async () => {
  const setup = memoryRows().open();
  await setup.mark(GUILD, 'privacy');
  expect(await setup.takeHint(GUILD)).toBe(false);
  expect([...(await setup.marks(GUILD))]).toEqual(['privacy']);
});
