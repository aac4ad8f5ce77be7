import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { createLogger } from '../../../src/lib/log.ts';
import type { FindingKind } from '../../../src/services/store/examination/checks.ts';
import { type Examination, examine } from '../../../src/services/store/examination/examination.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { itVariants } from '../../support/variants.ts';
import { LONG_LEASE_MS, onStores, type RawRow, rowsAfter, type TestStore } from './sites.ts';
import { createTemporaryFolder, DAY_MS, MINUTE_MS, makeTask, START, settled, sql } from './store-fixture.ts';

const runDoctor = ({ url, scheme, clock, log }: TestStore, repair: boolean): Promise<Examination> =>
  examine({ url, scheme }, { specs: kindSpecs, clock, log, leaseMs: LONG_LEASE_MS, repair });

const countByKind = ({ findings }: Examination): Partial<Record<FindingKind, number>> =>
  Object.fromEntries(findings.map(({ kind, count }) => [kind, count]));

/** All kinds except `memory`: a doctor cannot open a store in the memory of another process. */
const sharedKinds = ['sqlite', 'redis', 'postgres'] as const;

const fileOf = ({ url }: TestStore): string => url.replace('sqlite://', '');

/** The name under which an examination shows the store: its path, or its URL without the password. */
const nameOf = (testStore: TestStore): string =>
  testStore.kind === 'sqlite' ? fileOf(testStore) : testStore.url.replace(/\/\/.*@/, '//');

const storedTasks = Array.from({ length: 130 }, (_, index) => {
  const task = makeTask({ requesterId: `m${index % 2}`, times: { created: START + index } });
  return index % 10 === 0 ? task : settled(task);
});
/** The rows of a store with these tasks, which are made once. */
let storedRows: RawRow[] | undefined;

async function fillStore(testStore: TestStore): Promise<Task[]> {
  await (await testStore.open()).close();
  storedRows ??= await rowsAfter(async (store) => {
    for (const task of storedTasks) await store.put(task);
    await store.addDuration('imagine', { atLeastMs: 1, atMostMs: 2, at: START });
  });
  await testStore.write(...storedRows);
  return storedTasks;
}

/** Moves some rows from one namespace into another. */
async function move(testStore: TestStore, from: string, to: string, max: number): Promise<void> {
  for (const row of (await testStore.rows(from)).slice(0, max)) {
    await testStore.write({ ...row, namespace: to, expires: undefined });
    await testStore.drop(({ namespace, key }) => namespace === from && key === row.key);
  }
}

const isListRowOf =
  (member: string) =>
  ({ key }: RawRow): boolean =>
    key.startsWith(`member:${member}:`);

const fingerprintedTask = settled(
  makeTask({ times: { created: START + 500 }, fingerprints: [{ hash: 'c'.repeat(64), likeness: 'd'.repeat(16) }] }),
);

async function putFingerprintedTask(testStore: TestStore): Promise<void> {
  const store = await testStore.open();
  await store.put(fingerprintedTask);
  await store.close();
}

/** Ways to damage a store, each with the expected findings. */
const damageCases: [
  name: string,
  damage: (testStore: TestStore, tasks: Task[]) => Promise<void>,
  kinds: Partial<Record<FindingKind, number>>,
][] = [
  [
    'a task in both places',
    async (testStore) => {
      const [row] = await testStore.rows('finished');
      if (row) await testStore.write({ ...row, namespace: 'live', text: row.text.replaceAll('delivered', 'running') });
    },
    { 'in-both-places': 1 },
  ],
  [
    'rubbish in every namespace',
    async (testStore) => {
      const serverNamespaces = ['budgets', 'rules', 'reports', 'server-logs', 'setups'];
      for (const namespace of [
        'live',
        'finished',
        'durations',
        'costs',
        ...serverNamespaces,
        'proposals',
        'drafts',
        'pseudonyms',
        'fingerprints',
        'notices',
        'runs',
      ])
        await testStore.write({ namespace, key: 'rubbish', text: 'rubbish' });
      await testStore.rewrite((row) => (row.namespace === 'index' && isListRowOf('m0')(row) ? 'rubbish' : undefined));
    },
    { unreadable: 80, 'summary-missing': 65 },
  ],
  [
    'a lost list',
    (testStore) => testStore.drop(({ key }) => key.startsWith('server:den:')),
    { 'summary-missing': 130 },
  ],
  [
    'sent bodies of orders that are no longer needed',
    async (testStore, tasks) => {
      for (const key of [...tasks.slice(0, 20).map(({ id }) => id), 'nobody'])
        await testStore.write({ namespace: 'sent', key, text: '{"value":{"idempotencyKey":"once","body":"{}"}}' });
    },
    { 'orphaned-order': 21 },
  ],
  [
    'fingerprints without a task, and of the wrong files',
    async (testStore, tasks) => {
      const files = (hash: string) => JSON.stringify({ value: { files: [hash.repeat(16)] } });
      for (const key of [...tasks.slice(0, 2).map(({ id }) => id), 'nobody'])
        await testStore.write({ namespace: 'fingerprints', key, text: files('a') });
      await putFingerprintedTask(testStore);
      await testStore.write({ namespace: 'fingerprints', key: fingerprintedTask.id, text: files('b') });
    },
    { 'orphaned-fingerprint': 4 },
  ],
  [
    'a missing version mark',
    (testStore) => testStore.drop(({ namespace, key }) => namespace === 'meta' && key === 'schema'),
    { unmarked: 1 },
  ],
];

/** Damage in a file, or in a database that leaves expiry to its client. */
const databaseDamageCases: typeof damageCases = [
  [
    'rows that the adapter considers expired',
    async (testStore) => {
      for (const row of (await testStore.rows('finished')).slice(0, 2)) await testStore.write({ ...row, expires: 1 });
    },
    { 'summary-dangling': 4 },
  ],
];

/** Damage to a file, and damage that the doctor repairs through the same reads and writes on every kind of store. */
const fileDamageCases: typeof damageCases = [
  ['finished tasks among the live ones', (testStore) => move(testStore, 'finished', 'live', 4), { misplaced: 4 }],
  ['a live task among the finished ones', (testStore) => move(testStore, 'live', 'finished', 1), { misplaced: 1 }],
  [
    'missing lists',
    (testStore) => testStore.drop(({ namespace }) => namespace === 'index'),
    { 'summary-missing': 260 },
  ],
  [
    'list entries of missing tasks',
    (testStore, tasks) => testStore.drop(({ key }) => tasks.slice(0, 3).some(({ id }) => id === key)),
    { 'summary-dangling': 6 },
  ],
  [
    'list entries older than their tasks',
    (testStore) =>
      testStore.rewrite((row) =>
        isListRowOf('m1')(row) ? row.text.replaceAll('"state":"delivered"', '"state":"failed"') : undefined,
      ),
    { 'summary-outdated': 65 },
  ],
  [
    'a list of another member',
    async (testStore) => {
      for (const row of await testStore.rows('index'))
        if (row.key.startsWith('member:m0')) await testStore.write({ ...row, key: row.key.replace('m0', 'm9') });
    },
    { 'summary-dangling': 65 },
  ],
  [
    'missing fingerprints of a task',
    async (testStore) => {
      await putFingerprintedTask(testStore);
      await testStore.drop(({ namespace }) => namespace === 'fingerprints');
    },
    { 'fingerprint-missing': 1 },
  ],
  [
    'a file that others may read',
    async (testStore) => chmodSync(fileOf(testStore), 0o644),
    { 'readable-by-others': 1 },
  ],
];

async function expectRepair(
  testStore: TestStore,
  damage: (site: TestStore, tasks: Task[]) => Promise<void>,
  kinds: Partial<Record<FindingKind, number>>,
): Promise<void> {
  await damage(testStore, await fillStore(testStore));
  const rowsBefore = await testStore.rows();
  expect(countByKind(await runDoctor(testStore, false))).toEqual(kinds);
  expect(await testStore.rows()).toEqual(rowsBefore);
  expect(countByKind(await runDoctor(testStore, true))).toEqual(kinds);
  expect(countByKind(await runDoctor(testStore, true))).toEqual({});

  const store = await testStore.open();
  expect(await testStore.keys('fingerprints')).toEqual(
    (await store.get(fingerprintedTask.id)) ? [fingerprintedTask.id] : [],
  );
  const live = await store.live();
  expect(await testStore.keys('live')).toEqual(live.map(({ id }) => id).sort());
  const ids = [...(await testStore.keys('live')), ...(await testStore.keys('finished'))].sort().reverse();
  const { summaries } = await store.page({ of: { guildId: 'den' }, max: 1_000 });
  expect(summaries.map(({ id }) => id)).toEqual(ids);
}

describe('The doctor', () => {
  onStores(sharedKinds, (createTestStore) => {
    it('The doctor finds nothing in a healthy store', async () => {
      const testStore = await createTestStore();
      await fillStore(testStore);
      expect(await runDoctor(testStore, false)).toMatchObject({
        file: nameOf(testStore),
        contents: { tasks: 130, setAside: [] },
        findings: [],
      });
      expect((await runDoctor(testStore, true)).findings).toEqual([]);
    });

    itVariants(damageCases)('The doctor finds and repairs %s', async (_name, damage, kinds) =>
      expectRepair(await createTestStore(), damage, kinds),
    );

    it('The doctor drops expired tasks with their list rows, and tokens that are no longer needed, without a finding', async () => {
      const testStore = await createTestStore();
      await fillStore(testStore);
      testStore.clock.advance(15 * MINUTE_MS);
      expect(countByKind(await runDoctor(testStore, true))).toEqual({});
      testStore.clock.advance(400 * DAY_MS);
      expect((await runDoctor(testStore, false)).findings).toEqual([]);
      expect((await runDoctor(testStore, true)).findings).toEqual([]);
      expect(await runDoctor(testStore, true)).toMatchObject({ contents: { tasks: 13 }, findings: [] });
      expect(await testStore.keys('finished')).toEqual([]);
    });

    it('The doctor creates no store where there is none', async () => {
      const testStore = await createTestStore();
      const nothing = { file: nameOf(testStore), contents: undefined, findings: [], warnings: [] };
      expect(await runDoctor(testStore, true)).toEqual(nothing);
    });
  });

  onStores(['sqlite', 'postgres'], (createTestStore) => {
    it.each(databaseDamageCases)('The doctor finds and repairs %s', async (_name, damage, kinds) =>
      expectRepair(await createTestStore(), damage, kinds),
    );
  });

  onStores(['sqlite'], (createTestStore) => {
    it.each(fileDamageCases)('The doctor finds and repairs %s', async (_name, damage, kinds) => {
      const testStore = await createTestStore();
      await expectRepair(testStore, damage, kinds);
      expect(statSync(fileOf(testStore)).mode & 0o077).toBe(0);
    });

    it('The doctor only reports damage to the file itself', async () => {
      const testStore = await createTestStore();
      await fillStore(testStore);
      const file = fileOf(testStore);
      const [root] = sql(file, "SELECT rootpage FROM sqlite_master WHERE name = 'atelier_expires_idx'");
      const [page] = sql(file, 'PRAGMA page_size');
      const size = Number(page?.page_size);
      const start = (Number(root?.rootpage) - 1) * size;
      writeFileSync(file, readFileSync(file).fill(0, start, start + size));
      const bytesBefore = readFileSync(file);
      expect(countByKind(await runDoctor(testStore, true))).toEqual({ damaged: 1 });
      expect(readFileSync(file).equals(bytesBefore)).toBe(true);
    });
  });

  it('The doctor creates no folder for a missing file', async () => {
    const file = join(createTemporaryFolder(), 'nothing', 'atelier.sqlite');
    const log = createLogger({ level: 'silent', secrets: [], isPretty: true, write: () => undefined });
    const parts = { specs: kindSpecs, clock: new ManualClock(START), log, repair: true };
    const examination = await examine({ url: `sqlite://${file}`, scheme: 'sqlite' }, parts);
    expect(examination).toEqual({ file, contents: undefined, findings: [], warnings: [] });
    expect(existsSync(join(file, '..'))).toBe(false);
  });
});
