import sharp, { type Sharp } from 'sharp';

/** An image of noise, which cannot be compressed. */
export function noise(width: number, height: number, channels: 3 | 4 = 3): Sharp {
  const pixels = Buffer.alloc(width * height * channels);
  // A fixed recurrence, so every run uses the same image.
  let state = 1;
  for (let index = 0; index < pixels.length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    pixels[index] = state >>> 24;
  }
  return sharp(pixels, { raw: { width, height, channels } });
}

/** Adds the given number of bytes to a PNG, in a chunk that decoders skip. */
export function withExtraBytes(png: Buffer, bytes: number): Buffer {
  const chunk = Buffer.alloc(12 + bytes);
  chunk.writeUInt32BE(bytes, 0);
  chunk.write('saNd', 4, 'latin1');
  const end = png.length - 12;
  return Buffer.concat([png.subarray(0, end), chunk, png.subarray(end)]);
}
