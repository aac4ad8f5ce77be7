import { SAMPLE_RATE, type Tape } from './tape.ts';

const HEADER = 44;
const BYTES_PER_SAMPLE = 2;
const CHANNELS = 2;

/** RIFF WAVE, 16-bit PCM, stereo. */
export function wavOf({ left, right }: Tape): Uint8Array<ArrayBuffer> {
  const dataLength = left.length * CHANNELS * BYTES_PER_SAMPLE;
  const bytes = new Uint8Array(HEADER + dataLength);
  const view = new DataView(bytes.buffer);
  const text = (at: number, letters: string) => bytes.set(new TextEncoder().encode(letters), at);
  text(0, 'RIFF');
  view.setUint32(4, HEADER - 8 + dataLength, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, CHANNELS, true);
  view.setUint32(24, SAMPLE_RATE, true);
  view.setUint32(28, SAMPLE_RATE * CHANNELS * BYTES_PER_SAMPLE, true);
  view.setUint16(32, CHANNELS * BYTES_PER_SAMPLE, true);
  view.setUint16(34, BYTES_PER_SAMPLE * 8, true);
  text(36, 'data');
  view.setUint32(40, dataLength, true);
  for (let index = 0; index < left.length; index++) {
    view.setInt16(HEADER + index * 4, Math.round((left[index] as number) * 32767), true);
    view.setInt16(HEADER + index * 4 + 2, Math.round((right[index] as number) * 32767), true);
  }
  return bytes;
}
