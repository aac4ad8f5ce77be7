import { systemClock } from '../../../../lib/clock.ts';
import { PCM_RATE } from '../../../../lib/pcm.ts';
import { Refusal } from '../../../../lib/refusal.ts';
import { type JobResult, WorkerPool } from '../../../../lib/worker-pool.ts';
import type { ReadJob } from '../../sound/reading.worker.ts';
import type { WriteJob, WriteResult } from '../../sound/writing.worker.ts';
import type { Job, JobInput, JobOutput } from '../jobs.ts';

/** A slow file occupies one worker and leaves two for the others. */
const READER_COUNT = 3;
/** An hour of audio takes about ten seconds; loading a codec takes longer on a busy machine. */
const BASE_READ_MS = 30_000;
const READ_MS_PER_SECOND = 100;
/** The memory of a codec and its state. */
const WORKER_BYTES = 32 * 2 ** 20;

const scriptUrl = (script: string): URL => new URL(`../../sound/${script}`, import.meta.url);
const readers = new WorkerPool<ReadJob, ArrayBuffer>(scriptUrl('reading.worker.ts'), systemClock, {
  workers: READER_COUNT,
});
/** `VoiceQueue` decides how long encoders stay alive. */
const writer = new WorkerPool<WriteJob, WriteResult>(scriptUrl('writing.worker.ts'), systemClock, {
  maxWaiting: Number.POSITIVE_INFINITY,
  isNeeded: () => true,
});

type ReadSound = Extract<Job, { do: 'read-sound' }>;

export async function runAudioReadJob({ type, maxSeconds }: ReadSound, { bytes, claim }: JobInput): Promise<JobOutput> {
  // The samples are in memory twice: once where they are collected, and once where they are sent from.
  const samples = 2 * maxSeconds * PCM_RATE * Int16Array.BYTES_PER_ELEMENT;
  const release = await claim(bytes.length + samples + WORKER_BYTES);
  try {
    // Transfers the buffer if `bytes` spans all of it, otherwise a copy.
    const transferable = new Uint8Array(bytes.length === bytes.buffer.byteLength ? bytes.buffer : bytes);
    const longestMs = BASE_READ_MS + maxSeconds * READ_MS_PER_SECOND;
    const pcm = unwrap(
      await readers.run({ type, bytes: transferable, maxSeconds }, [transferable.buffer], { longestMs }),
    );
    return { facts: {}, body: new Uint8Array(pcm) };
  } finally {
    release();
  }
}

export async function runVoiceAudioJob(job: Extract<Job, { voice: number }>, { bytes }: JobInput): Promise<JobOutput> {
  const pcm = new Int16Array(bytes.length / Int16Array.BYTES_PER_ELEMENT);
  Buffer.from(pcm.buffer).set(bytes);
  const writeJob = job.do === 'write-voice' ? { ...job, pcm } : job;
  const { bytes: file, waveform } = unwrap(await writer.run(writeJob, [pcm.buffer]));
  return file ? { facts: { waveform }, body: new Uint8Array(file) } : { facts: {} };
}

function unwrap<Result>(result: JobResult<Result>): Result {
  if ('done' in result) return result.done;
  if ('refused' in result) throw new Refusal(result.refused.key, result.refused.variables);
  throw new Error(result.failed);
}
