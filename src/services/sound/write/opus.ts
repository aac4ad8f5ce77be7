import { Application, createEncoder, Signal } from 'libopus-wasm';
import { PCM_RATE, type Pcm } from '../../../lib/pcm.ts';
import { oggOf, type Packet } from './pages.ts';

/** 20 ms, as everywhere on Discord. */
const FRAME = PCM_RATE / 50;
/** Speech gains nothing from more. */
const BITRATE = 32_000;
/** Positions in Opus files count at 48 kHz, whatever was recorded (RFC 7845, section 4). */
const GRANULES = 48_000 / PCM_RATE;
const MAKER = 'Atelier';
/** Tells streams in one file apart, and there is one. */
const SERIAL = 1;

/** A voice as Ogg Opus (RFC 7845). */
export async function opusOf(pcm: Pcm): Promise<Buffer> {
  const encoder = await createEncoder({
    sampleRate: PCM_RATE,
    channels: 1,
    application: Application.Audio,
    signal: Signal.Voice,
    bitrate: BITRATE,
  });
  try {
    // The encoder is late by this much: so much more has to go in for the last of it to come out, and so much is skipped at the start.
    const late = encoder.getLookahead();
    const end = late + pcm.length;
    const packets: Packet[] = [];
    for (let at = 0; at < end; at += FRAME) {
      const frame = new Int16Array(FRAME);
      frame.set(pcm.subarray(at, at + FRAME));
      packets.push({ data: encoder.encode(frame), granule: Math.min(at + FRAME, end) * GRANULES });
    }
    return oggOf([head(late * GRANULES), tags()], packets, SERIAL);
  } finally {
    encoder.free();
  }
}

function head(preSkip: number): Buffer {
  const bytes = Buffer.alloc(19);
  bytes.write('OpusHead');
  bytes[8] = 1;
  bytes[9] = 1;
  bytes.writeUInt16LE(preSkip, 10);
  bytes.writeUInt32LE(PCM_RATE, 12);
  return bytes;
}

function tags(): Buffer {
  const bytes = Buffer.alloc(8 + 4 + MAKER.length + 4);
  bytes.write('OpusTags');
  bytes.writeUInt32LE(MAKER.length, 8);
  bytes.write(MAKER, 12);
  return bytes;
}
