import { crc32 } from 'node:zlib';
import type { GeneratedFile } from './file-cache.ts';

const CHUNK_OVERHEAD_BYTES = 12;
const LARGEST_CHUNK = pngChunk(1024 * 1024);

/** Pads a file to the given size. The file stays valid, because the padding goes where the format allows it. */
export function padFile(bytes: Buffer, mime: string, size: number): Buffer {
  const paddingBytes = size - bytes.length;
  if (paddingBytes <= 0) return bytes;
  if (mime === 'image/png') {
    const end = bytes.length - 12;
    return Buffer.concat([bytes.subarray(0, end), ...pngPadding(paddingBytes), bytes.subarray(end)]);
  }
  if (mime === 'video/mp4') {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(Math.max(8, paddingBytes), 0);
    head.write('free', 4, 'latin1');
    return Buffer.concat([bytes, head, Buffer.alloc(Math.max(0, paddingBytes - 8))]);
  }
  // Readers of the other formats ignore everything after the length that the header states.
  return Buffer.concat([bytes, Buffer.alloc(paddingBytes)]);
}

/** Private chunks of a megabyte each: readers skip these, but refuse larger ones. */
function pngPadding(size: number): Buffer[] {
  const rest = size % LARGEST_CHUNK.length;
  const lastChunk = rest > 0 ? [pngChunk(Math.max(0, rest - CHUNK_OVERHEAD_BYTES))] : [];
  return [...Array<Buffer>(Math.floor(size / LARGEST_CHUNK.length)).fill(LARGEST_CHUNK), ...lastChunk];
}

function pngChunk(length: number): Buffer {
  const chunk = Buffer.alloc(length + CHUNK_OVERHEAD_BYTES);
  chunk.writeUInt32BE(length, 0);
  chunk.write('saNd', 4, 'latin1');
  chunk.writeUInt32BE(crc32(chunk.subarray(4, length + 8)), length + 8);
  return chunk;
}

/** A file whose content does not match its name and content type. */
export function mislabelledFile(disguise: 'html' | 'executable', mime: string): GeneratedFile {
  const bytes =
    disguise === 'html'
      ? Buffer.from('<!doctype html><html><head><title>Sign in</title></head><body>This is not an image.</body></html>')
      : Buffer.concat([
          Buffer.from('MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff\x00\x00', 'latin1'),
          Buffer.alloc(496),
        ]);
  return { bytes, mime };
}
