import { createDecoder, DecoderCtl, isOpusError } from 'libopus-wasm';
import { PCM_RATE } from '../../../lib/pcm.ts';
import { Refusal } from '../../../lib/refusal.ts';
import { packetsOf } from './ogg.ts';
import type { Stretch } from './stretch.ts';

/** Positions in Opus files count at this rate, whatever was recorded (RFC 7845, section 4). */
const GRANULE_RATE = 48_000;
const PER_GRANULE = PCM_RATE / GRANULE_RATE;
/** A packet holds 120 ms at most. */
const MOST_IN_PACKET = 0.12 * PCM_RATE;

/** Ogg Opus (RFC 7845). The decoder brings any rate and both channels to what we speak by itself. */
export async function* opusStretches(bytes: Buffer): AsyncGenerator<Stretch> {
  const packets = packetsOf(bytes);
  const head = headOf(packets.next().value?.data);
  // Who wrote the file, and the song's name: nothing to hear.
  packets.next();
  const decoder = await createDecoder({ sampleRate: PCM_RATE, channels: 1, maxFrameSize: MOST_IN_PACKET });
  try {
    decoder.decoderCtl(DecoderCtl.SetGain, head.gain);
    let skip = Math.round(head.preSkip * PER_GRANULE);
    let pageStart = 0;
    let inPage = 0;
    for (const { data, granule, isLast } of packets) {
      let samples = soundIn(data, decoder);
      inPage += samples.length;
      if (granule !== undefined) {
        // The end of the last packet is padding beyond where its page says that the sound stands.
        const beyond = isLast ? inPage - (granule - pageStart) * PER_GRANULE : 0;
        if (beyond > 0) samples = samples.subarray(0, Math.max(0, Math.floor(samples.length - beyond)));
        pageStart = granule;
        inPage = 0;
      }
      const heard = samples.subarray(Math.min(skip, samples.length));
      skip -= samples.length - heard.length;
      yield { samples: heard, rate: PCM_RATE };
    }
  } finally {
    decoder.free();
  }
}

interface OpusHead {
  preSkip: number;
  gain: number;
}

function headOf(packet: Buffer | undefined): OpusHead {
  if (packet?.toString('latin1', 0, 8) !== 'OpusHead') throw new Refusal('refusals.soundUnknown');
  if (packet.length < 19) throw new Refusal('refusals.soundUnreadable');
  // More channels than two are several streams in each packet: no voice is recorded so.
  if (packet[18] !== 0) throw new Refusal('refusals.soundUnknown');
  return { preSkip: packet.readUInt16LE(10), gain: packet.readInt16LE(16) };
}

/** A packet that is broken is a moment of silence and no end: the rest can still be heard. */
function soundIn(packet: Buffer, decoder: { decodeFloat(packet: Uint8Array): Float32Array }): Float32Array {
  if (packet.length === 0) return new Float32Array();
  try {
    return decoder.decodeFloat(packet);
  } catch (error) {
    if (isOpusError(error)) return new Float32Array();
    throw error;
  }
}
