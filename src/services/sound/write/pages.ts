import { SUM_AT, sumOf } from '../ogg-sum.ts';

const HEAD_BYTES = 27;
const FIRST = 2;
const LAST = 4;
/** A page has one byte for the number of lengths in it. */
const MOST_LENGTHS = 255;
/** A second, so that a player can go to a place in the file. */
const PACKETS_A_PAGE = 50;

export interface Packet {
  data: Uint8Array;
  /** Where the sound stands after it. */
  granule: number;
}

/** One stream as an Ogg file (RFC 3533). Each head has a page of its own, as Opus wants it. */
export class OggFile {
  readonly #serial: number;
  readonly #pages: Buffer[] = [];
  /** The latest page stays open, for only the end says that it is the last. */
  #open: Packet[] = [];
  #lengths = 0;
  #isHead = false;

  constructor(heads: readonly Uint8Array[], serial: number) {
    this.#serial = serial;
    for (const data of heads) {
      this.#close(0);
      this.#put({ data, granule: 0 });
      this.#isHead = true;
    }
  }

  add(packet: Packet): void {
    const isFull = this.#open.length === PACKETS_A_PAGE || this.#lengths + lengthsOf(packet).length > MOST_LENGTHS;
    if (this.#isHead || isFull) this.#close(0);
    this.#put(packet);
  }

  /** The whole file. */
  end(): Buffer {
    this.#close(LAST);
    return Buffer.concat(this.#pages);
  }

  #put(packet: Packet): void {
    this.#open.push(packet);
    this.#lengths += lengthsOf(packet).length;
  }

  #close(flag: number): void {
    if (this.#open.length === 0) return;
    const number = this.#pages.length;
    const flags = (number === 0 ? FIRST : 0) | flag;
    this.#pages.push(pageOf(this.#open, { flags, serial: this.#serial, number }));
    this.#open = [];
    this.#lengths = 0;
    this.#isHead = false;
  }
}

function pageOf(packets: readonly Packet[], { flags, serial, number }: Record<'flags' | 'serial' | 'number', number>) {
  const lengths = packets.flatMap(lengthsOf);
  const head = Buffer.alloc(HEAD_BYTES);
  head.write('OggS');
  head[5] = flags;
  head.writeBigInt64LE(BigInt(packets.at(-1)?.granule ?? 0), 6);
  head.writeUInt32LE(serial, 14);
  head.writeUInt32LE(number, 18);
  head[26] = lengths.length;
  const page = Buffer.concat([head, Buffer.from(lengths), ...packets.map(({ data }) => data)]);
  page.writeUInt32LE(sumOf(page), SUM_AT);
  return page;
}

/** A packet ends with the first length that is not full. */
const lengthsOf = ({ data }: Packet): number[] => [
  ...Array<number>(Math.floor(data.length / 255)).fill(255),
  data.length % 255,
];
