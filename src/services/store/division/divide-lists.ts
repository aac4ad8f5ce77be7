import { z } from 'zod';
import { partitionOf } from '../../tasks/homes.ts';
import type { Backend } from '../backend.ts';
import { rowFormat, valueIn } from '../namespaces.ts';
import { adapterOf, rowsIn } from '../raw-rows.ts';
import { chunkKey, headSchema, rowsOfList } from '../summary-index.ts';
import type { DividedRow, Division } from './division.ts';
import { bucketOfTask } from './row-homes.ts';

const INDEX = 'index';

/** List entries keep fields that this version does not know. */
const anyLines = z.object({ lines: z.array(z.looseObject({ id: z.string() })) });
type Line = z.output<typeof anyLines>['lines'][number];

/**
 * Every list of a member or server, assembled from its entries in all partitions, and divided among the partitions of their tasks. Rows that no list names are
 * left out.
 */
export async function* divideLists({ from, count }: Division): AsyncGenerator<DividedRow> {
  const heads = new Map<string, { backend: Backend; starts: readonly string[] }[]>();
  for (const backend of from)
    for await (const [owner, text] of rowsIn(backend, INDEX)) {
      const { starts } = headSchema.safeParse(valueIn(text)).data ?? {};
      if (starts) heads.set(owner, [...(heads.get(owner) ?? []), { backend, starts }]);
    }
  for (const [owner, lists] of heads) {
    const parts = new Map<number, Map<string, Line>>();
    for (const { backend, starts } of lists)
      for (const line of await linesOf(owner, starts, backend)) {
        const partition = partitionOf(bucketOfTask(line.id) ?? 0, count);
        const lines = parts.get(partition) ?? new Map<string, Line>();
        parts.set(partition, lines.set(line.id, line));
      }
    for (const [partition, lines] of parts) {
      const sorted = [...lines.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
      for (const { key, value } of rowsOfList(owner, sorted))
        yield { partition, key, text: rowFormat.stringify({ value }) };
    }
  }
}

async function linesOf(owner: string, starts: readonly string[], backend: Backend): Promise<Line[]> {
  const texts = await adapterOf(backend, INDEX).getMany<string>(starts.map((start) => chunkKey(owner, start)));
  return texts.flatMap((text, at) => {
    const [start = '', next] = [starts[at], starts[at + 1]];
    const { lines = [] } = typeof text === 'string' ? (anyLines.safeParse(valueIn(text)).data ?? {}) : {};
    return lines.filter(({ id }) => id >= start && (next === undefined || id < next));
  });
}

/** The members who have tasks in each partition. */
export async function membersByPartition(division: Division): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const found = new Map<string, Set<number>>();
  for await (const { partition, key, text } of divideLists(division)) {
    const [, memberId] = /^member:(.*)$/s.exec(key) ?? [];
    if (memberId === undefined || !headSchema.safeParse(valueIn(text)).success) continue;
    found.set(memberId, (found.get(memberId) ?? new Set()).add(partition));
  }
  return found;
}
