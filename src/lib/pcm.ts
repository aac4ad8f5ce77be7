/** Samples per second, in mono, as realtime models expect. */
export const PCM_RATE = 24_000;

/** Mono audio as plain samples, `PCM_RATE` per second. */
export type Pcm = Int16Array;

const WAV_HEADER_BYTES = 44;
const SAMPLE_BYTES = Int16Array.BYTES_PER_ELEMENT;

export function wavOf(pcm: Pcm): Buffer {
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(WAV_HEADER_BYTES - 8 + pcm.byteLength, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  // Plain samples, one channel.
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(PCM_RATE, 24);
  header.writeUInt32LE(PCM_RATE * SAMPLE_BYTES, 28);
  header.writeUInt16LE(SAMPLE_BYTES, 32);
  header.writeUInt16LE(8 * SAMPLE_BYTES, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(pcm.byteLength, 40);
  return Buffer.concat([header, new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength)]);
}

export const secondsOf = (pcm: Pcm): number => pcm.length / PCM_RATE;
