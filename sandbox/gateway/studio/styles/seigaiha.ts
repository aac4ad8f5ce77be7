import { lighten, mix } from '../colour.ts';
import { cells, circle } from '../drawing.ts';
import { fractalNoise } from '../random.ts';
import { cloudsLayer, lightLayer, skyLayer } from '../sky.ts';
import type { Layer, Tools } from '../tools.ts';

const SHEET_COUNT = 6;
const RING_COUNT = 5;
const MAX_ROWS = 80;

/** The wave pattern of Japanese cloth: rows of concentric rings, each in front of the row above and larger. */
export function seigaiha(tools: Tools): Layer[] {
  const { frame, window, randomFor } = tools;
  const random = randomFor('wave plan');
  const shore = frame.height * (0.3 + 0.14 * random(0));
  const size = Math.min(frame.width, frame.height) * (0.12 + 0.07 * random(3));
  const rows: string[] = [];
  for (let y = shore; y < window.bottom + 200 && rows.length < MAX_ROWS; ) {
    const nearness = (y - shore) / (frame.height - shore);
    const radius = 40 + 78 * Math.min(1.6, nearness);
    rows.push(row(tools, y, radius, nearness, rows.length));
    y += radius * 0.5;
  }
  const sheets = Array.from({ length: SHEET_COUNT }, (_, sheet): Layer => {
    const [start, end] = [sheet, sheet + 1].map((edge) => Math.floor((edge * rows.length) / SHEET_COUNT));
    return {
      svg: rows.slice(start, end).join(''),
      depth: 0.2 + (0.8 * sheet) / (SHEET_COUNT - 1),
      sway: 3 + sheet * 2,
    };
  });
  return [
    skyLayer(tools, 0, shore * 1.1),
    lightLayer(tools, frame.width * (0.25 + 0.5 * random(1)), shore - frame.height * (0.02 + 0.1 * random(2)), size),
    cloudsLayer(tools, shore, 0.3),
    ...sheets,
  ];
}

function row(
  { window, frame, palette, randomFor }: Tools,
  y: number,
  radius: number,
  nearness: number,
  rowIndex: number,
): string {
  const [tideDice, toneDice, sparkDice] = [randomFor('tide'), randomFor('scale tone'), randomFor('scale spark')];
  const [gap, middle] = [radius * 2, frame.width / 2];
  const rim = mix(palette.paper, palette.sky(0.85), 0.25);
  const scales = cells(window.left - middle - gap, window.right - middle + gap, gap).map((cell) => {
    const x = middle + (cell + (rowIndex % 2) * 0.5) * gap;
    const rise = fractalNoise(tideDice, x / 520 + rowIndex * 0.13, 2, 1) * 46 * (0.3 + 0.65 * nearness);
    const depth = 0.12 + 0.75 * nearness + fractalNoise(toneDice, x / 300 + rowIndex * 0.31, 2, 4) * 0.26;
    const isSpecial = sparkDice(cell, rowIndex) < 0.07;
    const body = isSpecial ? palette.accent(Math.floor(sparkDice(cell, rowIndex + 300) * 2)) : palette.land(depth);
    const rings = Array.from({ length: RING_COUNT }, (_, ring) => {
      const fill = ring % 2 ? mix(rim, body, 0.16) : lighten(mix(body, rim, ring * 0.05), ring * 0.03);
      return circle(x, y + radius * 0.4 + rise, radius * (0.94 - ring * 0.19), fill);
    });
    return circle(x, y + radius * 0.4 + rise, radius, rim) + rings.join('');
  });
  return scales.join('');
}
