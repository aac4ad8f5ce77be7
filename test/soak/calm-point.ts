import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { processesOf, proportionalBytes } from '../../bench/harness/processes.ts';
import { TABLE } from '../../src/services/store/rows/sqlite.ts';
import type { SoakBot } from './bot.ts';

/** What the bot holds while it has nothing to do. */
export interface CalmPoint {
  /** The number of the bot's process: only memory of the same process can be compared. */
  process: number;
  /** Requests that the bot has accepted so far. */
  jobs: number;
  /** Of objects and what they hold, after a collection. */
  memoryBytes: number;
  /** Of the bot and its children, shared pages divided among their users. */
  residentBytes: number;
  counts: Readonly<Record<Count, number>>;
  /** By namespace. */
  rows: ReadonlyMap<string, number>;
}

export const counts = ['handles', 'timers', 'descriptors', 'files'] as const;
type Count = (typeof counts)[number];

export async function readCalmPoint(bot: SoakBot, jobs: number, folder: string): Promise<CalmPoint> {
  const { child } = bot.process;
  const { heapBytes, externalBytes } = await bot.process.call('idleUsage');
  const { handles, timers } = await bot.process.call('openResources');
  const processes = await processesOf(child.pid ?? 0);
  const descriptors = await Promise.all(processes.map((pid) => readdir(`/proc/${pid}/fd`)));
  return {
    process: bot.starts,
    jobs,
    memoryBytes: heapBytes + externalBytes,
    residentBytes: await proportionalBytes(processes),
    counts: {
      handles: handles.length,
      timers,
      descriptors: descriptors.flat().length,
      files: (await readdir(folder, { recursive: true })).length,
    },
    rows: rowsByNamespace(join(folder, 'atelier.sqlite')),
  };
}

function rowsByNamespace(file: string): Map<string, number> {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare(`SELECT namespace, count(*) AS rows FROM "${TABLE}" GROUP BY namespace`).all();
  database.close();
  return new Map(rows.map(({ namespace, rows: count }) => [String(namespace), Number(count)]));
}
