import { MPEGDecoder } from 'mpg123-decoder';
import type { Stretch } from './stretch.ts';

/** So little at once, because a minute fits into 60 KB at the lowest rate. */
const BITE_BYTES = 16_384;

export async function* mp3Stretches(bytes: Buffer): AsyncGenerator<Stretch> {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  try {
    for (let at = 0; at < bytes.length; at += BITE_BYTES) {
      const { channelData, sampleRate } = decoder.decode(bytes.subarray(at, at + BITE_BYTES));
      const [left, right] = channelData;
      if (!left?.length) continue;
      const samples = right ? left.map((value, index) => (value + (right[index] ?? 0)) / 2) : left;
      yield { samples, rate: sampleRate };
    }
  } finally {
    decoder.free();
  }
}
