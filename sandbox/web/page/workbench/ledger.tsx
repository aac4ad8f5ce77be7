import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Ledger, LedgerEntry } from '../../protocol.ts';
import { timeText } from '../markdown/time.ts';
import { errorMessage, getJson } from '../state/api.ts';
import { Fact } from './fact.tsx';

const REFRESH_MS = 1_000;

const ledger = signal<Ledger | undefined>(undefined);
const problem = signal<string | undefined>(undefined);

async function loadLedger(): Promise<void> {
  try {
    ledger.value = await getJson<Ledger>('/api/ledger');
    problem.value = undefined;
  } catch (error) {
    problem.value = errorMessage(error);
  }
}

/** The amounts reserved for requests and their cost, next to the gateway's bill. */
export function LedgerPanel() {
  useEffect(() => {
    void loadLedger();
    const timer = setInterval(() => void loadLedger(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  if (problem.value !== undefined) return <p class="objection">{problem.value}</p>;
  if (!ledger.value) return null;
  const { entries, count, reserved, unconfirmed, settled, waived, bill, difference } = ledger.value;
  return (
    <>
      <dl class="facts ledger-sums" aria-label="Sums">
        <Fact name="reserved" value={`$${reserved}`} />
        <Fact name="unconfirmed" value={`$${unconfirmed}`} />
        <Fact name="settled" value={`$${settled}`} />
        {waived !== '0' && <Fact name="waived" value={`$${waived}`} />}
        {bill !== undefined && <Fact name="gateway’s bill" value={`$${bill}`} />}
        {difference !== undefined && (
          <Fact name={waived === '0' ? 'bill − settled' : 'bill − settled − waived'} value={`$${difference}`} />
        )}
      </dl>
      {count === 0 ? (
        <p class="bench-empty">
          No entries yet. Run <code>/imagine</code> on the server <b>elsewhere</b>, which has budgets, to see what is
          reserved for it and what it costs.
        </p>
      ) : (
        <ol class="jobs">
          {entries.map((entry) => (
            <EntryCard key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
      {count > entries.length && <p class="bench-empty">{count - entries.length} older entries are not shown.</p>}
    </>
  );
}

/** In the colours of the states of jobs. */
const LOOKS: Readonly<Record<LedgerEntry['standing'], string>> = {
  reserved: 'running',
  unconfirmed: 'needs-input',
  settled: 'succeeded',
  refunded: 'queued',
  waived: 'queued',
};

function EntryCard({ entry }: { entry: LedgerEntry }) {
  const { at, kind, model, member, server, standing, estimate, cost } = entry;
  return (
    <li class="job">
      <p class="job-head">
        <b>{kind}</b>
        <span class={`state ${LOOKS[standing]}`}>{standing}</span>
        <span class="job-time">{timeText(at, 'T')}</span>
      </p>
      <dl class="facts ledger-entry">
        <Fact name="estimate" value={estimate === undefined ? 'unknown' : `$${estimate}`} />
        <Fact name="cost" value={cost === undefined ? '–' : `$${cost}`} />
        <Fact name="member" value={member ?? '–'} />
        <Fact name="server" value={server ?? '–'} />
        {model !== undefined && <Fact name="model" value={model} />}
      </dl>
    </li>
  );
}
