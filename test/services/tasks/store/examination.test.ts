import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Examination, examine, type FindingKind } from '../../../../src/services/tasks/store/index.ts';
import type { Task } from '../../../../src/services/tasks/task.ts';
import { DAY_MS, folder, keysIn, MINUTE_MS, makeTask, START, type Stage, settled, sql, stage } from './stage.ts';

const look = ({ file, clock, log }: Stage, repair: boolean): Promise<Examination> =>
  examine({ url: `sqlite://${file}`, scheme: 'sqlite' }, { clock, log, repair });

const found = ({ findings }: Examination): Partial<Record<FindingKind, number>> =>
  Object.fromEntries(findings.map(({ kind, count }) => [kind, count]));

const everything = (file: string): unknown =>
  sql(file, 'SELECT key, namespace, value, expires FROM atelier ORDER BY namespace, key');

async function filled(count = 130): Promise<Stage & { tasks: Task[] }> {
  const made = stage();
  const store = await made.open();
  const tasks = Array.from({ length: count }, (_, index) => {
    const task = makeTask({ requesterId: `m${index % 2}`, times: { created: START + index } });
    return index % 10 === 0 ? task : settled(task);
  });
  for (const task of tasks) await store.put(task);
  await store.addDuration('imagine', { atLeastMs: 1, atMostMs: 2, at: START });
  await store.close();
  return { ...made, tasks };
}

/** One way to spoil a store, and what is to be found then. */
const damages: [
  name: string,
  damage: (file: string, tasks: Task[]) => void,
  kinds: Partial<Record<FindingKind, number>>,
][] = [
  [
    'a task in both places',
    (file) => {
      sql(
        file,
        "INSERT INTO atelier SELECT key, replace(value, 'delivered', 'running'), 'live', NULL FROM atelier WHERE namespace = 'finished' LIMIT 1",
      );
    },
    { 'in-both-places': 1 },
  ],
  [
    'finished tasks among the live ones',
    (file) => {
      sql(
        file,
        "UPDATE atelier SET namespace = 'live' WHERE key IN (SELECT key FROM atelier WHERE namespace = 'finished' LIMIT 4)",
      );
    },
    { misplaced: 4 },
  ],
  [
    'a live task among the finished ones',
    (file) => {
      sql(
        file,
        "UPDATE atelier SET namespace = 'finished' WHERE key IN (SELECT key FROM atelier WHERE namespace = 'live' LIMIT 1)",
      );
    },
    { misplaced: 1 },
  ],
  [
    'rubbish in every namespace',
    (file) => {
      for (const namespace of ['live', 'finished', 'durations'])
        sql(file, "INSERT INTO atelier (key, value, namespace) VALUES ('rubbish', 'rubbish', ?)", namespace);
      sql(file, "UPDATE atelier SET value = 'rubbish' WHERE namespace = 'index' AND key LIKE 'member:m0:%'");
    },
    { unreadable: 4, 'line-missing': 65 },
  ],
  ['no lists at all', (file) => sql(file, "DELETE FROM atelier WHERE namespace = 'index'"), { 'line-missing': 260 }],
  [
    'a lost head of a list',
    (file) => sql(file, "DELETE FROM atelier WHERE key = 'server:den'"),
    { 'line-missing': 130, 'row-astray': 2 },
  ],
  [
    'tasks that are gone',
    (file, tasks) => {
      for (const { id } of tasks.slice(0, 3)) sql(file, 'DELETE FROM atelier WHERE key = ?', id);
    },
    { 'line-dangling': 6 },
  ],
  [
    'lines older than their tasks',
    (file) => {
      sql(
        file,
        `UPDATE atelier SET value = replace(value, '"state":"delivered"', '"state":"failed"') WHERE key LIKE 'member:m1:%'`,
      );
    },
    { 'line-outdated': 65 },
  ],
  [
    'a list of somebody else',
    (file) => {
      sql(
        file,
        "INSERT INTO atelier SELECT replace(key, 'member:m0', 'member:m9'), value, namespace, NULL FROM atelier WHERE key LIKE 'member:m0%'",
      );
    },
    { 'line-dangling': 65 },
  ],
  ['no mark of who wrote it', (file) => sql(file, "DELETE FROM atelier WHERE namespace = 'meta'"), { unmarked: 1 }],
  [
    'rows whose time the adapter takes for over',
    (file) => {
      sql(
        file,
        "UPDATE atelier SET expires = 1 WHERE key IN (SELECT key FROM atelier WHERE namespace = 'finished' LIMIT 2)",
      );
    },
    { past: 2, 'line-dangling': 4 },
  ],
  ['a file that others may read', (file) => chmodSync(file, 0o644), { 'readable-by-others': 1 }],
];

describe('examining a store', () => {
  it('finds nothing in a store that is well', async () => {
    const made = await filled();
    expect(await look(made, false)).toEqual({ file: made.file, holds: { tasks: 130, setAside: 0 }, findings: [] });
    expect((await look(made, true)).findings).toEqual([]);
  });

  it.each(damages)('finds and repairs %s', async (_name, damage, kinds) => {
    const made = await filled();
    damage(made.file, made.tasks);
    const before = everything(made.file);
    expect(found(await look(made, false))).toEqual(kinds);
    expect(everything(made.file)).toEqual(before);
    expect(found(await look(made, true))).toEqual(kinds);
    expect(found(await look(made, true))).toEqual({});

    const store = await made.open();
    const live = await store.live();
    expect(keysIn(made.file, 'live')).toEqual(live.map(({ id }) => id).sort());
    const ids = [...keysIn(made.file, 'live'), ...keysIn(made.file, 'finished')].sort().reverse();
    const { lines } = await store.page({ of: { guildId: 'den' }, most: 1_000 });
    expect(lines.map(({ id }) => id)).toEqual(ids);
    expect(statSync(made.file).mode & 0o077).toBe(0);
  });

  it('drops what is past its time, with its lines, and tokens that are of no more use', async () => {
    const made = await filled(30);
    made.clock.advance(15 * MINUTE_MS);
    expect(found(await look(made, true))).toEqual({ 'expired-token': 3 });
    made.clock.advance(400 * DAY_MS);
    expect(found(await look(made, true))).toEqual({ past: 27, 'line-dangling': 54 });
    expect(await look(made, true)).toMatchObject({ holds: { tasks: 3 }, findings: [] });
    expect(keysIn(made.file, 'finished')).toEqual([]);
  });

  it('only tells where the file itself is damaged', async () => {
    const made = await filled();
    const [root] = sql(made.file, "SELECT rootpage FROM sqlite_master WHERE name = 'atelier_expires_idx'");
    const [page] = sql(made.file, 'PRAGMA page_size');
    const size = Number(page?.page_size);
    const start = (Number(root?.rootpage) - 1) * size;
    writeFileSync(made.file, readFileSync(made.file).fill(0, start, start + size));
    const before = readFileSync(made.file);
    expect(found(await look(made, true))).toEqual({ damaged: 1 });
    expect(readFileSync(made.file).equals(before)).toBe(true);
  });

  it('makes no store where there is none', async () => {
    const made = stage(join(folder(), 'nothing', 'atelier.sqlite'));
    expect(await look(made, true)).toEqual({ file: made.file, holds: undefined, findings: [] });
    expect(existsSync(join(made.file, '..'))).toBe(false);
  });
});
