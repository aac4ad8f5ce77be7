import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Refusal } from '../../lib/refusal.ts';
import { recognise } from '../media/recognise/recognise.ts';
import type { ReadJob } from './job.ts';
import { isReadable } from './readable.ts';
import type { Sounds } from './sound.ts';
import { WorkerLost, Workroom } from './workroom.ts';
import { Writings } from './writings.ts';

interface SoundSettings {
  clock: Clock;
  log: Log;
}

/**
 * Nothing is loaded, and no thread begun, before the first sound. Files are read in a room of their own: one that is the end of its worker takes
 * no voice along that is being written, and neither waits for the other.
 */
export function openSounds({ clock, log }: SoundSettings): Sounds {
  const reading = new Workroom<ReadJob, ArrayBuffer>(new URL('./reading.worker.ts', import.meta.url), clock);
  const writings = new Writings(clock);
  return {
    async decoded(given, { mostSeconds }) {
      if (given.length === 0) throw new Refusal('refusals.soundEmpty');
      // A copy of its own, for it is handed over to the worker.
      const bytes = new Uint8Array(given);
      const type = recognise(Buffer.from(bytes.buffer))?.extension;
      if (type === undefined || !isReadable(type)) throw new Refusal('refusals.soundUnknown');
      const answer = await reading.run({ type, bytes, mostSeconds }, [bytes.buffer]).catch(lostWith(log, type));
      if ('refused' in answer) throw new Refusal(answer.refused.key, answer.refused.variables);
      if ('done' in answer) return new Int16Array(answer.done);
      log.warn({ type, reason: answer.failed }, 'A sound could not be read.');
      throw new Refusal('refusals.soundUnreadable');
    },

    writing: ({ mostSeconds }) => writings.begin(mostSeconds),

    async close() {
      await Promise.all([reading.close(), writings.close()]);
    },
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
