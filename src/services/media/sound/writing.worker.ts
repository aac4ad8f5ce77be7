import { serveJobs } from '../../../lib/worker-pool.ts';
import type { Job } from '../process/jobs.ts';
import { OpusWriter, Waveform } from './opus.ts';

export type WriteJob =
  | (Extract<Job, { do: 'write-voice' }> & { pcm: Int16Array<ArrayBuffer> })
  | Extract<Job, { do: 'drop-voice' }>;

export interface WriteResult {
  bytes?: ArrayBuffer;
  waveform?: string;
}

interface OpenVoice {
  voice: OpusWriter;
  waveform: Waveform;
  samples: number;
}

const voices = new Map<number, OpenVoice>();

serveJobs(async (job: WriteJob) => {
  if (job.do === 'drop-voice') endVoice(job.voice);
  const result = job.do === 'drop-voice' ? {} : await write(job);
  return { result, transfer: result.bytes ? [result.bytes] : [] };
});

async function write(job: Extract<WriteJob, { do: 'write-voice' }>): Promise<WriteResult> {
  // If the process is shared, a bot that was stopped may have left a voice message with this number in it.
  if (job.from === 0) endVoice(job.voice);
  const openVoice = voices.get(job.voice) ?? (await startVoice(job.voice));
  try {
    if (openVoice.samples !== job.from)
      throw new Error('The earlier samples were lost together with the worker that received them.');
    openVoice.voice.add(job.pcm);
    openVoice.waveform.add(job.pcm);
    openVoice.samples += job.pcm.length;
    if (!job.isLast) return {};
    const result = { bytes: new Uint8Array(openVoice.voice.end()).buffer, waveform: openVoice.waveform.toBase64() };
    endVoice(job.voice);
    return result;
  } catch (error) {
    endVoice(job.voice);
    throw error;
  }
}

async function startVoice(voice: number): Promise<OpenVoice> {
  const openVoice = { voice: await OpusWriter.create(), waveform: new Waveform(), samples: 0 };
  voices.set(voice, openVoice);
  return openVoice;
}

function endVoice(voice: number): void {
  voices.get(voice)?.voice.free();
  voices.delete(voice);
}
