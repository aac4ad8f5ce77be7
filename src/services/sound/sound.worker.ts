import { parentPort } from 'node:worker_threads';
import { Refusal } from '../../lib/refusal.ts';
import type { SoundAnswer, SoundJob } from './job.ts';

const port = parentPort;
if (!port) throw new Error('This file runs as a worker.');

/** The codecs are loaded by what needs them first: who only listens never loads a writer. */
async function done(job: SoundJob): Promise<Uint8Array<ArrayBuffer> | Int16Array<ArrayBuffer>> {
  if (job.do === 'read') {
    const { read } = await import('./read/read.ts');
    return await read(job.type, Buffer.from(job.bytes.buffer), job.mostSeconds);
  }
  const { opusOf } = await import('./write/opus.ts');
  return new Uint8Array(await opusOf(job.pcm));
}

async function answer(job: SoundJob): Promise<void> {
  try {
    const bytes = await done(job);
    port?.postMessage({ bytes } satisfies SoundAnswer, [bytes.buffer]);
  } catch (error) {
    port?.postMessage(failure(error));
  }
}

function failure(error: unknown): SoundAnswer {
  if (error instanceof Refusal) return { refused: { key: error.key, variables: error.variables } };
  return { failed: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
}

port.on('message', (job: SoundJob) => void answer(job));
