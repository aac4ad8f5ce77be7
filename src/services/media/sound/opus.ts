import {
  Application,
  createDecoder,
  createEncoder,
  DecoderCtl,
  isOpusError,
  type OpusEncoderHandle,
  Signal,
} from 'libopus-wasm';
import { PCM_RATE, type Pcm } from '../../../lib/pcm.ts';
import { Refusal } from '../../../lib/refusal.ts';
import { OggWriter, readPackets } from './ogg.ts';
import type { AudioChunk } from './resample.ts';

/** Positions in Opus files count samples at 48 kHz, regardless of the recording’s rate (RFC 7845, section 4). */
const GRANULES_PER_SAMPLE = 48_000 / PCM_RATE;
/** A packet contains at most 120 ms. */
const MAX_PACKET_SAMPLES = 0.12 * PCM_RATE;

/** Reads Ogg Opus (RFC 7845). The decoder converts any rate, and stereo, to our format. */
export async function* decodeOpus(bytes: Buffer): AsyncGenerator<AudioChunk> {
  const packets = readPackets(bytes);
  const header = parseHeader(packets.next().value?.data);
  // Skip the packet with the tags.
  packets.next();
  const decoder = await createDecoder({ sampleRate: PCM_RATE, channels: 1, maxFrameSize: MAX_PACKET_SAMPLES });
  try {
    decoder.decoderCtl(DecoderCtl.SetGain, header.gain);
    let skip = Math.round(header.preSkip / GRANULES_PER_SAMPLE);
    let pageStart = 0;
    let samplesInPage = 0;
    for (const { data, granule, isLast } of packets) {
      let samples = decodePacket(data, decoder);
      samplesInPage += samples.length;
      if (granule !== undefined) {
        // The last packet contains padding after the end position of its page.
        const padding = isLast ? samplesInPage - (granule - pageStart) / GRANULES_PER_SAMPLE : 0;
        if (padding > 0) samples = samples.subarray(0, Math.max(0, Math.floor(samples.length - padding)));
        pageStart = granule;
        samplesInPage = 0;
      }
      const audible = samples.subarray(Math.min(skip, samples.length));
      skip -= samples.length - audible.length;
      yield { samples: audible, rate: PCM_RATE };
    }
  } finally {
    decoder.free();
  }
}

function parseHeader(packet: Buffer | undefined): { preSkip: number; gain: number } {
  if (packet?.toString('latin1', 0, 8) !== 'OpusHead') throw new Refusal('refusals.audioNotSupported');
  if (packet.length < 19) throw new Refusal('refusals.audioDamaged');
  // More than two channels means several streams in each packet, which voice recordings do not have.
  if (packet[18] !== 0) throw new Refusal('refusals.audioNotSupported');
  return { preSkip: packet.readUInt16LE(10), gain: packet.readInt16LE(16) };
}

/** A broken packet becomes a moment of silence, so that the rest can still be heard. */
function decodePacket(packet: Buffer, decoder: { decodeFloat(packet: Uint8Array): Float32Array }): Float32Array {
  if (packet.length === 0) return new Float32Array();
  try {
    return decoder.decodeFloat(packet);
  } catch (error) {
    if (isOpusError(error)) return new Float32Array();
    throw error;
  }
}

/** The samples of 20 ms, the usual frame on Discord. */
const FRAME_SAMPLES = PCM_RATE / 50;
/** A higher bitrate does not improve speech. */
const BITRATE = 32_000;
/** Half of the maximum (10) takes half the time, and speech sounds just as close to the original. */
const COMPLEXITY = 5;
/** The vendor is "Atelier", and there are no comments. */
const TAGS_PACKET = Buffer.from('OpusTags\x07\0\0\0Atelier\0\0\0\0', 'latin1');
/** The number of the stream in its file, which has only one. */
const STREAM_SERIAL = 1;

/** Encodes a voice message as Ogg Opus (RFC 7845) while it arrives. The result does not depend on how the samples are split. */
export class OpusWriter {
  readonly #encoder: OpusEncoderHandle;
  /** The encoder's delay: this many extra samples are needed to flush the end, and as many are skipped at the start. */
  readonly #delay: number;
  readonly #file: OggWriter;
  #frame = new Int16Array(FRAME_SAMPLES);
  #samplesInFrame = 0;
  #samples = 0;
  #encodedSamples = 0;

  static async create(): Promise<OpusWriter> {
    const encoder = await createEncoder({
      sampleRate: PCM_RATE,
      channels: 1,
      application: Application.Audio,
      signal: Signal.Voice,
      bitrate: BITRATE,
      complexity: COMPLEXITY,
    });
    return new OpusWriter(encoder);
  }

  private constructor(encoder: OpusEncoderHandle) {
    this.#encoder = encoder;
    this.#delay = encoder.getLookahead();
    this.#file = new OggWriter([createHeader(this.#delay * GRANULES_PER_SAMPLE), TAGS_PACKET], STREAM_SERIAL);
  }

  add(pcm: Pcm): void {
    this.#samples += pcm.length;
    for (let offset = 0; offset < pcm.length; ) {
      const part = pcm.subarray(offset, offset + FRAME_SAMPLES - this.#samplesInFrame);
      this.#frame.set(part, this.#samplesInFrame);
      this.#samplesInFrame += part.length;
      offset += part.length;
      if (this.#samplesInFrame === FRAME_SAMPLES) this.#encode(this.#encodedSamples + FRAME_SAMPLES);
    }
  }

  end(): Buffer {
    const end = this.#delay + this.#samples;
    while (this.#encodedSamples < end) this.#encode(Math.min(this.#encodedSamples + FRAME_SAMPLES, end));
    return this.#file.end();
  }

  free(): void {
    this.#encoder.free();
  }

  #encode(endPosition: number): void {
    this.#file.add({ data: this.#encoder.encode(this.#frame), granule: endPosition * GRANULES_PER_SAMPLE });
    this.#encodedSamples += FRAME_SAMPLES;
    this.#frame.fill(0);
    this.#samplesInFrame = 0;
  }
}

function createHeader(preSkip: number): Buffer {
  const bytes = Buffer.alloc(19);
  bytes.write('OpusHead');
  bytes[8] = 1;
  bytes[9] = 1;
  bytes.writeUInt16LE(preSkip, 10);
  bytes.writeUInt32LE(PCM_RATE, 12);
  return bytes;
}

/** Discord's clients draw one column per tenth of a second, and at most this many (docs: Voice Messages). */
const MAX_COLUMNS = 256;
const COLUMN_SAMPLES = PCM_RATE / 10;
/** The level of the loudest column if there is no speech, so that noise does not look like speech. */
const MIN_PEAK = 0.01 * 32_768;
/** Hundreds per column, so that no edge between two cells is visible. */
const MAX_CELLS = 2 ** 17;

/**
 * The waveform of a voice message. Its loudest column has the value 255. The width of columns is only known at the end; until then,
 * cells hold the power, and are merged in pairs when all are full.
 */
export class Waveform {
  readonly #cells = new Float32Array(MAX_CELLS);
  #width = 1;
  #samples = 0;

  add(pcm: Pcm): void {
    for (const value of pcm) {
      if (this.#samples === MAX_CELLS * this.#width) this.#widen();
      const cell = Math.floor(this.#samples / this.#width);
      this.#cells[cell] = (this.#cells[cell] ?? 0) + value * value;
      this.#samples += 1;
    }
  }

  toBase64(): string {
    const samples = this.#samples;
    const columns = Math.max(1, Math.min(MAX_COLUMNS, Math.ceil(samples / COLUMN_SAMPLES)));
    const loudness = Array.from({ length: columns }, (_, column) => {
      const [from = 0, to = 0] = [column, column + 1].map((edge) => Math.round((edge * samples) / columns));
      const cells = this.#cells.subarray(Math.round(from / this.#width), Math.round(to / this.#width));
      return Math.sqrt(cells.reduce((sum, power) => sum + power, 0) / Math.max(1, to - from));
    });
    const peak = Math.max(MIN_PEAK, ...loudness);
    return Buffer.from(loudness.map((value) => Math.round((255 * value) / peak))).toString('base64');
  }

  #widen(): void {
    const halfCount = MAX_CELLS / 2;
    for (let cell = 0; cell < halfCount; cell++) {
      this.#cells[cell] = (this.#cells[2 * cell] ?? 0) + (this.#cells[2 * cell + 1] ?? 0);
    }
    this.#cells.fill(0, halfCount);
    this.#width *= 2;
  }
}
