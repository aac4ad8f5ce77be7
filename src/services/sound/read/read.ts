import type { Readable } from '../readable.ts';
import { recorded } from './recording.ts';
import type { Stretches } from './stretch.ts';
import { wavStretches } from './wav.ts';

/** Each codec is loaded by the first file that needs it. */
const readers: Readonly<Record<Readable, (bytes: Buffer) => Promise<Stretches>>> = {
  ogg: async (bytes) => (await import('./opus.ts')).opusStretches(bytes),
  mp3: async (bytes) => (await import('./mp3.ts')).mp3Stretches(bytes),
  wav: async (bytes) => wavStretches(bytes),
};

export async function read(type: Readable, bytes: Buffer, mostSeconds: number): Promise<Int16Array<ArrayBuffer>> {
  return await recorded(await readers[type](bytes), mostSeconds);
}
