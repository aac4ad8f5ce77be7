import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { crc32, createDeflate, deflateSync } from 'node:zlib';

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

interface PngHeader {
  width: number;
  height: number;
  bitDepth: 8 | 16;
  /** 2 without alpha, 6 with alpha. */
  colourType: 2 | 6;
  isInterlaced: boolean;
}

function pngOf({ width, height, bitDepth, colourType, isInterlaced }: PngHeader, pixels: Buffer): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, bitDepth, colourType, 0, 0, isInterlaced ? 1 : 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

/** A PNG with 20 MB of incompressible pixels, generated so that the repository needs no large file. */
export function incompressiblePng(): Buffer {
  const [width, height] = [2_580, 2_580];
  const rowBytes = 1 + 3 * width;
  const rows = randomBytes(rowBytes * height);
  for (let offset = 0; offset < rows.length; offset += rowBytes) rows[offset] = 0;
  return pngOf({ width, height, bitDepth: 8, colourType: 2, isInterlaced: false }, deflateSync(rows, { level: 0 }));
}

/** For each of the seven passes of an interlaced PNG: the horizontal start and step, then the vertical start and step. */
const INTERLACE_PASSES = [
  [0, 8, 0, 8],
  [4, 8, 0, 8],
  [0, 4, 4, 8],
  [2, 4, 0, 4],
  [0, 2, 2, 4],
  [1, 2, 0, 2],
  [0, 1, 1, 2],
] as const;
const CHUNK_BYTES = 2 ** 20;

/** 79 million transparent RGBA pixels with 16 bits per channel, which have to be decoded all at once, in a file of 600 KB. */
export async function decompressionBombPng(): Promise<Buffer> {
  const side = 8_888;
  const passBytes = INTERLACE_PASSES.map(
    ([x, xStep, y, yStep]) => Math.ceil((side - y) / yStep) * (1 + 8 * Math.ceil((side - x) / xStep)),
  );
  const deflate = createDeflate({ level: 9 });
  const compressed = buffer(deflate);
  for (let remaining = passBytes.reduce((sum, pass) => sum + pass, 0); remaining > 0; remaining -= CHUNK_BYTES) {
    if (!deflate.write(Buffer.alloc(Math.min(remaining, CHUNK_BYTES)))) await once(deflate, 'drain');
  }
  deflate.end();
  return pngOf({ width: side, height: side, bitDepth: 16, colourType: 6, isInterlaced: true }, await compressed);
}
