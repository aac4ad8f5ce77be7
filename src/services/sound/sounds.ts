import { z } from 'zod';
import { systemClock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Pcm } from '../../lib/pcm.ts';
import { Refusal } from '../../lib/refusal.ts';
import { type FileContent, reading } from '../media/content.ts';
import { recogniseIn } from '../media/recognise.ts';
import { JobLost, readable } from '../media-process/jobs.ts';
import { MediaProcess } from '../media-process/media-process.ts';
import { type VoiceWriter, Writings } from './writing.ts';

/** Sound of members and models, to plain samples and back. Knows nothing of where it is heard. */
export interface Sounds {
  /** Throws a `Refusal` for what is no sound that can be read, or lasts longer. */
  decoded(file: FileContent, limits: { mostSeconds: number }): Promise<Pcm>;
  /** What is longer is cut. */
  writing(limits: { mostSeconds: number }): VoiceWriter;
  close(): Promise<void>;
}

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
      const extension = (await reading(input, recogniseIn))?.extension;
      const type = readable.find((name) => name === extension);
      if (!type) throw new Refusal('refusals.soundUnknown');
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
