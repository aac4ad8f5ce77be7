import encoding from 'h264-mp4-encoder';
import sharp from 'sharp';
import { takeJobs } from './bench.ts';
import { blendAll, type Sheet } from './blend.ts';
import { CAMERA_MARGIN, placementOf, type Shot } from './camera.ts';
import { type Composition, compositionOf, markOf, svgOf } from './composition.ts';
import { enlarge } from './enlarge.ts';
import type { FilmJob } from './film.ts';
import { faststart } from './mp4.ts';
import { Frame, type Plane, planeOf } from './planes.ts';
import { diceOf, seedOf } from './random.ts';
import { even, type Size } from './size.ts';
import type { Layer } from './tools.ts';

/** More pixels than this are not drawn: a larger film is this one enlarged. */
const MOST_PIXELS = 1920 * 1080;
const MOST_PLANES = 8;
const QUANTISER = 27;
const KEYFRAME_SECONDS = 2;
const QUICKEST = 10;

takeJobs(async (job: FilmJob) => ({ bytes: await filmOf(job) }));

async function filmOf(job: FilmJob): Promise<Uint8Array<ArrayBuffer>> {
  const frameSize = drawnSize(job);
  const planeSize = {
    width: even(frameSize.width * (1 + 2 * CAMERA_MARGIN)),
    height: even(frameSize.height * (1 + 2 * CAMERA_MARGIN)),
  };
  const composition = compositionOf(job.scene, frameSize, { references: job.references, margin: CAMERA_MARGIN });
  const layers = gathered(composition.layers);
  const planes = await drawnPlanes(composition, layers, planeSize);
  const mark = planeOf(await pixelsOf(markOf(frameSize)), frameSize);
  const shot: Shot = { frame: frameSize, plane: planeSize, window: composition.tools.window, seconds: job.seconds };
  const dice = diceOf(seedOf('camera', job.scene.seed, job.scene.prompt));
  const still = { a: 1, b: 0, tx: 0, ty: 0, sway: 0, phase: 0, wave: 0, opacity: 256 };
  const frame = new Frame(frameSize);
  const enlarged = frameSize.width === job.width && frameSize.height === job.height ? frame : new Frame(job);

  const encoder = await encoding.createH264MP4Encoder();
  encoder.width = job.width;
  encoder.height = job.height;
  encoder.frameRate = job.framesPerSecond;
  encoder.quantizationParameter = QUANTISER;
  encoder.speed = QUICKEST;
  encoder.groupOfPictures = KEYFRAME_SECONDS * job.framesPerSecond;
  encoder.initialize();
  const frames = Math.round(job.seconds * job.framesPerSecond);
  for (let number = 0; number < frames; number++) {
    const time = number / job.framesPerSecond;
    const sheets = layers.flatMap((layer, index): Sheet[] => {
      const plane = planes[index];
      return plane ? [{ plane, placement: placementOf(layer, index, time, shot, dice) }] : [];
    });
    blendAll(frame, [...sheets, { plane: mark, placement: still }]);
    if (enlarged !== frame) enlarge(frame, enlarged);
    encoder.addFrameYuv(enlarged.bytes);
  }
  encoder.finalize();
  const bytes = faststart(encoder.FS.readFile(encoder.outputFilename));
  encoder.FS.unlink(encoder.outputFilename);
  encoder.delete();
  return bytes;
}

function drawnSize({ width, height }: Size): Size {
  const scale = Math.min(1, Math.sqrt(MOST_PIXELS / (width * height)));
  return { width: even(width * scale), height: even(height * scale) };
}

/** Neighbours at almost the same depth become one sheet until there are few enough to lay over each other quickly. */
function gathered(layers: readonly Layer[]): Layer[] {
  const sheets = [...layers];
  while (sheets.length > MOST_PLANES) {
    let closest = -1;
    let distance = Number.POSITIVE_INFINITY;
    for (let index = 1; index < sheets.length; index++) {
      const [under, over] = [sheets[index - 1], sheets[index]];
      if (!under || !over || under.spin || over.spin || under.sway || over.sway) continue;
      const apart = Math.abs(over.depth - under.depth) + Math.abs((over.pulse ?? 0) - (under.pulse ?? 0));
      if (apart < distance) [closest, distance] = [index, apart];
    }
    const [under, over] = [sheets[closest - 1], sheets[closest]];
    if (!under || !over) return sheets;
    const pulse = Math.min(under.pulse ?? 0, over.pulse ?? 0);
    sheets.splice(closest - 1, 2, { svg: under.svg + over.svg, depth: (under.depth + over.depth) / 2, pulse });
  }
  return sheets;
}

async function drawnPlanes({ tools }: Composition, layers: readonly Layer[], size: Size): Promise<Plane[]> {
  const planes: Plane[] = [];
  // One after the other: each is some ten megabytes on its way to becoming a plane.
  for (const layer of layers) planes.push(planeOf(await pixelsOf(svgOf(tools, size, layer.svg)), size));
  return planes;
}

async function pixelsOf(svg: Buffer): Promise<Buffer> {
  return await sharp(svg, { unlimited: true }).ensureAlpha().raw().toBuffer();
}
