import { pieceOf } from './piece.ts';
import { SAMPLE_RATE, type Tape } from './tape.ts';
import { takeJobs } from './workshop.ts';

export interface SoundJob {
  readonly prompt: string;
  readonly seed: number;
  readonly seconds: number;
}

const HEADER = 44;
const BYTES_PER_SAMPLE = 2;
const CHANNELS = 2;

takeJobs((job: SoundJob) => wavOf(pieceOf(job.prompt, job.seed, job.seconds)));

/** RIFF WAVE, 16-bit PCM, stereo. */
function wavOf({ left, right }: Tape): Uint8Array<ArrayBuffer> {
  const frame = CHANNELS * BYTES_PER_SAMPLE;
  const bytes = Buffer.from(new ArrayBuffer(HEADER + left.length * frame));
  bytes.write('RIFF....WAVEfmt ', 'latin1');
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(CHANNELS, 22);
  bytes.writeUInt32LE(SAMPLE_RATE, 24);
  bytes.writeUInt32LE(SAMPLE_RATE * frame, 28);
  bytes.writeUInt16LE(frame, 32);
  bytes.writeUInt16LE(BYTES_PER_SAMPLE * 8, 34);
  bytes.write('data', 36, 'latin1');
  bytes.writeUInt32LE(bytes.length - HEADER, 40);
  const samples = new Int16Array(bytes.buffer, HEADER);
  for (let index = 0; index < left.length; index++) {
    samples[index * 2] = Math.round((left[index] ?? 0) * 32767);
    samples[index * 2 + 1] = Math.round((right[index] ?? 0) * 32767);
  }
  return bytes;
}
