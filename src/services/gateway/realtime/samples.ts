import { PCM_RATE, type Pcm } from '../../../lib/pcm.ts';

/** A second: some 64 KB as base64, far below what an event may hold. */
const PIECE = PCM_RATE;

/** Sound as the wire has it, in pieces that fit into an event. Samples are little-endian there and on every machine Node runs on. */
export function* soundInPieces(pcm: Pcm): Generator<string, void, void> {
  for (let start = 0; start < pcm.length; start += PIECE) {
    const piece = pcm.subarray(start, start + PIECE);
    yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('base64');
  }
}

/** Sound from the wire. A sample may be cut in two between events. */
export class SampleReader {
  #half: Buffer = Buffer.alloc(0);

  read(base64: string): Pcm {
    const bytes = Buffer.concat([this.#half, Buffer.from(base64, 'base64')]);
    const whole = bytes.byteLength - (bytes.byteLength % 2);
    this.#half = Buffer.from(bytes.subarray(whole));
    // Copied to a place of its own: samples begin at even addresses only.
    return new Int16Array(new Uint8Array(bytes.subarray(0, whole)).buffer);
  }
}
