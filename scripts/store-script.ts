import type { ZodType } from 'zod';
import * as shape from '../src/config-shapes.ts';
import { createLogger } from '../src/lib/log.ts';
import { readSecret } from '../src/lib/secret.ts';
import { terminalSafe } from '../src/lib/text.ts';
import type { StoreAddress } from '../src/services/store/backend.ts';
import { StoreError } from '../src/services/tasks/store-error.ts';
import { EX_CONFIG, Stop } from './usage.ts';

// Shared by the scripts that work on a store.

export const explainStoreError = (error: unknown): Stop | undefined =>
  error instanceof StoreError ? new Stop(error.exitCode, terminalSafe(error.message)) : undefined;

/** Reads STORE_URL. */
export const configuredStore = (): StoreAddress => readSetting('STORE_URL', shape.store);

/** Reads BACKUP_PASSPHRASE. */
export const configuredPassphrase = (): string | undefined => readSetting('BACKUP_PASSPHRASE', shape.backupPassphrase);

function readSetting<Value>(name: string, expected: ZodType<Value>): Value {
  const { variable, value, problem } = readSecret(process.env, name);
  const parsed = expected.safeParse(value);
  if (problem === undefined && parsed.success) return parsed.data;
  const what = problem ?? `should be ${expected.description}`;
  throw new Stop(EX_CONFIG, `Invalid settings (see .env.example):\n  ${variable} ${what}`);
}

/** Warns on standard error, without these secrets. */
export const openLog = (secrets: readonly string[]) =>
  createLogger({ level: 'warn', secrets, isPretty: true, write: (line) => process.stderr.write(line) });

const PROGRESS_INTERVAL_ROWS = 10_000;

/** Prints progress to standard error. */
export function printProgress(rows: number): void {
  if (rows % PROGRESS_INTERVAL_ROWS === 0) console.error(`  ${rows} rows`);
}
