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
export function oggOf(heads: readonly Uint8Array[], packets: readonly Packet[], serial: number): Buffer {
  const pages: Packet[][] = heads.map((data) => [{ data, granule: 0 }]);
  let page: Packet[] = [];
  let lengths = 0;
  for (const packet of packets) {
    const more = lengthsOf(packet).length;
    if (page.length === 0 || page.length === PACKETS_A_PAGE || lengths + more > MOST_LENGTHS) {
      page = [];
      lengths = 0;
      pages.push(page);
    }
    page.push(packet);
    lengths += more;
  }
  const written = pages.map((packed, number) => {
    const flags = (number === 0 ? FIRST : 0) | (number === pages.length - 1 ? LAST : 0);
    return pageOf(packed, { flags, serial, number });
  });
  return Buffer.concat(written);
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
