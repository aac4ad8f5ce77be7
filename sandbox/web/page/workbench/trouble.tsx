import type { Trouble } from '../../protocol.ts';
import { bot, gateway, makeTrouble, troubleResult } from '../state/workbench.ts';
import { TalkTroubles } from './talk-troubles.tsx';

interface TroubleButton {
  readonly title: string;
  /** The effect, and what to expect. */
  readonly words: string;
  readonly trouble: Trouble;
  readonly on?: boolean;
}

const SPEEDS = [0.25, 1, 4, 10, 50];

/** The sandbox may have been started with another speed. */
const speedsWith = (speed: number): number[] => [...new Set([...SPEEDS, speed])].sort((one, other) => one - other);

const gatewayButtons = (down: boolean): TroubleButton[] => [
  {
    title: 'Fail the next job',
    words: 'The next job fails. Its message gives the reason and offers to retry or edit the prompt.',
    trouble: { do: 'fail-next' },
  },
  {
    title: 'Limit the rate (429)',
    words: 'The gateway refuses three requests as too many. The bot backs off and retries; nothing is lost.',
    trouble: { do: 'rate-limit-next', times: 3 },
  },
  {
    title: 'Lose the next submit response',
    words:
      'The gateway accepts the next submit, but its response is lost. The bot does not submit again; the member decides.',
    trouble: { do: 'lose-next-answer' },
  },
  {
    title: down ? 'Bring the gateway back' : 'Take the gateway down',
    words: down
      ? 'Every request fails. Bring the gateway back to resume delivery.'
      : 'Every request fails until you bring it back. The jobs survive.',
    trouble: { do: 'gateway-down', on: !down },
    on: down,
  },
];

const callbackButtons: readonly TroubleButton[] = [
  {
    title: 'Lose callbacks',
    words: 'The gateway sends no callback for the next job. The bot finds its end by polling.',
    trouble: { do: 'callbacks', how: 'lost' },
  },
  {
    title: 'Lose the callback of the end',
    words: 'The gateway reports progress of the next job, but not its end.',
    trouble: { do: 'callbacks', how: 'lost-end' },
  },
  {
    title: 'Delay callbacks',
    words: 'The callbacks of the next job arrive late and out of order.',
    trouble: { do: 'callbacks', how: 'late' },
  },
  {
    title: 'Double callbacks',
    words: 'Each callback of the next job arrives three times. One poll answers them.',
    trouble: { do: 'callbacks', how: 'doubled' },
  },
  {
    title: 'Forge callbacks',
    words: 'Callbacks claim that the next job has ended. The bot polls, and shows nothing of what they claim.',
    trouble: { do: 'callbacks', how: 'forged' },
  },
  {
    title: 'Demand a challenge',
    words: 'The gateway calls back about the next job only after the bot has returned a value.',
    trouble: { do: 'callbacks', how: 'challenge' },
  },
];

const discordButtons: readonly TroubleButton[] = [
  {
    title: 'Cut the connection',
    words: 'The bot loses its connection to Discord and resumes within seconds.',
    trouble: { do: 'cut-socket' },
  },
  {
    title: 'Expire interaction tokens',
    words: 'As after 15 minutes. The bot delivers results by editing the message or sending a new one.',
    trouble: { do: 'end-tokens' },
  },
  {
    title: 'Age messages by an hour',
    words: 'Discord limits edits of old messages. The bot edits less often; the result still arrives.',
    trouble: { do: 'age-messages' },
  },
];

/** Buttons that inject faults. */
export function TroublePanel() {
  const { kind, faults = [], down = false, speed = 1, talk } = gateway.value ?? {};
  const isDead = bot.value?.state === 'killed' || bot.value?.state === 'stopped' || bot.value?.state === 'crashed';
  const botButton: TroubleButton = isDead
    ? {
        title: 'Start the bot',
        words: 'The bot reads its tasks from disk, polls the gateway and delivers the results.',
        trouble: { do: 'start-bot' },
      }
    : {
        title: 'Kill the bot',
        words: 'Kills the process with SIGKILL. The bot restarts within seconds, and the result still arrives.',
        trouble: { do: 'kill-bot' },
      };
  return (
    <>
      <p class={troubleResult.value?.failed ? 'said objection' : 'said'} role="status">
        {troubleResult.value?.text ?? 'Start a job, then inject a fault while it runs.'}
      </p>
      {faults.length > 0 && (
        <div class="standing">
          <p>Pending faults:</p>
          <ul>
            {faults.map(({ id, what }) => (
              <li key={id}>{what}</li>
            ))}
          </ul>
          <button type="button" class="button secondary small" onClick={() => void makeTrouble({ do: 'clear' })}>
            Clear faults
          </button>
        </div>
      )}
      <Group title="Bot" buttons={[botButton]} />
      {kind === 'embedded' && (
        <>
          <section class="switches">
            <h3>Gateway</h3>
            <div class="choices" role="group" aria-label="Gateway speed">
              {speedsWith(speed).map((factor) => (
                <button
                  key={factor}
                  type="button"
                  aria-pressed={factor === speed}
                  onClick={() => void makeTrouble({ do: 'speed', factor })}
                >
                  {factor === 0.25 ? '¼' : factor}×
                </button>
              ))}
            </div>
            <p class="switch-words">The speed of the gateway’s jobs. 1× is the speed of a real gateway.</p>
          </section>
          <Group title="" buttons={gatewayButtons(down)} />
          <Group title="Callbacks" buttons={callbackButtons} />
        </>
      )}
      <Group title="Discord" buttons={discordButtons} />
      {talk && <TalkTroubles talk={talk} />}
    </>
  );
}

function Group({ title, buttons }: { title: string; buttons: readonly TroubleButton[] }) {
  return (
    <section class="switches">
      {title !== '' && <h3>{title}</h3>}
      {buttons.map(({ title: name, words, trouble, on = false }) => (
        <div key={name} class="switch">
          <button
            type="button"
            class={`button small ${on ? 'danger' : 'secondary'}`}
            onClick={() => void makeTrouble(trouble)}
          >
            {name}
          </button>
          <p class="switch-words">{words}</p>
        </div>
      ))}
    </section>
  );
}
