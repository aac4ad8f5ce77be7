import type { Backend } from '../../../../src/services/store/backend.ts';
import { type MigratedNamespace, migrateStore } from '../../../../src/services/store/copy/migrate.ts';
import type { OpenedBackend } from '../../../../src/services/store/remote/open-remote.ts';
import { openWhole, type WholeStore } from '../../../../src/services/store/rows/whole-store.ts';
import { StoreError } from '../../../../src/services/tasks/store-error.ts';
import { LONG_LEASE_MS, type TestStore } from '../sites.ts';

/** `count`: undefined for a store that must exist. */
export async function openWholeStore({ url, scheme, log, clock }: TestStore, count?: number): Promise<WholeStore> {
  const store = await openWhole(
    { url, scheme },
    { log, clock, leaseMs: LONG_LEASE_MS, create: count !== undefined, count },
  );
  if (!store) throw new Error('A store was expected.');
  return store;
}

/** Migrates everything. The power fails after this many writes to the target. */
export async function migrate(
  fromStore: TestStore,
  toStore: TestStore,
  { count = 1, writes = Number.POSITIVE_INFINITY } = {},
): Promise<MigratedNamespace[]> {
  const source = await openWholeStore(fromStore);
  try {
    const target = await openWholeStore(toStore, count);
    let writesLeft = writes;
    const spend = (): void => {
      if (writesLeft-- <= 0) throw new StoreError('failed', 'no power');
    };
    const [first, ...others] = target.partitions;
    try {
      const failing = (one: OpenedBackend): OpenedBackend => ({ ...one, backend: spending(one.backend, spend) });
      return await migrateStore(source, { ...target, partitions: [failing(first), ...others.map(failing)] });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** The backend, which calls `spend` before each write. */
const spending = (backend: Backend, spend: () => void): Backend => ({
  name: backend.name,
  adapter: (namespace) => backend.adapter(namespace),
  async write(changes, durability) {
    spend();
    await backend.write(changes, durability);
  },
  range: (...args) => backend.range(...args),
  clearExpired: () => backend.clearExpired(),
  everyRow: (namespaces) => backend.everyRow(namespaces),
});
