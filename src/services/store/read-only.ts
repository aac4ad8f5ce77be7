import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { EntryStore } from '../ledger/entry.ts';
import type { KindSpecs } from '../tasks/kind-spec.ts';
import type { Task } from '../tasks/task.ts';
import type { PageQuery, TaskPage } from '../tasks/task-store.ts';
import type { Backend, RowStore } from './backend.ts';
import { hashSecretMark } from './marks.ts';
import { type Namespaces, openNamespaces } from './namespaces.ts';
import { NoQuarantine } from './rows.ts';
import { erasureRows } from './side-rows.ts';
import { StoredTasks } from './stored-tasks.ts';

interface ReadOnlyParts {
  log: Log;
  clock: Clock;
  specs: KindSpecs;
}

/** The data of members in a store that another process owns, as last written. */
export class ReadOnlyTasks {
  readonly #namespaces: Namespaces;
  readonly #store: StoredTasks;
  readonly #quarantine: NoQuarantine;

  constructor(backend: Backend, parts: ReadOnlyParts) {
    this.#namespaces = openNamespaces(withoutRemovals(backend));
    this.#quarantine = new NoQuarantine(this.#namespaces.quarantine, parts);
    this.#store = new StoredTasks({
      ...parts,
      namespaces: this.#namespaces,
      quarantine: this.#quarantine,
      close: () => undefined,
    });
  }

  get entries(): Pick<EntryStore, 'readRange'> {
    return this.#store.entries;
  }

  get decisions(): Pick<StoredTasks, 'budgets' | 'rules' | 'reports' | 'proposals' | 'drafts' | 'pseudonyms'> {
    return this.#store;
  }

  page(query: PageQuery): Promise<TaskPage> {
    return this.#store.page(query);
  }

  get(id: string): Promise<Task | undefined> {
    return this.#store.get(id);
  }

  async isErasing(memberId: string): Promise<boolean> {
    return (await erasureRows(this.#namespaces.erasures, this.#quarantine).get(memberId)) !== undefined;
  }

  /** Undefined before the first start of a bot on this store. */
  async hashSecret(): Promise<string | undefined> {
    return (await hashSecretMark(this.#namespaces.meta).read())?.secret;
  }
}

/** keyv deletes an expired row when it reads it, but only the owner may do that. */
function withoutRemovals(backend: Backend): Backend {
  return {
    ...{ name: backend.name, range: (...args) => backend.range(...args) },
    clearExpired: () => backend.clearExpired(),
    everyRow: (namespaces) => backend.everyRow(namespaces),
    get failure() {
      return backend.failure;
    },
    adapter(namespace, durability): RowStore {
      const rows = backend.adapter(namespace, durability);
      return Object.assign(rows, {
        delete: () => Promise.resolve(false),
        deleteMany: (keys: readonly string[]) => Promise.resolve(keys.map(() => false)),
      });
    },
  };
}
