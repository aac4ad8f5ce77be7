import { useSignal } from '@preact/signals';
import type { APIAttachment } from 'discord-api-types/v10';
import { useMemo, useRef } from 'preact/hooks';
import { playerTime } from '../markdown/time.ts';
import { Icon } from '../shell/icons.tsx';
import { barHeights } from './waveform.ts';

const BARS = 44;
const MAX_BAR_HEIGHT = 32;
/** The number of arrow presses from the start to the end. */
const STEPS = 40;

/** A voice message with a play button, a seekable waveform and its duration. */
export function VoiceMessage({ file }: { file: APIAttachment }) {
  const player = useRef<HTMLAudioElement>(null);
  const isPlaying = useSignal(false);
  const isBroken = useSignal(false);
  const at = useSignal(0);
  // Every response has a newly signed URL for the same file, and a new URL would restart playback.
  const address = useMemo(() => file.url, [file.id]);
  const seconds = file.duration_secs ?? 0;
  const length = playerTime(seconds);
  const toggle = () => {
    const { current: audio } = player;
    if (!audio) return;
    if (!audio.paused) return audio.pause();
    pauseOthers(audio);
    audio.play().catch(() => (isBroken.value = true));
  };
  return (
    <div class={isPlaying.value ? 'voice playing' : 'voice'} role="group" aria-label={`Voice message, ${length}`}>
      <audio
        ref={player}
        preload="metadata"
        src={address}
        onPlay={() => (isPlaying.value = true)}
        onPause={() => (isPlaying.value = false)}
        onTimeUpdate={({ currentTarget }) => (at.value = currentTarget.currentTime)}
        onEnded={() => (at.value = 0)}
        onError={() => (isBroken.value = true)}
      />
      <button
        type="button"
        class="voice-button"
        aria-label={isPlaying.value ? 'Pause the voice message' : 'Play the voice message'}
        disabled={isBroken.value}
        onClick={toggle}
      >
        <Icon name={isPlaying.value ? 'pause' : 'play'} size={18} />
      </button>
      <div class="voice-bars">
        <Bars waveform={file.waveform ?? ''} heard={seconds > 0 ? at.value / seconds : 0} />
        <input
          type="range"
          min={0}
          max={seconds}
          step={seconds / STEPS}
          value={at.value}
          disabled={isBroken.value}
          aria-label="Position in the voice message"
          aria-valuetext={`${playerTime(at.value)} of ${length}`}
          onInput={({ currentTarget }) => {
            at.value = currentTarget.valueAsNumber;
            if (player.current) player.current.currentTime = at.value;
          }}
        />
      </div>
      <span class="voice-time">{at.value > 0 ? playerTime(at.value) : length}</span>
      {isBroken.value && (
        <a href={address} target="_blank" rel="noreferrer">
          Playback failed. Open the file
        </a>
      )}
    </div>
  );
}

function Bars({ waveform, heard }: { waveform: string; heard: number }) {
  const bars = useMemo(() => barHeights(waveform, BARS), [waveform]);
  return (
    <svg viewBox={`0 0 ${BARS * 4} ${MAX_BAR_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {bars.map((height, index) => (
        <rect
          key={index}
          class={index / BARS < heard ? 'heard' : undefined}
          x={index * 4}
          y={((1 - height) * MAX_BAR_HEIGHT) / 2}
          width={2.4}
          height={height * MAX_BAR_HEIGHT}
          rx={1.2}
        />
      ))}
    </svg>
  );
}

/** Only one voice message plays at a time. */
function pauseOthers(mine: HTMLAudioElement): void {
  for (const other of document.querySelectorAll('audio')) if (other !== mine) other.pause();
}
