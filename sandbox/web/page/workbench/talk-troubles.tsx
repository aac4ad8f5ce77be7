import type { Dialect, TalkBench, TalkTrouble } from '../../protocol.ts';
import { make } from '../state/workbench.ts';

const dialects: readonly { readonly dialect: Dialect; readonly name: string }[] = [
  { dialect: 'ga', name: 'Today’s (ga)' },
  { dialect: 'beta', name: 'The one before (beta)' },
];

/** What can go wrong with live conversations, by the moment at which it does. */
export function TalkTroubles({ talk: { dialect: spoken, troubles } }: { talk: TalkBench }) {
  const moments = Map.groupBy(troubles, ({ when }) => when);
  return (
    <section class="switches">
      <h3>Live conversations</h3>
      <div class="choices" role="group" aria-label="Dialect of the live sessions">
        {dialects.map(({ dialect, name }) => (
          <button
            key={dialect}
            type="button"
            aria-pressed={dialect === spoken}
            onClick={() => void make({ do: 'dialect', speak: dialect })}
          >
            {name}
          </button>
        ))}
      </div>
      <p class="switch-words">The dialect of live sessions that are opened from now on. The bot finds out by itself.</p>
      {[...moments].map(([when, some]) => (
        <Moment key={when} when={when} troubles={some} />
      ))}
    </section>
  );
}

function Moment({ when, troubles }: { when: string; troubles: readonly TalkTrouble[] }) {
  return (
    <div class="switch" role="group" aria-label={when}>
      <p class="switch-words">{when}:</p>
      <div class="befalls">
        {troubles.map(({ how, what }) => (
          <button
            key={how}
            type="button"
            class="button small secondary"
            onClick={() => void make({ do: 'talk-trouble', how })}
          >
            {what}
          </button>
        ))}
      </div>
    </div>
  );
}
