import type { Dialect, TalkTrouble, TalkWorkbench } from '../../protocol.ts';
import { makeTrouble } from '../state/workbench.ts';

const dialects: readonly { readonly dialect: Dialect; readonly name: string }[] = [
  { dialect: 'ga', name: 'Current (ga)' },
  { dialect: 'beta', name: 'Previous (beta)' },
];

/** Faults of live sessions, grouped by the moment at which they are applied. */
export function TalkTroubles({ talk: { dialect: current, troubles } }: { talk: TalkWorkbench }) {
  const timings = Map.groupBy(troubles, ({ when }) => when);
  return (
    <section class="switches">
      <h3>Live conversations</h3>
      <div class="choices" role="group" aria-label="Dialect of new live sessions">
        {dialects.map(({ dialect, name }) => (
          <button
            key={dialect}
            type="button"
            aria-pressed={dialect === current}
            onClick={() => void makeTrouble({ do: 'dialect', speak: dialect })}
          >
            {name}
          </button>
        ))}
      </div>
      <p class="switch-words">The dialect of new live sessions. The bot detects it automatically.</p>
      {[...timings].map(([when, some]) => (
        <TimingGroup key={when} when={when} troubles={some} />
      ))}
    </section>
  );
}

function TimingGroup({ when, troubles }: { when: string; troubles: readonly TalkTrouble[] }) {
  return (
    <div class="switch" role="group" aria-label={when}>
      <p class="switch-words">{when}:</p>
      <div class="befalls">
        {troubles.map(({ how, what }) => (
          <button
            key={how}
            type="button"
            class="button small secondary"
            onClick={() => void makeTrouble({ do: 'talk-trouble', how })}
          >
            {what}
          </button>
        ))}
      </div>
    </div>
  );
}
