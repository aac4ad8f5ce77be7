import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type Pcm, secondsOf } from '../../lib/pcm.ts';
import { Refusal } from '../../lib/refusal.ts';
import { recognise } from '../media/recognise/recognise.ts';
import type { SoundAnswer, SoundResult } from './job.ts';
import { isReadable } from './readable.ts';
import type { Sounds, SpokenMessage } from './sound.ts';
import { WorkerLost, Workroom } from './workroom.ts';

interface SoundSettings {
  clock: Clock;
  log: Log;
}

/** Nothing is loaded, and no thread begun, before the first sound. */
export function openSounds({ clock, log }: SoundSettings): Sounds {
  const room = new Workroom(new URL('./sound.worker.ts', import.meta.url), clock);
  return {
    async decoded(given, { mostSeconds }) {
      if (given.length === 0) throw new Refusal('refusals.soundEmpty');
      // A copy of its own, for it is handed over to the worker.
      const bytes = new Uint8Array(given);
      const type = recognise(Buffer.from(bytes.buffer))?.extension;
      if (type === undefined || !isReadable(type)) throw new Refusal('refusals.soundUnknown');
      const answer = await room.run({ do: 'read', type, bytes, mostSeconds }).catch(lostWith(log, type));
      if ('failed' in answer) {
        log.warn({ type, reason: answer.failed }, 'A sound could not be read.');
        throw new Refusal('refusals.soundUnreadable');
      }
      return new Int16Array(resultOf(answer).bytes);
    },

    async spoken(pcm: Pcm): Promise<SpokenMessage> {
      if (pcm.length === 0) throw new Error('There is nothing to say in no samples.');
      const answer = await room.run({ do: 'write', pcm: new Int16Array(pcm) });
      if ('failed' in answer) throw new Error(`A voice could not be written: ${answer.failed}`);
      const { bytes, waveform = '' } = resultOf(answer);
      return { bytes: Buffer.from(bytes), seconds: secondsOf(pcm), waveform };
    },

    close: () => room.close(),
  };
}

/** A file that was the end of its worker is broken to whoever gave it, and news to the operator. */
const lostWith =
  (log: Log, type: string) =>
  (error: unknown): never => {
    if (!(error instanceof WorkerLost)) throw error;
    log.warn({ type, err: error }, 'A sound was the end of its worker.');
    throw new Refusal('refusals.soundUnreadable');
  };

function resultOf(answer: Exclude<SoundAnswer, { failed: string }>): SoundResult {
  if ('refused' in answer) throw new Refusal(answer.refused.key, answer.refused.variables);
  return answer;
}
