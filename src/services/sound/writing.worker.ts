import { serveJobs } from '../../lib/worker-pool.ts';
import type { Job } from '../media-process/jobs.ts';
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
  if (job.do === 'drop-voice') end(job.voice);
  const result = job.do === 'drop-voice' ? {} : await write(job);
  return { result, transfer: result.bytes ? [result.bytes] : [] };
});

async function write(job: Extract<WriteJob, { do: 'write-voice' }>): Promise<WriteResult> {
  // If the process is shared, a bot that was stopped may have left a voice with this number in it.
  if (job.from === 0) end(job.voice);
  const known = voices.get(job.voice) ?? (await begin(job.voice));
  try {
    if (known.samples !== job.from) throw new Error('What came before is gone, with the worker that heard it.');
    known.voice.add(job.pcm);
    known.waveform.add(job.pcm);
    known.samples += job.pcm.length;
    if (!job.isLast) return {};
    const result = { bytes: new Uint8Array(known.voice.end()).buffer, waveform: known.waveform.toBase64() };
    end(job.voice);
    return result;
  } catch (error) {
    end(job.voice);
    throw error;
  }
}

async function begin(voice: number): Promise<OpenVoice> {
  const fresh = { voice: await OpusWriter.open(), waveform: new Waveform(), samples: 0 };
  voices.set(voice, fresh);
  return fresh;
}

function end(voice: number): void {
  voices.get(voice)?.voice.free();
  voices.delete(voice);
}
