import sharp from 'sharp';
import { scramble } from './random.ts';
import type { Size } from './size.ts';

const SIDE = 256;
/** Out of 255: enough to break up the bands of a gradient, too little to be seen as specks. */
const STRENGTH = 8;

/** A tile of film grain, black and white and almost transparent; never larger than the picture it goes on. */
export async function grainOf(seed: number, picture: Size): Promise<Buffer> {
  const [width, height] = [Math.min(SIDE, picture.width), Math.min(SIDE, picture.height)];
  const pixels = Buffer.alloc(width * height * 2);
  for (let index = 0; index < width * height; index++) {
    const roll = scramble(index ^ Math.imul(seed | 0, 0x9e3779b1));
    pixels[index * 2] = roll & 1 ? 255 : 0;
    pixels[index * 2 + 1] = (roll >>> 8) % STRENGTH;
  }
  return await sharp(pixels, { raw: { width, height, channels: 2 } })
    .png()
    .toBuffer();
}
