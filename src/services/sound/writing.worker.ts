import type { WriteJob, WriteResult } from './job.ts';
import { serve } from './serve.ts';
import { OpusVoice } from './write/opus.ts';
import { Waveform } from './write/waveform.ts';

interface Begun {
  voice: OpusVoice;
  waveform: Waveform;
  samples: number;
}

const begun = new Map<number, Begun>();

serve(async (job: WriteJob) => {
  if (job.do === 'drop') end(job.voice);
  const result = job.do === 'drop' ? {} : await goOn(job);
  return { result, handsOver: result.bytes ? [result.bytes] : [] };
});

async function goOn(job: Extract<WriteJob, { do: 'go on' }>): Promise<WriteResult> {
  const known = begun.get(job.voice) ?? (await begin(job.voice));
  try {
    if (known.samples !== job.from) throw new Error('What came before is gone, with the worker that heard it.');
    known.voice.add(job.pcm);
    known.waveform.add(job.pcm);
    known.samples += job.pcm.length;
    if (!job.isLast) return {};
    const result = { bytes: new Uint8Array(known.voice.end()).buffer, waveform: known.waveform.drawn() };
    end(job.voice);
    return result;
  } catch (error) {
    end(job.voice);
    throw error;
  }
}

async function begin(voice: number): Promise<Begun> {
  const fresh = { voice: await OpusVoice.begin(), waveform: new Waveform(), samples: 0 };
  begun.set(voice, fresh);
  return fresh;
}

function end(voice: number): void {
  begun.get(voice)?.voice.free();
  begun.delete(voice);
}
