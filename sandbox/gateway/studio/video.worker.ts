import encoding from 'h264-mp4-encoder';
import { compositionOf, svgOf, watermarkOf } from './composition.ts';
import { faststart } from './mp4.ts';
import { type Dice, diceOf, seedOf } from './random.ts';
import type { Reference } from './reference.ts';
import type { Scene } from './scene.ts';
import { drawSheet, enlarge, type Placement, type Sheet, sheetOf } from './sheets.ts';
import { roundToEven, type Size } from './size.ts';
import type { Layer } from './tools.ts';
import { serveJobs } from './workshop.ts';

export interface VideoJob extends Size {
  readonly scene: Scene;
  readonly seconds: number;
  readonly framesPerSecond: number;
  readonly references: readonly Reference[];
}

/** The maximum number of pixels that are drawn; a larger video is enlarged. */
const MAX_PIXELS = 1920 * 1080;
/** The share of the frame by which a layer may move before the edge of its sheet becomes visible. */
const MARGIN = 0.08;
const QUANTIZATION = 27;
const KEYFRAME_SECONDS = 2;
const FASTEST_SPEED = 10;
const TURN = 2 * Math.PI;
const FIXED_PLACEMENT: Placement = { zoom: 1, left: 0, top: 0, opacity: 1, sway: () => 0 };

serveJobs(async (job: VideoJob) => {
  const { width, height, seconds, framesPerSecond } = job;
  const scale = Math.min(1, Math.sqrt(MAX_PIXELS / (width * height)));
  const size = { width: roundToEven(width * scale), height: roundToEven(height * scale) };
  const sheetSize = {
    width: roundToEven(size.width * (1 + 2 * MARGIN)),
    height: roundToEven(size.height * (1 + 2 * MARGIN)),
  };
  const { tools, layers } = compositionOf(job.scene, size, job.references, MARGIN);
  const sheets: { layer: Layer; sheet: Sheet }[] = [];
  // One at a time, because converting each layer takes about ten megabytes of memory.
  for (const layer of layers)
    sheets.push({ layer, sheet: await sheetOf(svgOf(tools.window, sheetSize, layer.svg), sheetSize) });
  const watermark = await sheetOf(watermarkOf(size), size);
  const dice = diceOf(seedOf('camera', job.scene.seed, job.scene.prompt));
  const frame = { ...size, bytes: new Uint8Array(size.width * size.height * 1.5) };

  const encoder = await encoding.createH264MP4Encoder();
  encoder.width = width;
  encoder.height = height;
  encoder.frameRate = framesPerSecond;
  encoder.quantizationParameter = QUANTIZATION;
  encoder.speed = FASTEST_SPEED;
  encoder.groupOfPictures = KEYFRAME_SECONDS * framesPerSecond;
  encoder.initialize();
  for (let frameIndex = 0; frameIndex < Math.round(seconds * framesPerSecond); frameIndex++) {
    const time = frameIndex / framesPerSecond;
    for (const { layer, sheet } of sheets)
      drawSheet(frame, sheet, placementOf(layer, sheet, frame, dice, time, time / seconds));
    drawSheet(frame, watermark, FIXED_PLACEMENT);
    encoder.addFrameYuv(scale < 1 ? await enlarge(frame, job) : frame.bytes);
  }
  encoder.finalize();
  const bytes = faststart(Buffer.from(encoder.FS.readFile(encoder.outputFilename)));
  encoder.FS.unlink(encoder.outputFilename);
  encoder.delete();
  return new Uint8Array(bytes);
});

/** A slow camera move with a soft start and end; near layers move further than far ones, which creates an impression of depth. */
function placementOf(layer: Layer, sheet: Size, frame: Size, dice: Dice, time: number, progress: number): Placement {
  const eased = progress * progress * (3 - 2 * progress) * 0.7 + progress * 0.3;
  const nearness = 0.12 + 0.88 * layer.depth;
  const zoom = 1 + 0.09 * nearness * (dice(2) < 0.7 ? eased : 1 - eased);
  const travel = MARGIN * 0.8 * nearness * (eased * 2 - 1);
  const wave = TURN / (frame.height * (0.45 + 0.25 * dice(3)));
  const swayPixels = ((layer.sway ?? 0) * Math.min(frame.width, frame.height)) / 1000;
  return {
    zoom,
    left: (sheet.width - frame.width / zoom) / 2 + (dice(0) < 0.5 ? -1 : 1) * frame.width * travel,
    top: (sheet.height - frame.height / zoom) / 2 + (dice(1) - 0.5) * frame.height * travel,
    opacity: 1 - (layer.pulse ?? 0) * (0.5 + 0.5 * Math.sin(TURN * time * 0.3 + layer.depth * 17)),
    sway: (row) => swayPixels * Math.sin(row * wave + TURN * time * 0.16 + layer.depth * 13),
  };
}
