import { signal, useSignal } from '@preact/signals';
import type { Exchange } from '../../protocol.ts';
import { bytesText, timeText } from '../markdown/time.ts';
import { traffic } from '../state/workbench.ts';

const side = signal<'both' | Exchange['side']>('both');
const SIDES = ['both', 'discord', 'gateway', 'callback'] as const;
const SIDE_NAMES = { both: 'All', discord: 'Discord', gateway: 'Gateway', callback: 'Callbacks' } as const;
const SIDE_MARKS = { discord: 'D', gateway: 'G', callback: 'C' } as const;

/** The bot's requests with their responses and violations, and the gateway's callbacks, newest first. */
export function Traffic() {
  const visibleExchanges = traffic.value.filter((one) => side.value === 'both' || one.side === side.value).toReversed();
  return (
    <>
      <div class="choices" role="group" aria-label="Show traffic with">
        {SIDES.map((name) => (
          <button key={name} type="button" aria-pressed={side.value === name} onClick={() => (side.value = name)}>
            {SIDE_NAMES[name]}
          </button>
        ))}
      </div>
      {visibleExchanges.length === 0 && <p class="bench-empty">No traffic yet.</p>}
      <ol class="traffic">
        {visibleExchanges.map((exchange) => (
          <Row key={exchange.id} exchange={exchange} />
        ))}
      </ol>
    </>
  );
}

function Row({ exchange }: { exchange: Exchange }) {
  const open = useSignal(false);
  const { id, at, side: exchangeSide, method, path, status, ms, verdict, request, files = [] } = exchange;
  const isFine = verdict === 'fine';
  return (
    <li class={isFine ? 'exchange' : 'exchange objected'}>
      <button
        type="button"
        aria-expanded={open.value}
        aria-controls={`exchange-${id}`}
        onClick={() => (open.value = !open.value)}
      >
        <span class={`status ${toneOf(status)}`}>{status === 0 ? '···' : status}</span>
        <span class="method">{method}</span>
        <span class="path cut" title={path}>
          {shortPath(path)}
        </span>
        {!isFine && <span class="tab-count bad">{verdict.length}</span>}
        <span class={`side-mark ${exchangeSide}`}>{SIDE_MARKS[exchangeSide]}</span>
      </button>
      {open.value && (
        <div id={`exchange-${id}`} class="exchange-more">
          <p class="exchange-path">{path}</p>
          <p>
            {exchangeSide === 'callback' ? 'From the gateway' : SIDE_NAMES[exchangeSide]} · {timeText(at, 'T')}
            {ms !== undefined && ` · ${Math.round(ms)} ms`} · {isFine ? 'no violations' : 'violations:'}
          </p>
          {!isFine &&
            verdict.map(({ path: where, code, message }) => (
              <p key={`${where} ${code}`} class="objection">
                <code>{where}</code> {code}: {message}
              </p>
            ))}
          {files.length > 0 && <p>{files.map(({ name, bytes }) => `${name} (${bytesText(bytes)})`).join(', ')}</p>}
          {request !== undefined && (
            <pre tabIndex={0}>{typeof request === 'string' ? request : JSON.stringify(request, null, 2)}</pre>
          )}
        </div>
      )}
    </li>
  );
}

/** Ids are long and similar, so only their last digits are shown. */
const shortPath = (path: string) => path.replace(/\d{10,}(\d{4})/g, '…$1').replace(/^\/api\/v\d+/, '');

const toneOf = (status: number) => (status === 0 ? 'open' : status < 300 ? 'good' : status < 400 ? 'open' : 'bad');
