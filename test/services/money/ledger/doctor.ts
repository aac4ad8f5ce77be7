import { kindSpecs } from '../../../../src/commands/index.ts';
import type { FindingKind } from '../../../../src/services/store/examination/checks.ts';
import { examine } from '../../../../src/services/store/examination/examination.ts';
import type { StoreFixture } from '../../store/store-fixture.ts';

/** Findings that do not concern the ledger: list rows that a crash can leave behind. */
const UNRELATED_FINDINGS: ReadonlySet<FindingKind> = new Set(['summary-dangling']);

/** What `npm run doctor` finds in the ledger of a store that no bot has open. */
export async function examineLedger(
  { file, clock, log }: StoreFixture,
  { repair = false }: { repair?: boolean } = {},
): Promise<Partial<Record<FindingKind, number>>> {
  const found = await examine({ url: `sqlite://${file}`, scheme: 'sqlite' }, { specs: kindSpecs, clock, log, repair });
  const ledgerFindings = found.findings.filter(({ kind }) => !UNRELATED_FINDINGS.has(kind));
  return Object.fromEntries(ledgerFindings.map(({ kind, count }) => [kind, count]));
}
