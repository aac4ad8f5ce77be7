import type { ContentReader } from '../content.ts';
import { oggChecksum } from '../sound/ogg.ts';
import { blankPart, type UnusedPart } from '../videos/overwrite.ts';

const PAGE_HEADER_BYTES = 27;
const MAX_SEGMENTS = 255;
const FIRST_PAGE_FLAG = 2;
const CHECKSUM_OFFSET = 22;
/** Enough for more than an hour. More pages would be an attempt to waste CPU time. */
const MAX_PAGES = 20_000;

/** Returns what replaces the beginning of a header packet; the rest becomes zeros. Undefined if the packet is needed. */
type Cleaner = (packet: Buffer) => Buffer | undefined;

/** No vendor and no comments. */
const NO_COMMENTS = Buffer.alloc(8);
const FLAC_BLOCK = { padding: 1, seekTable: 3, comment: 4 };

const codecs: readonly { readonly mark: string; readonly clean: Cleaner; readonly isFlac?: true }[] = [
  { mark: 'OpusHead', clean: (packet) => Buffer.concat([packet.subarray(0, 8), NO_COMMENTS]) },
  { mark: '\x01vorbis', clean: (packet) => Buffer.concat([packet.subarray(0, 7), NO_COMMENTS, Buffer.from([1])]) },
  { mark: 'Speex   ', clean: () => NO_COMMENTS },
  { mark: '\x7fFLAC', clean: cleanFlacBlock, isFlac: true },
];

function cleanFlacBlock(packet: Buffer): Buffer | undefined {
  const block = (packet[0] ?? 0) & 0x7f;
  if (block === FLAC_BLOCK.seekTable) return undefined;
  if (block === FLAC_BLOCK.comment) return Buffer.concat([packet.subarray(0, 4), NO_COMMENTS]);
  const head = Buffer.from(packet.subarray(0, 4));
  head[0] = ((packet[0] ?? 0) & 0x80) | FLAC_BLOCK.padding;
  return head;
}

/** A stream while its headers are read. Its first packet describes the audio, the second one contains the comments. */
interface Stream {
  readonly codec: (typeof codecs)[number];
  packetIndex: number;
  /** What happens to the packet that the previous page has begun but not completed. */
  unfinished: 'kept' | 'blanked' | undefined;
  areHeadersRead: boolean;
}

/** Finds the comments of all streams, among them images, and the headers of their pages with the new checksums. */
export async function oggComments(reader: ContentReader): Promise<UnusedPart[]> {
  const parts: UnusedPart[] = [];
  const streams = new Map<number, Stream>();
  let at = 0;
  for (let count = 0; count < MAX_PAGES; count++) {
    const head = await reader.read(at, PAGE_HEADER_BYTES + MAX_SEGMENTS);
    if (head.length < PAGE_HEADER_BYTES || head.toString('latin1', 0, 4) !== 'OggS') break;
    const lengths = head.subarray(PAGE_HEADER_BYTES, PAGE_HEADER_BYTES + (head[26] ?? 0));
    const size = PAGE_HEADER_BYTES + lengths.length + lengths.reduce((sum, length) => sum + length, 0);
    if (at + size > reader.size) break;
    const serial = head.readUInt32LE(14);
    if (((head[5] ?? 0) & FIRST_PAGE_FLAG) !== 0) {
      const mark = (await reader.read(at + PAGE_HEADER_BYTES + lengths.length, 8)).toString('latin1');
      const codec = codecs.find((one) => mark.startsWith(one.mark));
      if (codec) streams.set(serial, { codec, packetIndex: 0, unfinished: undefined, areHeadersRead: false });
    }
    const stream = streams.get(serial);
    if (stream && !stream.areHeadersRead) parts.push(...commentsIn(await reader.read(at, size), at, stream));
    at += size;
  }
  return parts;
}

function commentsIn(page: Buffer, at: number, stream: Stream): UnusedPart[] {
  const parts: UnusedPart[] = [];
  const start = PAGE_HEADER_BYTES + (page[26] ?? 0);
  for (const { from, end, isComplete } of packetsIn(page)) {
    if (stream.unfinished === undefined) {
      const head = cleanHead(page.subarray(from, end), stream);
      if (stream.areHeadersRead) break;
      stream.unfinished = head ? 'blanked' : 'kept';
      if (head) parts.push({ at: at + from, head, from: at + from + head.length, end: at + end });
    } else if (stream.unfinished === 'blanked') parts.push(blankPart(at + from, at + end));
    if (isComplete) {
      stream.packetIndex++;
      stream.unfinished = undefined;
    }
  }
  if (parts.length === 0) return parts;
  const cleanPage = Buffer.from(page);
  for (const part of parts) {
    part.head.copy(cleanPage, part.at - at);
    cleanPage.fill(0, part.from - at, part.end - at);
  }
  cleanPage.writeUInt32LE(oggChecksum(cleanPage), CHECKSUM_OFFSET);
  const header = Buffer.from(cleanPage.subarray(0, start));
  return [{ at, head: header, from: at + start, end: at + start }, ...parts];
}

/** What replaces the beginning of a packet, if the packet is metadata. */
function cleanHead(packet: Buffer, stream: Stream): Buffer | undefined {
  const { codec, packetIndex } = stream;
  if (packetIndex === 0) return undefined;
  stream.areHeadersRead = codec.isFlac ? packet[0] === 0xff : packetIndex > 1;
  const head = stream.areHeadersRead ? undefined : codec.clean(packet);
  return head && head.length <= packet.length ? head : undefined;
}

function packetsIn(page: Buffer): { from: number; end: number; isComplete: boolean }[] {
  const lengths = page.subarray(PAGE_HEADER_BYTES, PAGE_HEADER_BYTES + (page[26] ?? 0));
  const packets: { from: number; end: number; isComplete: boolean }[] = [];
  let end = PAGE_HEADER_BYTES + lengths.length;
  let from = end;
  for (const [index, length] of lengths.entries()) {
    end += length;
    const isComplete = length < MAX_SEGMENTS;
    if (!isComplete && index < lengths.length - 1) continue;
    packets.push({ from, end, isComplete });
    from = end;
  }
  return packets;
}
