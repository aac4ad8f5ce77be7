import { beforeEach, describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { examine, openStore } from '../../../src/services/store/index.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import { toRecord } from '../../../src/services/store/task-rows.ts';
import { TASK_VERSION, type Task } from '../../../src/services/tasks/task.ts';
import { oldRows, plantedKeys, storeInfo, writeOldStore } from '../../support/old-store.ts';
import { createStoreFixture, type StoreFixture, sql } from './store-fixture.ts';

/** The rows of the old version in a namespace, by their keys. */
const oldRowsIn = <Value>(namespace: string): [key: string, value: Value][] =>
  oldRows.filter((row) => row.namespace === namespace).map(({ key, value }) => [key, JSON.parse(value).value]);

/** Every kind that the old version had. */
const kinds = [
  ...['action', 'album', 'animate', 'ask', 'blend', 'change', 'describe', 'image', 'image-to-video', 'imagine'],
  ...['music', 'said', 'second-video', 'shorten', 'song', 'talk', 'video'],
];

const isPlanted = (key: string): boolean => key === plantedKeys.neverRead;
const storedTasks = ['live', 'finished']
  .flatMap((namespace) => oldRowsIn<Task>(namespace))
  .filter(([key]) => !isPlanted(key));
const ids = (tasks: readonly { id: string }[]): string[] => tasks.map(({ id }) => id).sort();
/** Removes the prefix that an external value gets as the key of a row. */
const withoutPrefix = (key: string): string => key.replace(/^of /, '');

/** The request in its current form, in which the images of an imagine task are references. */
function currentRequest({ kind, request: { pictures: images, ...request } }: Task): object {
  if (kind !== 'imagine' || !images) return { ...request, ...(images && { pictures: images }) };
  return { ...request, references: images.map((one) => ({ ...one, medium: 'image', takes: 'address' })) };
}

/** The version mark of the store, which the current version replaces with its own. */
const SCHEMA = /"store":1,"task":\d,"by":"[\d.]+"/;
const rowsIn = (file: string) =>
  sql(file, 'SELECT * FROM atelier ORDER BY namespace, key').map((row) => {
    if (row.key !== 'schema') return row;
    const [mark = ''] = SCHEMA.exec(String(oldRows.find(({ key }) => key === 'schema')?.value)) ?? [];
    expect(row.value).toContain(`"task":${TASK_VERSION}`);
    return { ...row, value: String(row.value).replace(SCHEMA, mark) };
  });

let fixture: StoreFixture;
let store: StoredTasks;

async function open(): Promise<StoredTasks> {
  const { clock, log, file } = fixture;
  return openStore(
    { url: `sqlite://${file}`, scheme: 'sqlite' },
    { specs: kindSpecs, log, clock, botVersion: '1.2.3' },
  );
}

beforeEach(async () => {
  fixture = createStoreFixture();
  fixture.clock.advance(storeInfo.at - fixture.clock.now());
  writeOldStore(fixture.file);
  store = await open();
  return () => store.close();
});

describe('An old store', () => {
  it('An old store contains every kind of task, both live and finished', () => {
    const kindsIn = (namespace: string): string[] =>
      [...new Set(oldRowsIn<Task>(namespace).flatMap(([key, { kind }]) => (isPlanted(key) ? [] : [kind])))].sort();
    expect(kindsIn('live')).toEqual(kinds);
    expect(kindsIn('finished')).toEqual(kinds);
  });

  it.each(storedTasks)('Task %s of an old store is read unchanged in the current version', async (id, task) => {
    const readTask = await store.get(id);
    expect(readTask && toRecord(readTask)).toEqual({ ...task, version: TASK_VERSION, request: currentRequest(task) });
  });

  it('All unfinished work of an old store is found', async () => {
    const live = oldRowsIn<Task>('live');
    expect(ids(await store.live())).toEqual(live.map(([id]) => id).sort());
    expect(fixture.logged.filter((line) => !line.includes('a backup was taken first'))).toEqual([]);
  });

  it('The tasks of an old store are all in the lists of their members and its server', async () => {
    const tasks = storedTasks.map(([, task]) => task);
    for (const memberId of new Set(tasks.map(({ requesterId }) => requesterId))) {
      const { summaries } = await store.page({ of: { memberId }, max: 100 });
      expect(ids(summaries)).toEqual(ids(tasks.filter(({ requesterId }) => requesterId === memberId)));
    }
    for (const guildId of new Set(tasks.flatMap((task) => task.guildId ?? []))) {
      const { summaries } = await store.page({ of: { guildId }, max: 100 });
      expect(ids(summaries)).toEqual(ids(tasks.filter((task) => task.guildId === guildId)));
    }
  });

  it('The ledger, durations and other rows of an old store are read unchanged', async () => {
    for (const [key, entry] of oldRowsIn<object>('ledger')) expect(await store.entries.find(key)).toEqual(entry);
    expect(await store.entries.openSince()).toBe('2026-01-01');
    for (const [key, { durations }] of oldRowsIn<{ durations: object[] }>('durations'))
      expect(await store.durations(withoutPrefix(key))).toEqual(durations);
    for (const [key, { id }] of oldRowsIn<{ id: string }>('remotes'))
      expect((await store.findByRemoteId(withoutPrefix(key)))?.id).toBe(id);
    for (const [key, sent] of oldRowsIn<object>('sent')) expect(await store.getSentOrder(key)).toEqual(sent);
    for (const [key, follow] of oldRowsIn<object>('follows')) expect(await store.follows.get(key)).toEqual(follow);
    expect(await store.unfinishedErasures()).toEqual(oldRowsIn('forgetting').map(([, mark]) => mark));
    expect(await store.lastPolledAt()).toBe(oldRowsIn<{ at: number }>('asking')[0]?.[1].at);
    expect(rowsIn(fixture.file)).toEqual(oldRows);
  });

  it('An old store is not changed by opening, reading and closing it', async () => {
    await store.live();
    await store.close();
    expect(rowsIn(fixture.file)).toEqual(oldRows);
  });

  it('The doctor finds and repairs only the planted damage of an old store', async () => {
    await store.close();
    const { clock, log, file } = fixture;
    const location = { url: `sqlite://${file}`, scheme: 'sqlite' } as const;
    const runDoctor = (repair: boolean) => examine(location, { specs: kindSpecs, clock, log, repair });
    expect((await runDoctor(false)).findings).toEqual([{ kind: 'unreadable', count: 1 }]);
    expect(rowsIn(file)).toEqual(oldRows);
    await runDoctor(true);
    expect((await runDoctor(false)).findings).toEqual([]);
    const undamagedRows = (rows: readonly Record<string, unknown>[]) =>
      rows.filter(({ key, namespace }) => !isPlanted(String(key)) && namespace !== 'quarantine');
    expect(undamagedRows(rowsIn(file))).toEqual(undamagedRows(oldRows.map((row) => ({ ...row }))));
  });
});
