import { OpusDecoder } from 'opus-decoder';
import { PCM_RATE } from '../../../src/lib/pcm.ts';

/** The only sample rate of the decoder. */
const DECODED_RATE = 48_000;
const PAGE_HEAD = 27;
const GRANULE_AT = 6;
const PRE_SKIP_AT = 10;

/** Returns the samples of a voice message at our rate, decoded by an independent player. */
export async function decodeVoiceMessage(bytes: Buffer): Promise<Int16Array> {
  const { packets, granule } = readOgg(bytes);
  const [head, , ...audio] = packets;
  const preSkip = head?.readUInt16LE(PRE_SKIP_AT) ?? 0;
  const decoder = new OpusDecoder({ channels: 1, preSkip });
  await decoder.ready;
  const { channelData, errors } = decoder.decodeFrames(audio);
  decoder.free();
  if (errors.length > 0) throw new Error(`A player would report: ${errors[0]?.message}`);
  const [samples = new Float32Array()] = channelData;
  const step = DECODED_RATE / PCM_RATE;
  const length = Math.floor((granule - preSkip) / step);
  return Int16Array.from({ length }, (_, at) => Math.round((samples[at * step] ?? 0) * 32_767));
}

function readOgg(bytes: Buffer): { packets: Buffer[]; granule: number } {
  const packets: Buffer[] = [];
  let open: Buffer[] = [];
  let granule = 0;
  for (let at = 0; at < bytes.length; ) {
    const lengths = bytes.subarray(at + PAGE_HEAD, at + PAGE_HEAD + (bytes[at + PAGE_HEAD - 1] ?? 0));
    granule = Number(bytes.readBigInt64LE(at + GRANULE_AT));
    at += PAGE_HEAD + lengths.length;
    for (const length of lengths) {
      open.push(bytes.subarray(at, at + length));
      at += length;
      if (length === 255) continue;
      packets.push(Buffer.concat(open));
      open = [];
    }
  }
  return { packets, granule };
}
