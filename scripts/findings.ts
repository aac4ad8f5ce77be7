import { terminalSafe } from '../src/lib/text.ts';
import { type FindingKind, lasting } from '../src/services/store/examination/checks.ts';
import type { Examination } from '../src/services/store/examination/examination.ts';

/** The label of each finding in the output, printed before its count. */
const LABELS: Readonly<Record<FindingKind, string>> = {
  damaged: 'damaged database file (restore it from a backup)',
  'readable-by-others': 'file readable by other users of this machine',
  unmarked: 'missing schema version',
  unreadable: 'unreadable rows (set aside, not deleted)',
  'in-both-places': 'tasks stored both as live and as finished',
  misplaced: 'tasks stored in the wrong namespace',
  'summary-missing': 'task summaries missing from the lists of members and servers',
  'summary-dangling': 'task summaries without a task',
  'summary-outdated': 'task summaries older than their task',
  'orphaned-order': 'stored requests that are no longer needed',
  'orphaned-fingerprint': 'fingerprints of files that belong to no task',
  'fingerprint-missing': 'tasks whose files are not recognized',
  'entry-missing': 'tasks missing from the ledger',
  'entry-different': 'ledger entries that contradict their task',
  'wrong-partition': 'rows that belong to another partition',
  'secret-different': 'hash key that differs from that of partition 0',
  'secret-in-use': 'hash key in use that differs from that of partition 0 (leave it; the store cannot be migrated)',
  'partition-unknown': 'rows although the store has fewer partitions (they are never read)',
};

const MAX_ROWS = 20;

/** `isRepaired`: whether the findings were repaired. */
export function printExamination({ file, contents, findings, warnings }: Examination, isRepaired: boolean): void {
  console.log(`Store ${file}:`);
  for (const { kind, count, partition } of findings) {
    const prefix = partition === undefined ? '' : `partition ${partition}: `;
    console.log(
      `  ${prefix}${LABELS[kind]}: ${count}, ${isRepaired && !lasting.has(kind) ? 'repaired' : 'not repaired'}`,
    );
  }
  for (const warning of warnings) console.log(`  ${warning}`);
  if (findings.length === 0) console.log(`  no problems found${warnings.length > 0 ? ' in the rows' : ''}`);
  if (!contents) return;
  const { tasks, setAside } = contents;
  console.log(`Tasks: ${tasks}. Rows set aside so far: ${setAside.length}.`);
  for (const row of setAside.slice(0, MAX_ROWS)) console.log(`  ${terminalSafe(row)}`);
  if (setAside.length > MAX_ROWS) console.log(`  and ${setAside.length - MAX_ROWS} more`);
}
