const EBML = 0x1a45dfa3;
const DOC_TYPE = 0x4282;
const WEBM = 'webm';
/** The specification knows eight elements in this header; a longer list is there to keep us busy. */
const MOST_ELEMENTS = 32;

/** WebM is the Matroska that calls itself so in its header, a short list of small elements. */
export function isWebm(bytes: Buffer): boolean {
  if (bytes.length < 12 || bytes.readUInt32BE(0) !== EBML) return false;
  const header = sizeAt(bytes, 4);
  if (!header || header.end + header.value >= bytes.length) return false;
  const end = header.end + header.value;
  let at = header.end;
  for (let elements = 0; elements < MOST_ELEMENTS && at + 3 <= end; elements++) {
    // Every element of the header but a void has an id of two bytes.
    const idBytes = (bytes[at] ?? 0) >= 0x80 ? 1 : 2;
    const size = sizeAt(bytes, at + idBytes);
    if (!size) return false;
    const { value, end: start } = size;
    if (idBytes === 2 && bytes.readUInt16BE(at) === DOC_TYPE) return isNamedWebm(bytes, start, value);
    at = start + value;
  }
  return false;
}

/** A name may be padded with zeros, and the first of them ends it (RFC 8794, 7.4). */
function isNamedWebm(bytes: Buffer, start: number, length: number): boolean {
  if (length < WEBM.length || bytes.toString('latin1', start, start + WEBM.length) !== WEBM) return false;
  return length === WEBM.length || bytes[start + WEBM.length] === 0;
}

/** A number whose leading zeros say how many bytes it has; those of a header fit into four. */
function sizeAt(bytes: Buffer, at: number): { value: number; end: number } | undefined {
  const first = bytes[at] ?? 0;
  const length = Math.clz32(first) - 23;
  if (length > 8 || at + length > bytes.length) return undefined;
  let value = first & (0xff >> length);
  for (let next = 1; next < length; next++) value = value * 256 + (bytes[at + next] ?? 0);
  return value < 2 ** 31 ? { value, end: at + length } : undefined;
}
