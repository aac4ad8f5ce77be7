import { z } from 'zod';
import type { Log } from '../../lib/log.ts';
import type { Pcm } from '../../lib/pcm.ts';
import { Refusal } from '../../lib/refusal.ts';
import { type FileContent, withReader } from './content.ts';
import { recogniseContent } from './files/recognise.ts';
import type { MediaProcess } from './media-process.ts';
import { JobLost, readableAudioTypes } from './process/jobs.ts';
import { VoiceQueue, type VoiceWriter } from './voice-queue.ts';

export type AudioService = ReturnType<typeof openAudio>;

/** Runs codecs in the media process. Nothing is loaded before the first audio file. */
export function openAudio({ log, process }: { log: Log; process: MediaProcess }) {
  const voiceQueue = new VoiceQueue(process);
  return {
    /** Throws a `Refusal` if the file cannot be read as audio or is longer than `maxSeconds`. */
    async decode(input: FileContent, { maxSeconds }: { maxSeconds: number }): Promise<Pcm> {
      if (input.size === 0) throw new Refusal('refusals.audioEmpty');
      const extension = (await withReader(input, recogniseContent))?.extension;
      const type = readableAudioTypes.find((name) => name === extension);
      if (!type) throw new Refusal('refusals.audioNotSupported');
      try {
        const job = { do: 'read-sound', type, maxSeconds } as const;
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

    /** Starts encoding a voice message. Audio beyond `maxSeconds` is truncated. */
    startVoice: ({ maxSeconds }: { maxSeconds: number }): VoiceWriter => voiceQueue.begin(maxSeconds),

    close: (): void => voiceQueue.close(),
  };
}
