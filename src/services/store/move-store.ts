import { createHash } from 'node:crypto';
import type { KeyvStorageAdapter } from 'keyv';
import { type Backend, type RowStore, refusedWriteError, rowsAtOnce, StoreError } from './backend.ts';
import { hasSchemaMark, MOVE_KEY, moveMark, refuseIncomplete } from './marks.ts';
import { openNamespaces, rowFormat, UnreadableRow } from './namespaces.ts';
import type { OpenedBackend } from './remote/open-remote.ts';

const MODULUS = 2n ** 128n;

/** The content of a namespace in short, independent of the order of its rows. */
interface Sum {
  count: number;
  checksum: string;
}

const digestOf = (key: string, text: string): string =>
  createHash('sha256').update(`${key.length} ${key}${text}`).digest('hex').slice(0, 32);

function sumOf(digests: Iterable<string>): Sum {
  let count = 0;
  let total = 0n;
  for (const digest of digests) {
    count += 1;
    total = (total + BigInt(`0x${digest}`)) % MODULUS;
  }
  return { count, checksum: total.toString(16).padStart(32, '0') };
}

/** The store's own marks come last, so that they are true of the rest. */
function namespacesOf(backend: Backend): string[] {
  const { meta, ...others } = openNamespaces(backend);
  return [...Object.values(others), meta].map(({ name }) => name);
}

/** Few enough that a write finishes well within a lease. */
const WRITTEN_AT_ONCE = 200;

export interface MovedNamespace {
  namespace: string;
  from: Sum;
  to: Sum;
}

export async function countRows({ backend }: OpenedBackend): Promise<MovedNamespace[]> {
  await mustBeWhole(backend);
  const counts: MovedNamespace[] = [];
  for (const namespace of namespacesOf(backend))
    counts.push({ namespace, from: await sumIn(backend, namespace), to: sumOf([]) });
  return counts;
}

/** Makes TO equal to FROM, by differences alone, so it can be interrupted and repeated. Nothing else may use either of them meanwhile. */
export async function moveStore(
  { backend: from, ownership }: OpenedBackend,
  { backend: to }: OpenedBackend,
): Promise<MovedNamespace[]> {
  await mustBeWhole(from);
  const { meta } = openNamespaces(to);
  const mark = moveMark(meta);
  const before = await mark.read();
  if (before && before.from !== from.name) throw unsuitableTarget(to.name, `it was filled from ${before.from}`);
  if (!before) {
    await mustBeEmpty(to);
    await mark.write({ from: from.name, isWhole: false });
  }
  if (!before?.isWhole) for (const namespace of namespacesOf(from)) await moveRows(from, to, namespace);
  const moved = await compareStores(from, to);
  // Another bot that owned FROM meanwhile has changed it.
  ownership.mustBeOurs();
  if (moved.every(isSameContent)) await mark.write({ from: from.name, isWhole: true });
  return moved;
}

export const isSameContent = ({ from, to }: MovedNamespace): boolean =>
  from.count === to.count && from.checksum === to.checksum;

async function moveRows(from: Backend, to: Backend, namespace: string): Promise<void> {
  const wanted = await digestsIn(from, namespace);
  const there = await digestsIn(to, namespace);
  const [source, target] = [adapterOf(from, namespace), adapterOf(to, namespace)];
  const past = [...there.keys()].filter((key) => !wanted.has(key));
  for (const keys of batchesOf(past, WRITTEN_AT_ONCE)) await target.deleteMany(keys);
  const missing = [...wanted].filter(([key, digest]) => there.get(key) !== digest).map(([key]) => key);
  for (const keys of batchesOf(missing, Math.min(WRITTEN_AT_ONCE, rowsAtOnce(namespace)))) {
    const texts = await source.getMany<string>(keys);
    const rows = keys.flatMap((key, at) => rowOf(key, texts[at]));
    const written = rows.length === 0 ? [] : await target.setMany(rows);
    if (written?.some((done) => !done)) throw refusedWriteError(to.name);
  }
}

function* batchesOf(keys: readonly string[], max: number): Generator<string[]> {
  for (let at = 0; at < keys.length; at += max) yield keys.slice(at, at + max);
}

/** The expiry is in the row, as keyv writes it. */
function rowOf(key: string, text: unknown): { key: string; value: string; expires?: number }[] {
  if (typeof text !== 'string') return [];
  const { value, expires } = rowFormat.parse<{ value: unknown; expires?: unknown }>(text);
  const lasts = !(value instanceof UnreadableRow) && typeof expires === 'number';
  return [{ key, value: text, ...(lasts && { expires }) }];
}

async function compareStores(from: Backend, to: Backend): Promise<MovedNamespace[]> {
  const moved: MovedNamespace[] = [];
  for (const namespace of namespacesOf(from)) {
    const [before, after] = await Promise.all([sumIn(from, namespace), sumIn(to, namespace)]);
    moved.push({ namespace, from: before, to: after });
  }
  return moved;
}

const sumIn = async (side: Backend, namespace: string): Promise<Sum> =>
  sumOf((await digestsIn(side, namespace)).values());

async function digestsIn(side: Backend, namespace: string): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for await (const [key, text] of rowsIn(side, namespace)) {
    if (namespace !== 'meta' || key !== MOVE_KEY) digests.set(key, digestOf(key, text));
  }
  return digests;
}

async function* rowsIn(side: Backend, namespace: string): AsyncGenerator<[key: string, text: string]> {
  for await (const [key, text] of adapterOf(side, namespace).iterator?.<string>() ?? [])
    if (typeof key === 'string' && typeof text === 'string') yield [key, text];
}

/** Without keyv around it, which would parse the texts. */
function adapterOf(side: Backend, namespace: string): RowStore {
  const adapter: RowStore & { on?: KeyvStorageAdapter['on'] } = side.adapter(namespace, 'at-once');
  adapter.namespace = namespace;
  // An interrupted iteration would look like a complete one.
  adapter.on?.('error', (error: unknown) => {
    throw side.failure ?? error;
  });
  return adapter;
}

async function mustBeWhole(from: Backend): Promise<void> {
  const { meta } = openNamespaces(from);
  await refuseIncomplete(meta, from.name);
  if (await hasSchemaMark(meta)) return;
  throw new StoreError('unsupported', `There is no Atelier store in ${from.name}, so there is nothing to migrate.`);
}

/** A store that a bot has opened but not used may be filled. */
async function mustBeEmpty(to: Backend): Promise<void> {
  for (const namespace of namespacesOf(to)) {
    if (namespace === 'meta') continue;
    for await (const _ of rowsIn(to, namespace)) throw unsuitableTarget(to.name, 'it holds the tasks of another bot');
  }
}

const unsuitableTarget = (name: string, why: string): StoreError =>
  new StoreError('unsupported', `Nothing was migrated to the store ${name} because ${why}. Choose an empty store.`);
