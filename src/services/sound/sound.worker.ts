import { parentPort } from 'node:worker_threads';
import { Refusal } from '../../lib/refusal.ts';
import type { SoundAnswer, SoundJob, SoundResult } from './job.ts';

const port = parentPort;
if (!port) throw new Error('This file runs as a worker.');

/** The codecs are loaded by what needs them first: who only listens never loads a writer. */
async function done(job: SoundJob): Promise<SoundResult> {
  if (job.do === 'read') {
    const { read } = await import('./read/read.ts');
    const pcm = await read(job.type, Buffer.from(job.bytes.buffer), job.mostSeconds);
    return { bytes: pcm.buffer };
  }
  const [{ opusOf }, { waveformOf }] = await Promise.all([import('./write/opus.ts'), import('./write/waveform.ts')]);
  return { bytes: new Uint8Array(await opusOf(job.pcm)).buffer, waveform: waveformOf(job.pcm) };
}

async function answer(job: SoundJob): Promise<void> {
  try {
    const result = await done(job);
    port?.postMessage(result satisfies SoundAnswer, [result.bytes]);
  } catch (error) {
    port?.postMessage(failure(error));
  }
}

function failure(error: unknown): SoundAnswer {
  if (error instanceof Refusal) return { refused: { key: error.key, variables: error.variables } };
  return { failed: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
}

port.on('message', (job: SoundJob) => void answer(job));
