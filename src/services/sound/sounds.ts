import { z } from 'zod';
import { systemClock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Refusal } from '../../lib/refusal.ts';
import { reading } from '../media/content.ts';
import { recogniseIn } from '../media/recognise/recognise.ts';
import { JobLost } from '../media-process/job-lost.ts';
import { MediaProcess } from '../media-process/media-process.ts';
import { isReadable } from './readable.ts';
import type { Sounds } from './sound.ts';
import { Writings } from './writings.ts';

interface SoundSettings {
  log: Log;
  /** Where codecs run. Without one it has one of its own. */
  process?: MediaProcess;
}

/** Files are read and voices written in the media process; nothing is loaded before the first sound. */
export function openSounds({ log, process: given }: SoundSettings): Sounds {
  const process = given ?? new MediaProcess({ clock: systemClock, log });
  const writings = new Writings(process);
  return {
    async decoded(input, { mostSeconds }) {
      if (input.size === 0) throw new Refusal('refusals.soundEmpty');
      const type = (await reading(input, recogniseIn))?.extension;
      if (type === undefined || !isReadable(type)) throw new Refusal('refusals.soundUnknown');
      try {
        const job = { do: 'read-sound', type, mostSeconds } as const;
        const pcm = (await process.run(job, z.object({}), { input })).bytes;
        return new Int16Array(pcm.buffer, pcm.byteOffset, pcm.byteLength / Int16Array.BYTES_PER_ELEMENT);
      } catch (error) {
        if (error instanceof Refusal) throw error;
        if (error instanceof JobLost && error.reason === 'closed') throw new Refusal('refusals.stopping');
        if (error instanceof JobLost && error.reason === 'busy') throw new Refusal('refusals.soundsBusy');
        log.warn({ type, err: error }, 'A sound could not be read.');
        throw new Refusal('refusals.soundUnreadable');
      }
    },

    writing: ({ mostSeconds }) => writings.begin(mostSeconds),

    async close() {
      writings.close();
      if (process !== given) await process.close();
    },
  };
}
