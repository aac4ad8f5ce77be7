import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import {
  createStudio,
  panned,
  relative,
  type Scene,
  sceneOf,
  sizeOf,
  zoomedOut,
} from '../../../sandbox/gateway/studio/index.ts';
import { difference, thumbnail } from './compare.ts';

const studio = createStudio();
const SIZE = { width: 192, height: 192 };
const PROMPTS = [
  'a cat in the mountains at dawn',
  'a boat on the sea at sunset',
  'japanese wave pattern',
  'night city in the rain',
  'garden flowers in spring',
  'a planet in space',
  'abstract silk ribbons',
  'bauhaus poster',
];

const drawImage = async (scene: Scene, references?: readonly Buffer[]) =>
  (await studio.drawImage(scene, references ? { ...SIZE, references } : SIZE)).bytes;

async function plainImage(colour: string): Promise<Buffer> {
  return await sharp({ create: { width: 60, height: 40, channels: 3, background: colour } })
    .png()
    .toBuffer();
}

const HOSTILE_PROMPTS = [
  '',
  '<script>alert(1)</script>',
  '& &amp; ]]> --> "\'',
  '🐈‍⬛🌃',
  'word '.repeat(1200),
  '\u0000\uffff\ud800',
  '__proto__ constructor',
];

async function sceneThumbnail(scene: Scene): Promise<Buffer> {
  return await thumbnail(await drawImage(scene));
}

describe('The images of the studio', () => {
  it.each(PROMPTS)('An image of "%s" always has the same bytes', async (prompt) => {
    const [first, second] = await Promise.all([drawImage(sceneOf(prompt, 4)), drawImage(sceneOf(prompt, 4))]);
    expect(first.equals(second)).toBe(true);
    expect((await sharp(first).stats()).channels.some(({ stdev }) => stdev > 12)).toBe(true);
  });

  it.each(['png', 'jpeg', 'webp'] as const)('An image is drawn as %s in the requested size', async (format) => {
    const size = sizeOf(16 / 9, 256);
    const result = await studio.drawImage(sceneOf('forest', 1), { ...size, format });
    expect(result).toMatchObject({ ...size, mime: `image/${format}` });
    expect(await sharp(result.bytes).metadata()).toMatchObject({ ...size, format });
  });

  it('An image depends on its seed and on its prompt', async () => {
    const [first, otherSeed, otherPrompt] = await Promise.all(
      [sceneOf('forest', 1), sceneOf('forest', 2), sceneOf('city', 1)].map(sceneThumbnail),
    );
    expect(difference(first, otherSeed)).toBeGreaterThan(4);
    expect(difference(first, otherPrompt)).toBeGreaterThan(4);
  });

  it.each(PROMPTS)('An image of "%s" keeps its composition in a larger size', async (prompt) => {
    const scene = sceneOf(prompt, 9);
    const largeImage = await studio.drawImage(scene, { width: 480, height: 480 });
    expect(difference(await thumbnail(largeImage.bytes), await sceneThumbnail(scene))).toBeLessThan(7);
  });

  it.each(PROMPTS)('An image of "%s" is more similar to its variations than to another image', async (prompt) => {
    const scene = sceneOf(prompt, 11);
    const [baseThumbnail, subtleVariation, strongVariation, unrelatedThumbnail] = await Promise.all(
      [scene, relative(scene, 5, 'subtle'), relative(scene, 5, 'strong'), sceneOf(prompt, 99_999)].map(sceneThumbnail),
    );
    expect(difference(baseThumbnail, subtleVariation)).toBeGreaterThan(0);
    expect(difference(baseThumbnail, subtleVariation)).toBeLessThan(difference(baseThumbnail, unrelatedThumbnail));
    expect(difference(baseThumbnail, strongVariation)).toBeLessThan(difference(baseThumbnail, unrelatedThumbnail));
  });

  it('A zoomed-out image keeps the original view in its centre', async () => {
    const scene = sceneOf('a cat in the mountains at dawn', 3);
    const zoomedOutBytes = (await studio.drawImage(zoomedOut(scene, 2), { width: 512, height: 512 })).bytes;
    const middle = await thumbnail(zoomedOutBytes, { left: 128, top: 128, width: 256, height: 256 });
    expect(difference(middle, await sceneThumbnail(scene))).toBeLessThan(10);
  });

  it('A panned image is shifted', async () => {
    const scene = sceneOf('a boat on the sea at sunset', 3);
    const [originalImage, shiftedImage] = await Promise.all(
      [scene, panned(scene, 'right')].map(
        async (each) => (await studio.drawImage(each, { width: 500, height: 500 })).bytes,
      ),
    );
    const originalPart = await thumbnail(originalImage ?? Buffer.alloc(0), {
      left: 200,
      top: 0,
      width: 300,
      height: 400,
    });
    const shiftedPart = await thumbnail(shiftedImage ?? Buffer.alloc(0), { left: 0, top: 0, width: 300, height: 400 });
    expect(difference(originalPart, shiftedPart)).toBeLessThan(4);
  });

  it('An image includes its references and ignores unreadable ones', async () => {
    const scene = sceneOf('a quiet valley', 2);
    const [withoutReference, red, blue, withBrokenReference] = await Promise.all([
      drawImage(scene),
      drawImage(scene, [await plainImage('#d02020')]),
      drawImage(scene, [await plainImage('#2030d0')]),
      drawImage(scene, [Buffer.from('not an image')]),
    ]);
    const means = async (bytes: Buffer) => (await sharp(bytes).stats()).channels.map(({ mean }) => mean);
    const [[r1 = 0, , b1 = 0], [r2 = 0, , b2 = 0]] = await Promise.all([means(red), means(blue)]);
    expect(r1 - b1).toBeGreaterThan(20);
    expect(b2 - r2).toBeGreaterThan(20);
    expect(withBrokenReference.equals(withoutReference)).toBe(true);
  });

  it('A preview becomes clearer as the progress increases', async () => {
    const scene = sceneOf('night city in the rain', 2);
    const finishedImage = await drawImage(scene);
    const distances: number[] = [];
    for (const share of [0, 0.3, 0.7]) {
      const preview = await studio.drawImage(scene, { ...SIZE, finished: share });
      expect(preview).toMatchObject(SIZE);
      const pixels = async (bytes: Buffer) => await sharp(bytes).raw().toBuffer();
      distances.push(difference(await pixels(preview.bytes), await pixels(finishedImage)));
    }
    expect(distances).toEqual([...distances].sort((first, second) => second - first));
    expect(distances.at(-1)).toBeGreaterThan(0.5);
  });

  it('An image can be drawn for any prompt', async () => {
    const prompts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.constantFrom(...HOSTILE_PROMPTS),
    );
    await fc.assert(
      fc.asyncProperty(prompts, fc.double(), async (prompt, seed) => {
        const result = await studio.drawImage(sceneOf(prompt, seed), { width: 32, height: 18 });
        expect(result.bytes.length).toBeGreaterThan(60);
      }),
      { numRuns: 40 },
    );
  });
});

describe('The grids of the studio', () => {
  it('Each quadrant of a grid shows its scene as in a single image', async () => {
    const scenes = [1, 2, 3, 4].map((seed) => sceneOf('a boat on the sea', seed));
    const size = { width: 480, height: 270 };
    const grid = await studio.drawGrid(scenes, size);
    expect(grid).toMatchObject(size);
    const quadrants = await Promise.all(
      scenes.map((_, index) =>
        thumbnail(grid.bytes, { left: (index % 2) * 241, top: (index >> 1) * 136, width: 238, height: 133 }),
      ),
    );
    const singleImages = await Promise.all(
      scenes.map(async (scene) => await thumbnail((await studio.drawImage(scene, { width: 960, height: 540 })).bytes)),
    );
    for (const [index, quadrant] of quadrants.entries()) {
      const distances = singleImages.map((each) => difference(quadrant, each));
      expect(distances[index]).toBeLessThan(7);
      expect(Math.min(...distances)).toBe(distances[index]);
    }
  });
});

describe('The edits of the studio', () => {
  it('An edit only changes pixels within the mask', async () => {
    const shape =
      '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><rect width="90" height="60"/><rect x="30" y="15" width="30" height="20" fill="#fff"/></svg>';
    const mask = await sharp(Buffer.from(shape)).png().toBuffer();
    const size = { width: 180, height: 120 };
    const [originalScene, newScene] = [sceneOf('a quiet valley', 2), sceneOf('bauhaus poster', 3)];
    const edit = await studio.drawEdit(originalScene, newScene, mask, size);
    const pixels = async (bytes: Buffer) => await sharp(bytes).raw().toBuffer();
    const [originalPixels, newPixels, editedPixels] = await Promise.all([
      pixels((await studio.drawImage(originalScene, size)).bytes),
      pixels((await studio.drawImage(newScene, size)).bytes),
      pixels(edit.bytes),
    ]);
    let changedCount = 0;
    for (let y = 0; y < size.height; y++) {
      for (let x = 0; x < size.width; x++) {
        const offset = (y * size.width + x) * 3;
        const isUnchanged = originalPixels
          .subarray(offset, offset + 3)
          .equals(editedPixels.subarray(offset, offset + 3));
        const isNearMask = x > 57 && x < 123 && y > 27 && y < 73;
        if (!isUnchanged && !isNearMask) expect.fail(`The pixel at ${x}, ${y} changed.`);
        if (!isUnchanged) changedCount += 1;
      }
    }
    expect(changedCount).toBeGreaterThan(800);
    const middle = (50 * size.width + 90) * 3;
    expect([...editedPixels.subarray(middle, middle + 3)]).toEqual([...newPixels.subarray(middle, middle + 3)]);
  });
});
