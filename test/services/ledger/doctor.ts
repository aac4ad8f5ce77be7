import { kindSpecs } from '../../../src/commands/index.ts';
import { examine, type FindingKind } from '../../../src/services/store/index.ts';
import type { Stage } from '../store/stage.ts';

/** List rows of a task that was never stored, as a crash may leave them; they are not part of the ledger. */
const UNRELATED_FINDINGS: ReadonlySet<FindingKind> = new Set(['summary-dangling', 'orphaned-row', 'expired']);

/** The findings of `npm run doctor` in the ledger of a store that no bot uses. */
export async function findings(
  { file, clock, log }: Stage,
  { repair = false }: { repair?: boolean } = {},
): Promise<Partial<Record<FindingKind, number>>> {
  const found = await examine({ url: `sqlite://${file}`, scheme: 'sqlite' }, { specs: kindSpecs, clock, log, repair });
  const ledgerFindings = found.findings.filter(({ kind }) => !UNRELATED_FINDINGS.has(kind));
  return Object.fromEntries(ledgerFindings.map(({ kind, count }) => [kind, count]));
}
