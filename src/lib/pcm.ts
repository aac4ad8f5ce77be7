/** Samples per second, mono: the format of realtime models. */
export const PCM_RATE = 24_000;

/** Audio as plain samples at that rate. */
export type Pcm = Int16Array;

const WAV_HEAD_BYTES = 44;
const SAMPLE_BYTES = Int16Array.BYTES_PER_ELEMENT;

/** The samples as a WAV file. */
export function wavOf(pcm: Pcm): Buffer {
  const head = Buffer.alloc(WAV_HEAD_BYTES);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(WAV_HEAD_BYTES - 8 + pcm.byteLength, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  // Plain samples, one channel.
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(PCM_RATE, 24);
  head.writeUInt32LE(PCM_RATE * SAMPLE_BYTES, 28);
  head.writeUInt16LE(SAMPLE_BYTES, 32);
  head.writeUInt16LE(8 * SAMPLE_BYTES, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(pcm.byteLength, 40);
  return Buffer.concat([head, new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength)]);
}

export const secondsOf = (pcm: Pcm): number => pcm.length / PCM_RATE;
