import sharp from 'sharp';
import { drawn, encoded, type Picture, type PictureOptions } from './picture.ts';
import { referencesOf } from './reference.ts';
import type { Scene } from './scene.ts';

const COLUMNS = 2;
const GUTTER_SHARE = 0.006;
const GUTTER_COLOUR = { r: 16, g: 17, b: 21 };

/** Four scenes in reading order with a thin gutter, each composed for the aspect of the whole, as its upscale will be. */
export async function drawGrid(scenes: readonly Scene[], options: PictureOptions): Promise<Picture> {
  const { width, height, finished = 1 } = options;
  const references = await referencesOf(options.references);
  const gutter = Math.max(2, 2 * Math.round((Math.min(width, height) * GUTTER_SHARE) / 2));
  const cell = { width: Math.floor((width - gutter) / COLUMNS), height: Math.floor((height - gutter) / COLUMNS) };
  const quadrants = await Promise.all(
    scenes.slice(0, COLUMNS * COLUMNS).map(async (scene, index) => {
      const { data, ...raw } = await drawn(scene, options, { ...cell, references, finished });
      const [column, row] = [index % COLUMNS, Math.floor(index / COLUMNS)];
      return { input: data, raw, left: column * (width - cell.width), top: row * (height - cell.height) };
    }),
  );
  const board = await sharp({ create: { width, height, channels: 3, background: GUTTER_COLOUR } })
    .raw()
    .toBuffer();
  return await encoded({ data: board, width, height, channels: 3 }, options, quadrants);
}
