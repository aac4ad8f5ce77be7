import { OpusDecoder } from 'opus-decoder';
import { PCM_RATE } from '../../../src/lib/pcm.ts';

/** The sample rate that the decoder returns. */
const DECODED_RATE = 48_000;
const PAGE_HEADER_SIZE = 27;
const GRANULE_OFFSET = 6;
const PRE_SKIP_OFFSET = 10;

/** Decodes a voice message with a third-party decoder, and returns its samples at `PCM_RATE`. */
export async function decodeVoiceMessage(bytes: Buffer): Promise<Int16Array> {
  const { packets, granule } = readOgg(bytes);
  const [head, , ...audio] = packets;
  const preSkip = head?.readUInt16LE(PRE_SKIP_OFFSET) ?? 0;
  const decoder = new OpusDecoder({ channels: 1, preSkip });
  await decoder.ready;
  const { channelData, errors } = decoder.decodeFrames(audio);
  decoder.free();
  if (errors.length > 0) throw new Error(`A player would report: ${errors[0]?.message}`);
  const [samples = new Float32Array()] = channelData;
  const step = DECODED_RATE / PCM_RATE;
  const length = Math.floor((granule - preSkip) / step);
  return Int16Array.from({ length }, (_, index) => Math.round((samples[index * step] ?? 0) * 32_767));
}

function readOgg(bytes: Buffer): { packets: Buffer[]; granule: number } {
  const packets: Buffer[] = [];
  let pending: Buffer[] = [];
  let granule = 0;
  for (let offset = 0; offset < bytes.length; ) {
    const lengths = bytes.subarray(
      offset + PAGE_HEADER_SIZE,
      offset + PAGE_HEADER_SIZE + (bytes[offset + PAGE_HEADER_SIZE - 1] ?? 0),
    );
    granule = Number(bytes.readBigInt64LE(offset + GRANULE_OFFSET));
    offset += PAGE_HEADER_SIZE + lengths.length;
    for (const length of lengths) {
      pending.push(bytes.subarray(offset, offset + length));
      offset += length;
      if (length === 255) continue;
      packets.push(Buffer.concat(pending));
      pending = [];
    }
  }
  return { packets, granule };
}
