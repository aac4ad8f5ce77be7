import * as shape from '../src/config-shapes.ts';
import { systemClock } from '../src/lib/clock.ts';
import { readSecret } from '../src/lib/secret.ts';
import { passwordsIn, publicName, type StoreAddress } from '../src/services/store/backend.ts';
import { countRows, isSameContent, type MigratedNamespace, migrateStore } from '../src/services/store/copy/migrate.ts';
import { openWhole } from '../src/services/store/rows/whole-store.ts';
import { StoreError } from '../src/services/tasks/store-error.ts';
import { explainStoreError, openLog } from './store-script.ts';
import { EX_CONFIG, EX_USAGE, runScript, Stop } from './usage.ts';

const USAGE = 'npm run migrate-store -- [FROM TO] [--partitions N] [--dry-run]';

const partitionCount = shape.wholeNumber(1, 1_024, '32', 'partitions');

/** All users of a machine can see the arguments of its processes. */
const VISIBLE_PASSWORD_WARNING =
  'Other users of this machine can read passwords in arguments while this runs. Set MIGRATE_FROM and MIGRATE_TO instead, in the environment or in .env.';

const does =
  'Copies everything from one store to another and compares both at the end. Stop the bot first, with all its workers.';
const inputs = {
  'FROM, TO': `${shape.store.description}`,
  MIGRATE_FROM: 'environment variables used instead of the arguments; they keep passwords out of the process list',
  MIGRATE_TO: '(MIGRATE_FROM_FILE and MIGRATE_TO_FILE name files that hold them)',
};
const PARTITIONS = 'the number of partitions of TO: 1 for a bot with ATELIER_ROLE=all (default: as many as FROM has)';
const options = {
  partitions: { type: 'string', help: PARTITIONS },
  'dry-run': { type: 'boolean', default: false, help: 'counts the rows without copying them' },
} as const;
const script = { usage: USAGE, does, inputs, options, allowPositionals: true, explain: explainStoreError };

await runScript(script, async (values, positionals) => {
  const partitions = values.partitions === undefined ? undefined : partitionCount.safeParse(values.partitions).data;
  if (values.partitions !== undefined && partitions === undefined)
    throw new Stop(EX_USAGE, `Usage: ${USAGE}. --partitions must be ${partitionCount.description}.`);
  const secrets =
    positionals.length > 0 ? [] : ['MIGRATE_FROM', 'MIGRATE_TO'].map((name) => readSecret(process.env, name));
  const problems = secrets.flatMap(({ variable, problem }) => (problem === undefined ? [] : `${variable} ${problem}.`));
  if (problems.length > 0) throw new Stop(EX_CONFIG, problems.join('\n'));
  const addresses = positionals.length > 0 ? positionals : secrets.map(({ value }) => value);
  const [from, to] = [addressOf(addresses[0]), addressOf(addresses[1])];
  if (!from || !to || addresses.length !== 2)
    throw new Stop(
      EX_USAGE,
      `Usage: ${USAGE}. Pass FROM and TO, or set MIGRATE_FROM and MIGRATE_TO. Each must be ${shape.store.description}.`,
    );
  if (from.url === to.url) throw new Stop(EX_USAGE, 'FROM and TO are the same store. Name another store as TO.');
  if (positionals.length > 0 && [from, to].some(({ url }) => passwordsIn(url).length > 0))
    console.error(VISIBLE_PASSWORD_WARNING);
  const isDryRun = values['dry-run'];
  const results = await copyStore(from, to, { partitions, isDryRun });
  printReport(results, isDryRun);
  if (isDryRun) return 0;
  const isComplete = results.every(isSameContent);
  console.log(
    isComplete
      ? 'Migration complete. Set STORE_URL to the new address; the old store is unchanged.'
      : 'The stores differ: one of them was changed after the migration.',
  );
  return isComplete ? 0 : 1;
});

/** Both stores are reserved for this process until the migration is done. */
async function copyStore(
  from: StoreAddress,
  to: StoreAddress,
  { partitions, isDryRun }: { partitions: number | undefined; isDryRun: boolean },
): Promise<MigratedNamespace[]> {
  const parts = { log: openLog([from, to].flatMap(({ url }) => passwordsIn(url))), clock: systemClock };
  const source = await openWhole(from, { ...parts, create: false });
  if (!source)
    throw new StoreError('unsupported', `There is no store at ${publicName(from)}, so there is nothing to migrate.`);
  try {
    const count = partitions ?? source.partitions.length;
    if (isDryRun) return await countRows(source, count);
    const target = await openWhole(to, { ...parts, create: true, count });
    if (!target) throw new Error('A newly created store is missing.');
    try {
      return await migrateStore(source, target);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** A store in memory exists only inside the bot that uses it. */
function addressOf(text: string | undefined): StoreAddress | undefined {
  const { data } = shape.store.safeParse(text ?? '');
  return data?.url === 'sqlite://:memory:' ? undefined : data;
}

function printReport(results: readonly MigratedNamespace[], isDryRun: boolean): void {
  for (const one of results) {
    const [from, to] = [one.from, one.to].map(({ count, checksum }) => `${count} rows, checksum ${checksum}`);
    const comparison = isSameContent(one) ? '; in TO the same' : `; in TO ${to}: DIFFERENT`;
    console.log(`${one.namespace.padEnd(12)} ${from}${isDryRun ? '' : comparison}`);
  }
}
