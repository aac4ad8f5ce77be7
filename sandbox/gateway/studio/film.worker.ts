import encoding from 'h264-mp4-encoder';
import { compositionOf, markOf, svgOf } from './composition.ts';
import { faststart } from './mp4.ts';
import { type Dice, diceOf, seedOf } from './random.ts';
import type { Reference } from './reference.ts';
import type { Scene } from './scene.ts';
import { blendAll, enlarged, type Placement, sheetOf } from './sheets.ts';
import { even, type Size } from './size.ts';
import type { Layer } from './tools.ts';
import { takeJobs } from './workshop.ts';

export interface FilmJob extends Size {
  readonly scene: Scene;
  readonly seconds: number;
  readonly framesPerSecond: number;
  readonly references: readonly Reference[];
}

/** More pixels than this are not drawn: a larger film is this one enlarged. */
const MOST_PIXELS = 1920 * 1080;
const MOST_SHEETS = 8;
/** The part of the frame that a layer may move before the edge of its sheet shows. */
const MARGIN = 0.08;
const QUANTISER = 27;
const KEYFRAME_SECONDS = 2;
const QUICKEST = 10;
const TURN = 2 * Math.PI;
const STILL: Placement = { zoom: 1, left: 0, top: 0, opacity: 1, sway: () => 0 };

takeJobs(async (job: FilmJob) => {
  const { width, height, seconds, framesPerSecond } = job;
  const scale = Math.min(1, Math.sqrt(MOST_PIXELS / (width * height)));
  const size = { width: even(width * scale), height: even(height * scale) };
  const wide = { width: even(size.width * (1 + 2 * MARGIN)), height: even(size.height * (1 + 2 * MARGIN)) };
  const { tools, layers } = compositionOf(job.scene, size, job.references, MARGIN);
  const placed = [];
  // One after the other: each is some ten megabytes on its way to becoming a sheet.
  for (const layer of gathered(layers))
    placed.push({ layer, sheet: await sheetOf(svgOf(tools.window, wide, layer.svg), wide) });
  const mark = { sheet: await sheetOf(markOf(size), size), placement: STILL };
  const dice = diceOf(seedOf('camera', job.scene.seed, job.scene.prompt));
  const pixels = wide.width / (tools.window.right - tools.window.left);
  const frame = { ...size, bytes: new Uint8Array(size.width * size.height * 1.5) };

  const encoder = await encoding.createH264MP4Encoder();
  encoder.width = width;
  encoder.height = height;
  encoder.frameRate = framesPerSecond;
  encoder.quantizationParameter = QUANTISER;
  encoder.speed = QUICKEST;
  encoder.groupOfPictures = KEYFRAME_SECONDS * framesPerSecond;
  encoder.initialize();
  for (let number = 0; number < Math.round(seconds * framesPerSecond); number++) {
    const time = number / framesPerSecond;
    const sheets = placed.map(({ layer, sheet }, index) => ({
      sheet,
      placement: placementOf({ layer, index, pixels, frame: size, sheet, dice }, time, time / seconds),
    }));
    blendAll(frame, [...sheets, mark]);
    encoder.addFrameYuv(scale < 1 ? await enlarged(frame, job) : frame.bytes);
  }
  encoder.finalize();
  const bytes = faststart(encoder.FS.readFile(encoder.outputFilename));
  encoder.FS.unlink(encoder.outputFilename);
  encoder.delete();
  return bytes;
});

/** Neighbours at almost the same depth become one sheet until there are few enough to lay over each other quickly. */
function gathered(layers: readonly Layer[]): Layer[] {
  const sheets = [...layers];
  while (sheets.length > MOST_SHEETS) {
    const gaps = sheets.map((over, index) => gapBetween(sheets[index - 1], over));
    const closest = gaps.indexOf(Math.min(...gaps));
    const [under, over] = [sheets[closest - 1], sheets[closest]];
    if (!under || !over) return sheets;
    const pulse = Math.min(under.pulse ?? 0, over.pulse ?? 0);
    sheets.splice(closest - 1, 2, { svg: under.svg + over.svg, depth: (under.depth + over.depth) / 2, pulse });
  }
  return sheets;
}

function gapBetween(under: Layer | undefined, over: Layer): number {
  if (!under || under.sway || over.sway) return Number.POSITIVE_INFINITY;
  return Math.abs(over.depth - under.depth) + Math.abs((over.pulse ?? 0) - (under.pulse ?? 0));
}

interface Shot {
  readonly layer: Layer;
  readonly index: number;
  /** Pixels of the sheet per unit of the world. */
  readonly pixels: number;
  readonly frame: Size;
  readonly sheet: Size;
  readonly dice: Dice;
}

/** A slow move that starts and ends softly; near layers go further than far ones, which the eye reads as space. */
function placementOf({ layer, index, pixels, frame, sheet, dice }: Shot, time: number, progress: number): Placement {
  const eased = progress * progress * (3 - 2 * progress) * 0.7 + progress * 0.3;
  const near = 0.12 + 0.88 * layer.depth;
  const zoom = 1 + 0.09 * near * (dice(2) < 0.7 ? eased : 1 - eased);
  const reach = MARGIN * 0.8 * near * (eased * 2 - 1);
  const wave = TURN / (frame.height * (0.45 + 0.25 * dice(3)));
  const bend = (layer.sway ?? 0) * pixels;
  return {
    zoom,
    left: (sheet.width - frame.width / zoom) / 2 + (dice(0) < 0.5 ? -1 : 1) * frame.width * reach,
    top: (sheet.height - frame.height / zoom) / 2 + (dice(1) - 0.5) * frame.height * reach,
    opacity: 1 - (layer.pulse ?? 0) * (0.5 + 0.5 * Math.sin(TURN * time * 0.3 + index * 2.1)),
    sway: (row) => bend * Math.sin(row * wave + TURN * time * 0.16 + index * 1.7),
  };
}
