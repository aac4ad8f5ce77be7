const HEAD_BYTES = 27;
const CONTINUED = 1;
const FIRST = 2;
const LAST = 4;
const POLYNOMIAL = 0x04c11db7;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit++) value = value < 0 ? (value << 1) ^ POLYNOMIAL : value << 1;
  return value;
});

/** The position of the checksum in a page. It counts as zero in its own calculation. */
const CHECKSUM_AT = 22;

/** The checksum of an Ogg page (RFC 3533): a CRC with initial value zero, most significant bit first. */
export function oggChecksum(page: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < page.length; at++) {
    const byte = at >= CHECKSUM_AT && at < CHECKSUM_AT + 4 ? 0 : (page[at] ?? 0);
    sum = (sum << 8) ^ (TABLE[((sum >>> 24) ^ byte) & 0xff] ?? 0);
  }
  return sum >>> 0;
}

/** A file with more invalid pages is not searched any further. */
const MAX_BROKEN = 200;

interface OggPacket {
  data: Buffer;
  /** The audio position after the packet; only for the last packet of a page. */
  granule?: number;
  isLast: boolean;
}

/** Reads the packets of the first stream in an Ogg file (RFC 3533). Invalid pages are skipped, as are the packets that they would complete. */
export function* readPackets(bytes: Buffer): Generator<OggPacket> {
  let serial: number | undefined;
  let expected: number | undefined;
  let unfinished: Buffer[] = [];
  let broken = 0;
  for (let at = bytes.indexOf('OggS'); at !== -1; at = bytes.indexOf('OggS', at)) {
    const page = pageAt(bytes, at);
    if (!page) {
      at += 4;
      if (++broken > MAX_BROKEN) return;
      continue;
    }
    at += page.length;
    const flags = page[5] ?? 0;
    serial ??= page.readUInt32LE(14);
    if (page.readUInt32LE(14) !== serial) continue;
    const number = page.readUInt32LE(18);
    const isContinued = (flags & CONTINUED) !== 0 && number === expected && unfinished.length > 0;
    if (!isContinued) unfinished = [];
    expected = number + 1;
    yield* packetsIn(page, unfinished, (flags & CONTINUED) !== 0 && !isContinued);
    if ((flags & LAST) !== 0) return;
  }
}

/** The packets that a page completes. An unfinished one stays in `unfinished` for the next page. */
function* packetsIn(page: Buffer, unfinished: Buffer[], lacksBeginning: boolean): Generator<OggPacket> {
  const lengths = page.subarray(HEAD_BYTES, HEAD_BYTES + (page[26] ?? 0));
  const lastEnd = lengths.findLastIndex((length) => length < 255);
  let at = HEAD_BYTES + lengths.length;
  let skipping = lacksBeginning;
  for (const [index, length] of lengths.entries()) {
    unfinished.push(page.subarray(at, at + length));
    at += length;
    if (length === 255) continue;
    const data = unfinished.length === 1 ? page.subarray(at - length, at) : Buffer.concat(unfinished);
    unfinished.length = 0;
    const isEnd = index === lastEnd;
    const granule = isEnd ? { granule: Number(page.readBigInt64LE(6)) } : {};
    if (!skipping) yield { data, ...granule, isLast: isEnd && ((page[5] ?? 0) & LAST) !== 0 };
    skipping = false;
  }
  // No packet ended on this page, so what continues on the next one still lacks its beginning.
  if (skipping) unfinished.length = 0;
}

function pageAt(bytes: Buffer, at: number): Buffer | undefined {
  const lengths = at + HEAD_BYTES;
  if (lengths > bytes.length || bytes[at + 4] !== 0) return undefined;
  const start = lengths + (bytes[at + 26] ?? 0);
  let end = start;
  for (let index = lengths; index < start; index++) end += bytes[index] ?? 0;
  if (end > bytes.length) return undefined;
  const page = bytes.subarray(at, end);
  return page.readUInt32LE(CHECKSUM_AT) === oggChecksum(page) ? page : undefined;
}

/** A page has one byte for the number of its lengths. */
const MAX_LENGTHS = 255;
/** One second, so that players can seek. */
const PACKETS_PER_PAGE = 50;

export interface Packet {
  data: Uint8Array;
  granule: number;
}

/** Writes one stream as an Ogg file (RFC 3533). Each header has its own page, as Opus requires. */
export class OggWriter {
  readonly #serial: number;
  readonly #pages: Buffer[] = [];
  /** The latest page stays open, because only the end shows that it is the last. */
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
    const isFull = this.#open.length === PACKETS_PER_PAGE || this.#lengths + lengthsOf(packet).length > MAX_LENGTHS;
    if (this.#isHead || isFull) this.#close(0);
    this.#put(packet);
  }

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
  page.writeUInt32LE(oggChecksum(page), CHECKSUM_AT);
  return page;
}

const lengthsOf = ({ data }: Packet): number[] => [
  ...Array<number>(Math.floor(data.length / 255)).fill(255),
  data.length % 255,
];
