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
const looseChunk = z.object({ lines: z.array(z.looseObject({ id: z.string() })) });
type ListEntry = z.output<typeof looseChunk>['lines'][number];

/**
 * Yields every list of a member or server, assembled from its entries in all partitions and divided among the partitions of their tasks. Rows that no list names are
 * left out.
 */
export async function* divideLists({ sources, count }: Division): AsyncGenerator<DividedRow> {
  const listHeads = new Map<string, { backend: Backend; starts: readonly string[] }[]>();
  for (const backend of sources)
    for await (const [owner, text] of rowsIn(backend, INDEX)) {
      const { starts } = headSchema.safeParse(valueIn(text)).data ?? {};
      if (starts) listHeads.set(owner, [...(listHeads.get(owner) ?? []), { backend, starts }]);
    }
  for (const [owner, lists] of listHeads) {
    const parts = new Map<number, Map<string, ListEntry>>();
    for (const { backend, starts } of lists)
      for (const entry of await entriesOf(owner, starts, backend)) {
        const partition = partitionOf(bucketOfTask(entry.id) ?? 0, count);
        const entries = parts.get(partition) ?? new Map<string, ListEntry>();
        parts.set(partition, entries.set(entry.id, entry));
      }
    for (const [partition, entries] of parts) {
      const sorted = [...entries.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
      for (const { key, value } of rowsOfList(owner, sorted))
        yield { partition, key, text: rowFormat.stringify({ value }) };
    }
  }
}

async function entriesOf(owner: string, starts: readonly string[], backend: Backend): Promise<ListEntry[]> {
  const texts = await adapterOf(backend, INDEX).getMany<string>(starts.map((start) => chunkKey(owner, start)));
  return texts.flatMap((text, index) => {
    const [start = '', next] = [starts[index], starts[index + 1]];
    const { lines: entries = [] } = typeof text === 'string' ? (looseChunk.safeParse(valueIn(text)).data ?? {}) : {};
    return entries.filter(({ id }) => id >= start && (next === undefined || id < next));
  });
}
