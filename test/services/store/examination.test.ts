import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { openLog } from '../../../src/lib/log.ts';
import { type Examination, examine, type FindingKind } from '../../../src/services/store/index.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { leave, onStores, type Site, type SiteRow } from './sites.ts';
import { DAY_MS, folder, MINUTE_MS, makeTask, START, settled, sql } from './stage.ts';

const runDoctor = ({ url, scheme, clock, log }: Site, repair: boolean): Promise<Examination> =>
  examine({ url, scheme }, { specs: kindSpecs, clock, log, repair });

const found = ({ findings }: Examination): Partial<Record<FindingKind, number>> =>
  Object.fromEntries(findings.map(({ kind, count }) => [kind, count]));

/** A doctor cannot open a store that is in the memory of another process. */
const everywhere = ['sqlite', 'redis', 'postgres'] as const;

const fileOf = ({ url }: Site): string => url.replace('sqlite://', '');

/** The URL as it is shown, without a password. */
const nameOf = (site: Site): string => (site.kind === 'sqlite' ? fileOf(site) : site.url.replace(/\/\/.*@/, '//'));

async function filled(site: Site, count = 130): Promise<Task[]> {
  const tasks = Array.from({ length: count }, (_, index) => {
    const task = makeTask({ requesterId: `m${index % 2}`, times: { created: START + index } });
    return index % 10 === 0 ? task : settled(task);
  });
  await leave(site, async (store) => {
    for (const task of tasks) await store.put(task);
    await store.addDuration('imagine', { atLeastMs: 1, atMostMs: 2, at: START });
  });
  return tasks;
}

/** Moves some rows from one namespace into another. */
async function move(site: Site, from: string, to: string, max: number): Promise<void> {
  for (const row of (await site.rows(from)).slice(0, max)) {
    await site.write({ ...row, namespace: to, expires: undefined });
    await site.drop(({ namespace, key }) => namespace === from && key === row.key);
  }
}

const isOf =
  (member: string) =>
  ({ key }: SiteRow): boolean =>
    key.startsWith(`member:${member}:`);

const recognised = settled(
  makeTask({ times: { created: START + 500 }, fingerprints: [{ hash: 'c'.repeat(64), likeness: 'd'.repeat(16) }] }),
);

async function putRecognised(site: Site): Promise<void> {
  const store = await site.open();
  await store.put(recognised);
  await store.close();
}

/** One way to damage a store, and the expected finding. */
const damages: [
  name: string,
  damage: (site: Site, tasks: Task[]) => Promise<void>,
  kinds: Partial<Record<FindingKind, number>>,
][] = [
  [
    'a task in both places',
    async (site) => {
      const [row] = await site.rows('finished');
      if (row) await site.write({ ...row, namespace: 'live', text: row.text.replaceAll('delivered', 'running') });
    },
    { 'in-both-places': 1 },
  ],
  ['finished tasks among the live ones', (site) => move(site, 'finished', 'live', 4), { misplaced: 4 }],
  ['a live task among the finished ones', (site) => move(site, 'live', 'finished', 1), { misplaced: 1 }],
  [
    'rubbish in every namespace',
    async (site) => {
      const ofServers = ['budgets', 'rules', 'reports', 'server-logs'];
      for (const namespace of [
        'live',
        'finished',
        'durations',
        'costs',
        ...ofServers,
        'proposals',
        'pseudonyms',
        'fingerprints',
        'notices',
        'runs',
      ])
        await site.write({ namespace, key: 'rubbish', text: 'rubbish' });
      await site.rewrite((row) => (row.namespace === 'index' && isOf('m0')(row) ? 'rubbish' : undefined));
    },
    { unreadable: 14, 'line-missing': 65 },
  ],
  ['no lists at all', (site) => site.drop(({ namespace }) => namespace === 'index'), { 'line-missing': 260 }],
  [
    'a lost head of a list',
    (site) => site.drop(({ key }) => key === 'server:den'),
    { 'line-missing': 130, 'row-astray': 2 },
  ],
  [
    'tasks that are gone',
    (site, tasks) => site.drop(({ key }) => tasks.slice(0, 3).some(({ id }) => id === key)),
    { 'line-dangling': 6 },
  ],
  [
    'lines older than their tasks',
    (site) =>
      site.rewrite((row) =>
        isOf('m1')(row) ? row.text.replaceAll('"state":"delivered"', '"state":"failed"') : undefined,
      ),
    { 'line-outdated': 65 },
  ],
  [
    'a list of another member',
    async (site) => {
      for (const row of await site.rows('index'))
        if (row.key.startsWith('member:m0')) await site.write({ ...row, key: row.key.replace('m0', 'm9') });
    },
    { 'line-dangling': 65 },
  ],
  [
    'sent bodies of orders that are no longer needed',
    async (site, tasks) => {
      for (const key of [...tasks.slice(0, 20).map(({ id }) => id), 'nobody'])
        await site.write({ namespace: 'sent', key, text: '{"value":{"idempotencyKey":"once","body":"{}"}}' });
    },
    { 'order-astray': 21 },
  ],
  [
    'fingerprints of no task, and of other files',
    async (site, tasks) => {
      const files = (hash: string) => JSON.stringify({ value: { files: [hash.repeat(16)] } });
      for (const key of [...tasks.slice(0, 2).map(({ id }) => id), 'nobody'])
        await site.write({ namespace: 'fingerprints', key, text: files('a') });
      await putRecognised(site);
      await site.write({ namespace: 'fingerprints', key: recognised.id, text: files('b') });
    },
    { 'fingerprint-astray': 4 },
  ],
  [
    'no fingerprints of a task',
    async (site) => {
      await putRecognised(site);
      await site.drop(({ namespace }) => namespace === 'fingerprints');
    },
    { 'fingerprint-missing': 1 },
  ],
  [
    'no mark of who wrote it',
    (site) => site.drop(({ namespace, key }) => namespace === 'meta' && key === 'schema'),
    { unmarked: 1 },
  ],
];

/** Damage in a file, or in a database that leaves expiry to its client. */
const inDatabases: typeof damages = [
  [
    'rows whose time the adapter takes for over',
    async (site) => {
      for (const row of (await site.rows('finished')).slice(0, 2)) await site.write({ ...row, expires: 1 });
    },
    { past: 2, 'line-dangling': 4 },
  ],
];

const inFiles: typeof damages = [
  ['a file that others may read', async (site) => chmodSync(fileOf(site), 0o644), { 'readable-by-others': 1 }],
];

async function isMended(
  site: Site,
  damage: (site: Site, tasks: Task[]) => Promise<void>,
  kinds: Partial<Record<FindingKind, number>>,
): Promise<void> {
  await damage(site, await filled(site));
  const before = await site.rows();
  expect(found(await runDoctor(site, false))).toEqual(kinds);
  expect(await site.rows()).toEqual(before);
  expect(found(await runDoctor(site, true))).toEqual(kinds);
  expect(found(await runDoctor(site, true))).toEqual({});

  const store = await site.open();
  expect(await site.keys('fingerprints')).toEqual((await store.get(recognised.id)) ? [recognised.id] : []);
  const live = await store.live();
  expect(await site.keys('live')).toEqual(live.map(({ id }) => id).sort());
  const ids = [...(await site.keys('live')), ...(await site.keys('finished'))].sort().reverse();
  const { summaries } = await store.page({ of: { guildId: 'den' }, max: 1_000 });
  expect(summaries.map(({ id }) => id)).toEqual(ids);
}

describe('The doctor', () => {
  onStores(everywhere, (stage) => {
    it('The doctor finds nothing in a healthy store', async () => {
      const site = await stage();
      await filled(site);
      expect(await runDoctor(site, false)).toEqual({
        ...{ file: nameOf(site), holds: { tasks: 130, setAside: 0 }, findings: [] },
      });
      expect((await runDoctor(site, true)).findings).toEqual([]);
    });

    it.each(damages)('The doctor finds and repairs %s', async (_name, damage, kinds) =>
      isMended(await stage(), damage, kinds),
    );

    it('The doctor drops expired tasks with their list rows, and tokens that are no longer needed', async () => {
      const site = await stage();
      await filled(site, 30);
      site.clock.advance(15 * MINUTE_MS);
      expect(found(await runDoctor(site, true))).toEqual({ 'expired-token': 3 });
      site.clock.advance(400 * DAY_MS);
      expect(found(await runDoctor(site, true))).toEqual({ past: 27, 'line-dangling': 54 });
      expect(await runDoctor(site, true)).toMatchObject({ holds: { tasks: 3 }, findings: [] });
      expect(await site.keys('finished')).toEqual([]);
    });

    it('The doctor creates no store where there is none', async () => {
      const site = await stage();
      expect(await runDoctor(site, true)).toEqual({ file: nameOf(site), holds: undefined, findings: [] });
    });
  });

  onStores(['sqlite', 'postgres'], (stage) => {
    it.each(inDatabases)('The doctor finds and repairs %s', async (_name, damage, kinds) =>
      isMended(await stage(), damage, kinds),
    );
  });

  onStores(['sqlite'], (stage) => {
    it.each(inFiles)('The doctor finds and repairs %s', async (_name, damage, kinds) => {
      const site = await stage();
      await isMended(site, damage, kinds);
      expect(statSync(fileOf(site)).mode & 0o077).toBe(0);
    });

    it('The doctor only reports damage to the file itself', async () => {
      const site = await stage();
      await filled(site);
      const file = fileOf(site);
      const [root] = sql(file, "SELECT rootpage FROM sqlite_master WHERE name = 'atelier_expires_idx'");
      const [page] = sql(file, 'PRAGMA page_size');
      const size = Number(page?.page_size);
      const start = (Number(root?.rootpage) - 1) * size;
      writeFileSync(file, readFileSync(file).fill(0, start, start + size));
      const before = readFileSync(file);
      expect(found(await runDoctor(site, true))).toEqual({ damaged: 1 });
      expect(readFileSync(file).equals(before)).toBe(true);
    });
  });

  it('The doctor creates no folder for a missing file', async () => {
    const file = join(folder(), 'nothing', 'atelier.sqlite');
    const log = openLog({ level: 'silent', secrets: [], readable: true, write: () => undefined });
    const parts = { specs: kindSpecs, clock: new ManualClock(START), log, repair: true };
    const nothing = await examine({ url: `sqlite://${file}`, scheme: 'sqlite' }, parts);
    expect(nothing).toEqual({ file, holds: undefined, findings: [] });
    expect(existsSync(join(file, '..'))).toBe(false);
  });
});
