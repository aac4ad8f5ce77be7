import type { Trouble } from '../../protocol.ts';
import { bot, gateway, make, said } from '../state/workbench.ts';
import { TalkTroubles } from './talk-troubles.tsx';

interface Switch {
  readonly title: string;
  /** What it does, and what to expect. */
  readonly words: string;
  readonly trouble: Trouble;
  readonly on?: boolean;
}

const SPEEDS = [0.25, 1, 4, 10, 50];

const gatewaySwitches = (down: boolean): Switch[] => [
  {
    title: 'Fail the next job',
    words: 'The next job ends in failure. Its message says why, and offers to try again or to change the words.',
    trouble: { do: 'fail-next' },
  },
  {
    title: 'Refuse with 429',
    words:
      'The gateway says “too many requests” three times. Orders and questions are asked again later; nothing is lost.',
    trouble: { do: 'rate-limit-next', times: 3 },
  },
  {
    title: 'Lose the answer to a submit',
    words:
      'The gateway takes the next order, but its answer never arrives. The bot does not order twice: it lets the member decide.',
    trouble: { do: 'lose-next-answer' },
  },
  {
    title: down ? 'Bring the gateway back' : 'Take the gateway down',
    words: down
      ? 'Every request fails just now. Bring it back, and the jobs go on.'
      : 'Every request fails until you bring it back. No job ends because of it.',
    trouble: { do: 'gateway-down', on: !down },
    on: down,
  },
];

const discordSwitches: readonly Switch[] = [
  {
    title: 'Cut the socket',
    words: 'The bot’s connection to Discord breaks. It comes back by itself within seconds.',
    trouble: { do: 'cut-socket' },
  },
  {
    title: 'End the interaction tokens',
    words: 'As after fifteen minutes: results come by another way, as an edit or as a fresh message.',
    trouble: { do: 'end-tokens' },
  },
  {
    title: 'Make messages an hour old',
    words: 'Discord limits edits of old messages. The bot then edits seldom, and the end still arrives.',
    trouble: { do: 'age-messages' },
  },
];

/** Switches that make trouble, each with what to expect. */
export function TroublePanel() {
  const { kind, faults = [], down = false, speed = 1, talk } = gateway.value ?? {};
  const isDead = bot.value?.state === 'killed' || bot.value?.state === 'stopped' || bot.value?.state === 'crashed';
  const botSwitch: Switch = isDead
    ? {
        title: 'Start the bot',
        words: 'It reads its tasks from the disk, asks the gateway, and delivers.',
        trouble: { do: 'start-bot' },
      }
    : {
        title: 'Kill the bot',
        words:
          'kill -9, in the middle of whatever it does. It comes back by itself in a moment, and the result arrives.',
        trouble: { do: 'kill-bot' },
      };
  return (
    <>
      <p class={said.value?.failed ? 'said objection' : 'said'} role="status">
        {said.value?.text ?? 'Order something first; then make trouble while it runs.'}
      </p>
      {faults.length > 0 && (
        <div class="standing">
          <p>Still to come:</p>
          <ul>
            {faults.map(({ id, what }) => (
              <li key={id}>{what}</li>
            ))}
          </ul>
          <button type="button" class="button secondary small" onClick={() => void make({ do: 'clear' })}>
            Clear them
          </button>
        </div>
      )}
      <Group title="The bot" switches={[botSwitch]} />
      {kind === 'embedded' && (
        <>
          <section class="switches">
            <h3>The gateway</h3>
            <div class="choices" role="group" aria-label="Speed of the gateway">
              {SPEEDS.map((factor) => (
                <button
                  key={factor}
                  type="button"
                  aria-pressed={factor === speed}
                  onClick={() => void make({ do: 'speed', factor })}
                >
                  {factor === 0.25 ? '¼' : factor}×
                </button>
              ))}
            </div>
            <p class="switch-words">How fast its jobs go; 1× is what real ones take.</p>
          </section>
          <Group title="" switches={gatewaySwitches(down)} />
        </>
      )}
      <Group title="Discord" switches={discordSwitches} />
      {talk && <TalkTroubles talk={talk} />}
    </>
  );
}

function Group({ title, switches }: { title: string; switches: readonly Switch[] }) {
  return (
    <section class="switches">
      {title !== '' && <h3>{title}</h3>}
      {switches.map(({ title: name, words, trouble, on = false }) => (
        <div key={trouble.do} class="switch">
          <button
            type="button"
            class={`button small ${on ? 'danger' : 'secondary'}`}
            onClick={() => void make(trouble)}
          >
            {name}
          </button>
          <p class="switch-words">{words}</p>
        </div>
      ))}
    </section>
  );
}
