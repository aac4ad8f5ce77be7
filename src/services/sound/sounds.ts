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

export type Sounds = ReturnType<typeof openSounds>;

/** Codecs run in the media process, its own one if none is given; nothing is loaded before the first audio. */
export function openSounds({ log, process: given }: { log: Log; process?: MediaProcess }) {
  const process = given ?? new MediaProcess({ clock: systemClock, log });
  const writings = new Writings(process);
  return {
    /** Throws a `Refusal` for a file that cannot be read as audio, or lasts longer. */
    async decoded(input: FileContent, { mostSeconds }: { mostSeconds: number }): Promise<Pcm> {
      if (input.size === 0) throw new Refusal('refusals.audioEmpty');
      const extension = (await reading(input, recogniseIn))?.extension;
      const type = readable.find((name) => name === extension);
      if (!type) throw new Refusal('refusals.audioNotSupported');
      try {
        const job = { do: 'read-sound', type, mostSeconds } as const;
        const pcm = (await process.run(job, z.object({}), { input })).bytes;
        return new Int16Array(pcm.buffer, pcm.byteOffset, pcm.byteLength / Int16Array.BYTES_PER_ELEMENT);
      } catch (error) {
        if (error instanceof Refusal) throw error;
        if (error instanceof JobLost && error.reason === 'closed') throw new Refusal('refusals.stopping');
        if (error instanceof JobLost && error.reason === 'busy') throw new Refusal('refusals.audioBusy');
        log.warn({ type, err: error }, 'An audio file could not be read.');
        throw new Refusal('refusals.audioDamaged');
      }
    },

    /** Anything longer is cut. */
    writing: ({ mostSeconds }: { mostSeconds: number }): VoiceWriter => writings.begin(mostSeconds),

    async close(): Promise<void> {
      writings.close();
      if (process !== given) await process.close();
    },
  };
}
