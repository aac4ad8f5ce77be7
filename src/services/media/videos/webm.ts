import type { ContentReader } from '../content.ts';
import type { VideoFacts } from '../media-types.ts';

const EBML = 0x1a45dfa3;
const DOC_TYPE = 0x4282;
const WEBM = 'webm';
/** The specification has eight elements in this header. A much longer list would be an attempt to waste CPU time. */
const MAX_ELEMENTS_IN_HEADER = 32;

/** WebM is Matroska whose header, a short list of small elements, says that it is WebM. */
export function isWebm(bytes: Buffer): boolean {
  if (bytes.length < 12 || bytes.readUInt32BE(0) !== EBML) return false;
  const header = sizeAt(bytes, 4);
  if (!header || header.end + header.value >= bytes.length) return false;
  const end = header.end + header.value;
  let offset = header.end;
  for (let elementCount = 0; elementCount < MAX_ELEMENTS_IN_HEADER && offset + 3 <= end; elementCount++) {
    // Every element of the header except a void has a two-byte id.
    const idBytes = (bytes[offset] ?? 0) >= 0x80 ? 1 : 2;
    const size = sizeAt(bytes, offset + idBytes);
    if (!size) return false;
    const { value, end: start } = size;
    if (idBytes === 2 && bytes.readUInt16BE(offset) === DOC_TYPE) return isNamedWebm(bytes, start, value);
    offset = start + value;
  }
  return false;
}

/** The name may be padded with zeros; the first zero ends it (RFC 8794, 7.4). */
function isNamedWebm(bytes: Buffer, start: number, length: number): boolean {
  if (length < WEBM.length || bytes.toString('latin1', start, start + WEBM.length) !== WEBM) return false;
  return length === WEBM.length || bytes[start + WEBM.length] === 0;
}

/** Sizes in a header fit into four bytes. */
function sizeAt(bytes: Buffer, offset: number) {
  const size = numberAt(bytes, offset, { keepsMarker: false });
  return size && size.value < 2 ** 31 ? size : undefined;
}

// https://www.rfc-editor.org/rfc/rfc9559, section 5.1
const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const TIMESTAMP_SCALE = 0x2ad7b1;
const DURATION = 0x4489;
const TRACKS = 0x1654ae6b;
const TRACK_ENTRY = 0xae;
const VIDEO = 0xe0;
const PIXEL_WIDTH = 0xb0;
const PIXEL_HEIGHT = 0xba;
/** The default for nanoseconds per tick. */
const DEFAULT_SCALE = 1_000_000;
const NANOSECONDS_PER_SECOND = 1e9;
const FACTS: ReadonlySet<number> = new Set([TIMESTAMP_SCALE, DURATION, PIXEL_WIDTH, PIXEL_HEIGHT]);
/** More than any number needs. */
const MAX_FACT_BYTES = 9;

/** Reads the headers of a WebM file. A live recording does not contain its duration. */
export async function webmFacts(reader: ContentReader): Promise<VideoFacts> {
  const contents = new Map<number, Buffer>();
  for await (const { id, from, end } of webmElements(reader))
    if (FACTS.has(id) && !contents.has(id))
      contents.set(id, await reader.read(from, Math.min(MAX_FACT_BYTES, end - from)));
  const scale = readInteger(contents.get(TIMESTAMP_SCALE)) ?? DEFAULT_SCALE;
  const ticks = readFloat(contents.get(DURATION));
  const width = readInteger(contents.get(PIXEL_WIDTH));
  const height = readInteger(contents.get(PIXEL_HEIGHT));
  return {
    ...(width !== undefined && height !== undefined && { width, height }),
    ...(ticks !== undefined && { seconds: (ticks * scale) / NANOSECONDS_PER_SECOND }),
  };
}

/** Its content begins at `from`. */
export interface WebmElement {
  readonly id: number;
  readonly at: number;
  readonly from: number;
  readonly end: number;
}

/** Yields the elements of a file in order, without those whose children it yields. Other elements without a length end the search. */
export async function* webmElements(reader: ContentReader): AsyncGenerator<WebmElement> {
  let at = 0;
  for (let budget = MAX_ELEMENTS; budget > 0 && at < reader.size; budget--) {
    const head = await reader.read(at, MAX_HEADER_BYTES);
    const id = numberAt(head, 0, { keepsMarker: true });
    const size = id && numberAt(head, id.end, { keepsMarker: false });
    if (!size) return;
    const from = at + size.end;
    // A segment often has no length, nor have the clusters of a live recording.
    if (PARENTS.has(id.value) || (id.value === CLUSTER && size.isUnknown)) at = from;
    else {
      const end = from + size.value;
      if (size.isUnknown || end > reader.size) return;
      yield { id: id.value, at, from, end };
      at = end;
    }
  }
}

const CLUSTER = 0x1f43b675;
/** Elements whose children are read. */
const PARENTS: ReadonlySet<number> = new Set([SEGMENT, INFO, TRACKS, TRACK_ENTRY, VIDEO]);
/** An id and a length have at most eight bytes each. */
const MAX_HEADER_BYTES = 16;
/** Enough for one element per second in two hours. More would be an attempt to waste CPU time. */
const MAX_ELEMENTS = 8_000;

const EMPTY = Buffer.alloc(0);

/** Reads a number whose leading zeros give its length in bytes. Ids keep the marker bit that follows these zeros, sizes do not. */
function numberAt(bytes: Buffer, offset: number, { keepsMarker }: { keepsMarker: boolean }) {
  const firstByte = bytes[offset] ?? 0;
  const length = Math.clz32(firstByte) - 23;
  if (length > 8 || offset + length > bytes.length) return undefined;
  const mask = 0xff >> length;
  let value = keepsMarker ? firstByte : firstByte & mask;
  let isUnknown = (firstByte & mask) === mask;
  for (let index = 1; index < length; index++) {
    const byte = bytes[offset + index] ?? 0;
    value = value * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  return { value, isUnknown, end: offset + length };
}

/** Reads an integer from the content of an element. Nothing that is needed here has more than six bytes. */
const readInteger = (content: Buffer = EMPTY): number | undefined =>
  content.length >= 1 && content.length <= 6 ? content.readUIntBE(0, content.length) : undefined;

function readFloat(content: Buffer = EMPTY): number | undefined {
  if (content.length !== 4 && content.length !== 8) return undefined;
  return content.length === 4 ? content.readFloatBE(0) : content.readDoubleBE(0);
}
