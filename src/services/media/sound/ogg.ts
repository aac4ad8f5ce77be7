const HEADER_BYTES = 27;
const CONTINUED_FLAG = 1;
const FIRST_FLAG = 2;
const LAST_FLAG = 4;
const CRC_POLYNOMIAL = 0x04c11db7;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit++) value = value < 0 ? (value << 1) ^ CRC_POLYNOMIAL : value << 1;
  return value;
});

/** The offset of the checksum in a page. Its own bytes count as zero when it is calculated. */
const CHECKSUM_OFFSET = 22;

/** The checksum of an Ogg page (RFC 3533): a CRC with initial value zero, most significant bit first. */
export function oggChecksum(page: Uint8Array): number {
  let sum = 0;
  for (let offset = 0; offset < page.length; offset++) {
    const byte = offset >= CHECKSUM_OFFSET && offset < CHECKSUM_OFFSET + 4 ? 0 : (page[offset] ?? 0);
    sum = (sum << 8) ^ (CRC_TABLE[((sum >>> 24) ^ byte) & 0xff] ?? 0);
  }
  return sum >>> 0;
}

/** A file with more invalid pages is not searched any further. */
const MAX_INVALID_PAGES = 200;

interface OggPacket {
  data: Buffer;
  /** The audio position after the packet; only for the last packet of a page. */
  granule?: number;
  isLast: boolean;
}

/** Reads the packets of the first stream in an Ogg file (RFC 3533). Invalid pages are skipped, as are the packets that they would complete. */
export function* readPackets(bytes: Buffer): Generator<OggPacket> {
  let serial: number | undefined;
  let expectedNumber: number | undefined;
  let unfinished: Buffer[] = [];
  let invalidPages = 0;
  for (let offset = bytes.indexOf('OggS'); offset !== -1; offset = bytes.indexOf('OggS', offset)) {
    const page = pageAt(bytes, offset);
    if (!page) {
      offset += 4;
      if (++invalidPages > MAX_INVALID_PAGES) return;
      continue;
    }
    offset += page.length;
    const flags = page[5] ?? 0;
    serial ??= page.readUInt32LE(14);
    if (page.readUInt32LE(14) !== serial) continue;
    const number = page.readUInt32LE(18);
    const isContinued = (flags & CONTINUED_FLAG) !== 0 && number === expectedNumber && unfinished.length > 0;
    if (!isContinued) unfinished = [];
    expectedNumber = number + 1;
    yield* packetsIn(page, unfinished, (flags & CONTINUED_FLAG) !== 0 && !isContinued);
    if ((flags & LAST_FLAG) !== 0) return;
  }
}

/** The packets that a page completes. An unfinished one stays in `unfinished` for the next page. */
function* packetsIn(page: Buffer, unfinished: Buffer[], lacksStart: boolean): Generator<OggPacket> {
  const lengths = page.subarray(HEADER_BYTES, HEADER_BYTES + (page[26] ?? 0));
  const lastEnd = lengths.findLastIndex((length) => length < 255);
  let offset = HEADER_BYTES + lengths.length;
  let isSkipping = lacksStart;
  for (const [index, length] of lengths.entries()) {
    unfinished.push(page.subarray(offset, offset + length));
    offset += length;
    if (length === 255) continue;
    const data = unfinished.length === 1 ? page.subarray(offset - length, offset) : Buffer.concat(unfinished);
    unfinished.length = 0;
    const isEnd = index === lastEnd;
    const granule = isEnd ? { granule: Number(page.readBigInt64LE(6)) } : {};
    if (!isSkipping) yield { data, ...granule, isLast: isEnd && ((page[5] ?? 0) & LAST_FLAG) !== 0 };
    isSkipping = false;
  }
  // No packet ended on this page, so what continues on the next one still lacks its beginning.
  if (isSkipping) unfinished.length = 0;
}

function pageAt(bytes: Buffer, offset: number): Buffer | undefined {
  const lengths = offset + HEADER_BYTES;
  if (lengths > bytes.length || bytes[offset + 4] !== 0) return undefined;
  const start = lengths + (bytes[offset + 26] ?? 0);
  let end = start;
  for (let index = lengths; index < start; index++) end += bytes[index] ?? 0;
  if (end > bytes.length) return undefined;
  const page = bytes.subarray(offset, end);
  return page.readUInt32LE(CHECKSUM_OFFSET) === oggChecksum(page) ? page : undefined;
}

/** A page stores its number of segments in one byte. */
const MAX_SEGMENTS = 255;
/** One second of audio, so that players can seek. */
const PACKETS_PER_PAGE = 50;

export interface EncodedPacket {
  data: Uint8Array;
  granule: number;
}

/** Writes one stream as an Ogg file (RFC 3533). Each header has its own page, as Opus requires. */
export class OggWriter {
  readonly #serial: number;
  readonly #pages: Buffer[] = [];
  /** The latest page stays open, because only the end shows that it is the last. */
  #openPage: EncodedPacket[] = [];
  #lengths = 0;
  #isHeaderPage = false;

  constructor(headers: readonly Uint8Array[], serial: number) {
    this.#serial = serial;
    for (const data of headers) {
      this.#close(0);
      this.#put({ data, granule: 0 });
      this.#isHeaderPage = true;
    }
  }

  add(packet: EncodedPacket): void {
    const isFull =
      this.#openPage.length === PACKETS_PER_PAGE || this.#lengths + lengthsOf(packet).length > MAX_SEGMENTS;
    if (this.#isHeaderPage || isFull) this.#close(0);
    this.#put(packet);
  }

  end(): Buffer {
    this.#close(LAST_FLAG);
    return Buffer.concat(this.#pages);
  }

  #put(packet: EncodedPacket): void {
    this.#openPage.push(packet);
    this.#lengths += lengthsOf(packet).length;
  }

  #close(flag: number): void {
    if (this.#openPage.length === 0) return;
    const number = this.#pages.length;
    const flags = (number === 0 ? FIRST_FLAG : 0) | flag;
    this.#pages.push(pageOf(this.#openPage, { flags, serial: this.#serial, number }));
    this.#openPage = [];
    this.#lengths = 0;
    this.#isHeaderPage = false;
  }
}

function pageOf(
  packets: readonly EncodedPacket[],
  { flags, serial, number }: Record<'flags' | 'serial' | 'number', number>,
) {
  const lengths = packets.flatMap(lengthsOf);
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('OggS');
  header[5] = flags;
  header.writeBigInt64LE(BigInt(packets.at(-1)?.granule ?? 0), 6);
  header.writeUInt32LE(serial, 14);
  header.writeUInt32LE(number, 18);
  header[26] = lengths.length;
  const page = Buffer.concat([header, Buffer.from(lengths), ...packets.map(({ data }) => data)]);
  page.writeUInt32LE(oggChecksum(page), CHECKSUM_OFFSET);
  return page;
}

const lengthsOf = ({ data }: EncodedPacket): number[] => [
  ...Array<number>(Math.floor(data.length / 255)).fill(255),
  data.length % 255,
];
