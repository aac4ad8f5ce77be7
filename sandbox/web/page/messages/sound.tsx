import type { APIAttachment } from 'discord-api-types/v10';
import { bytesText } from '../markdown/time.ts';

/** A sound with its player; a voice message shows how loud it is when, as Discord does. */
export function Sound({ file }: { file: APIAttachment }) {
  const isVoice = file.waveform !== undefined;
  return (
    <figure class="card sound">
      <figcaption>
        <a href={file.url} target="_blank" rel="noreferrer">
          {isVoice ? 'Voice message' : file.filename}
        </a>
        <small>{bytesText(file.size)}</small>
      </figcaption>
      {file.waveform !== undefined && <Waveform base64={file.waveform} />}
      <audio
        controls
        preload="metadata"
        src={file.url}
        aria-label={file.description ?? (isVoice ? 'Voice message' : file.filename)}
      />
    </figure>
  );
}

const HIGHEST = 255;
/** What is silent shows as a line. */
const LEAST = 0.06;
/** Of the room that a column has, so much is its own. */
const THICK = 0.6;

/** A byte a column. What anybody can send as a waveform may be no base64. */
function Waveform({ base64 }: { base64: string }) {
  const columns = bytesOf(base64);
  if (columns.length === 0) return null;
  return (
    <svg class="waveform" viewBox={`0 0 ${columns.length} 1`} preserveAspectRatio="none" aria-hidden="true">
      {columns.map((loud, at) => {
        const height = Math.max(LEAST, loud / HIGHEST);
        return <rect key={at} x={at + (1 - THICK) / 2} y={(1 - height) / 2} width={THICK} height={height} />;
      })}
    </svg>
  );
}

function bytesOf(base64: string): number[] {
  if (!/^[\w+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) return [];
  return [...atob(base64)].map((letter) => letter.charCodeAt(0));
}
