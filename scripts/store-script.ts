import * as shape from '../src/config-shapes.ts';
import { readSecret } from '../src/lib/secret.ts';
import { terminalSafe } from '../src/lib/text.ts';
import type { StoreAddress } from '../src/services/store/backend.ts';
import { StoreError, type StoreErrorKind } from '../src/services/tasks/store-error.ts';
import { reportWrongArguments } from './usage.ts';

export { EX_USAGE } from './usage.ts';

// Shared by the scripts that work on a store: exit codes from sysexits.h, settings and errors.

export const EX_NOINPUT = 66;
export const EX_IOERR = 74;
const EX_TEMPFAIL = 75;
export const EX_CONFIG = 78;

/** Exit codes of errors of the store; any other error exits with 1. */
const EXIT_CODES: Readonly<Record<StoreErrorKind, number>> = {
  'in-use': EX_TEMPFAIL,
  locked: EX_TEMPFAIL,
  unreachable: EX_TEMPFAIL,
  lost: EX_TEMPFAIL,
  full: EX_IOERR,
  corrupt: EX_IOERR,
  failed: EX_IOERR,
  unsupported: EX_CONFIG,
  denied: EX_CONFIG,
  newer: EX_CONFIG,
};

/** Reads STORE_URL. If it is invalid, prints the problem and returns undefined. */
export function configuredStore(): StoreAddress | undefined {
  const { variable, value, problem } = readSecret(process.env, 'STORE_URL');
  const address = problem === undefined ? shape.store.safeParse(value).data : undefined;
  if (address === undefined) printInvalidSetting(variable, problem ?? `should be ${shape.store.description}`);
  return address;
}

/** Reads BACKUP_PASSPHRASE. If it is invalid, prints the problem and returns undefined. */
export function configuredPassphrase(): { passphrase?: string | undefined } | undefined {
  const { variable, value, problem } = readSecret(process.env, 'BACKUP_PASSPHRASE');
  const parsed = shape.backupPassphrase.safeParse(value);
  if (problem === undefined && parsed.success) return { passphrase: parsed.data };
  printInvalidSetting(variable, problem ?? `should be ${shape.backupPassphrase.description}`);
  return undefined;
}

function printInvalidSetting(variable: string, problem: string): void {
  console.error(`Invalid settings (see .env.example):\n  ${variable} ${problem}`);
}

const PROGRESS_INTERVAL_ROWS = 10_000;

/** Prints progress to standard error. */
export function printProgress(rows: number): void {
  if (rows % PROGRESS_INTERVAL_ROWS === 0) console.error(`  ${rows} rows`);
}

/** Runs a script; if it fails, the process ends with the exit code of the error. */
export async function runScript(usage: string, script: () => Promise<number>): Promise<void> {
  process.exitCode = await script().catch((error: unknown) => reportFailure(error, usage));
}

function reportFailure(error: unknown, usage: string): number {
  if (!(error instanceof StoreError)) return reportWrongArguments(error, usage);
  console.error(terminalSafe(error.message));
  return EXIT_CODES[error.kind];
}
