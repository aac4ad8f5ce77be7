import type { Backend, RowStore } from '../backend.ts';
import type { Lease } from '../lease.ts';

/** The backend, with the lease deciding when each write begins. */
export function writeUnder(lease: Lease, backend: Backend): Backend {
  return {
    name: backend.name,
    get failure() {
      return backend.failure;
    },
    adapter: (namespace, durability) => writeRowsUnder(lease, backend.adapter(namespace, durability)),
    range: (namespace, range) => backend.range(namespace, range),
    clearExpired: () => lease.write(() => backend.clearExpired()),
    everyRow: (namespaces) => backend.everyRow(namespaces),
  };
}

function writeRowsUnder(lease: Lease, rows: RowStore): RowStore {
  const { set, setMany, delete: remove, deleteMany, clear } = rows;
  return Object.assign(rows, {
    set: (...values: Parameters<typeof set>) => lease.write(() => set(...values)),
    setMany: (...values: Parameters<typeof setMany>) => lease.write(() => setMany(...values)),
    delete: (...values: Parameters<typeof remove>) => lease.write(() => remove(...values)),
    deleteMany: (...values: Parameters<typeof deleteMany>) => lease.write(() => deleteMany(...values)),
    clear: () => lease.write(clear),
  });
}
