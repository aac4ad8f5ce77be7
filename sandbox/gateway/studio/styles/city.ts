import { mix } from '../colour.ts';
import { cells, ellipse, glow, rectangle, round, shape, stop, verticalGradient } from '../drawing.ts';
import { lightLayer, skyLayer, starsLayer } from '../sky.ts';
import type { Layer, Tools } from '../tools.ts';

const ROW_COUNT = 4;
const STREAK_GAP = 34;
const DASH_COUNT = 9;

/** Rows of towers with lit windows in haze, over a wet street that reflects colours. */
export function city(tools: Tools): Layer[] {
  const { frame, randomFor, palette } = tools;
  const random = randomFor('city plan');
  const street = frame.height * (0.8 + 0.06 * random(0));
  const layers = [skyLayer(tools, -frame.height * 0.05, street)];
  if (palette.isNight) layers.push(starsLayer(tools, street * 0.8, 0.35));
  const [x, y] = [frame.width * (0.2 + 0.6 * random(1)), frame.height * (0.2 + 0.2 * random(2))];
  layers.push(lightLayer(tools, x, y, 56 + 54 * random(3)));
  for (let row = 0; row < ROW_COUNT; row++) layers.push(towers(tools, row, street));
  layers.push(wetStreet(tools, street));
  return layers;
}

function towers({ frame, palette, window, randomFor, choices, unit }: Tools, row: number, street: number): Layer {
  const nearness = row / (ROW_COUNT - 1);
  const [shapeDice, kindDice, windowDice, lotWidth] = [
    randomFor(`lot ${row}`),
    choices(`tower ${row}`),
    choices(`window ${row}`),
    62 + 62 * nearness,
  ];
  const [paneWidth, paneHeight] = [3.4 + 3.6 * nearness, 4.6 + 5.4 * nearness];
  const panes = ['', '', ''];
  const outlines = cells(window.left - lotWidth, window.right + lotWidth, lotWidth).map((cell) => {
    const downtown = 0.65 + 0.5 * Math.sin((cell * lotWidth) / (frame.width * 0.3) + row * 2.4 + shapeDice(0, 99) * 6);
    const share = (0.64 - 0.34 * nearness) * (0.35 + 0.75 * shapeDice(cell)) * Math.max(0.45, downtown);
    const [x, width] = [(cell + 0.12 * shapeDice(cell, 1)) * lotWidth, lotWidth * (0.72 + 0.34 * shapeDice(cell, 2))];
    const top = street - frame.height * share - 40;
    const columns = Math.floor(width / paneWidth / 2.1 - 0.76);
    const paneLeft = x + (width - (columns * 2.1 - 1.1) * paneWidth) / 2;
    const litShare = 0.12 + 0.5 * windowDice(cell, 7777) ** 1.5;
    for (let floor = 0, y = top + 14; y < street - 16 && paneWidth > unit * 0.8; floor++, y += paneHeight * 2) {
      const extraShare = windowDice(cell * 13 + 5, floor) < 0.12 ? 0.5 : 0;
      for (let column = 0; column < columns; column++) {
        if (windowDice(cell * 64 + column, floor + 20) > litShare + extraShare) continue;
        const tint = Math.floor(windowDice(cell * 64 + column, floor + 4000) ** 2.2 * panes.length);
        panes[tint] +=
          `M${round(paneLeft + column * paneWidth * 2.1)} ${round(y)}h${round(paneWidth)}v${round(paneHeight)}h-${round(paneWidth)}z`;
      }
    }
    return tower(x, width, top, street, kindDice(cell));
  });
  const body = mix(palette.land(0.1 + 0.88 * nearness), palette.sky(0.8), 0.3 * (1 - nearness));
  const tints = [mix(palette.accent(2), palette.light, 0.45), palette.accent(0), palette.accent(1)];
  const windows = tints.map((colour, tint) => shape(panes[tint] ?? '', colour, 0.4 + 0.52 * nearness));
  const hazeArea = { ...window, top: street - frame.height * 0.42, bottom: street + 2 };
  const hazeStop = { ...palette.sky(0.9), opacity: 0.5 * (1 - nearness) + 0.06 };
  const haze = verticalGradient(`haze${row}`, hazeArea.top, street, [{ ...palette.sky(0.85), opacity: 0 }, hazeStop]);
  const svg = shape(outlines.join(''), body) + windows.join('') + haze + rectangle(hazeArea, `haze${row}`);
  return { svg, depth: 0.12 + 0.7 * nearness };
}

/** A tower; some have set-back floors or a mast, others a slanted or a round roof. */
function tower(x: number, width: number, top: number, street: number, kind: number): string {
  const middle = x + width / 2;
  const block = (share: number, rise: number, bottom = top + 2) =>
    `M${round(middle - width * share)} ${round(bottom)}V${round(top - rise)}H${round(middle + width * share)}V${round(bottom)}Z`;
  const box = block(0.5, 0, street + 4);
  const mast = `M${round(middle - 1.3)} ${round(top)}l1.3 -90l1.3 90Z`;
  if (kind < 0.2) return box + block(0.34, 26) + block(0.2, 48) + mast;
  if (kind < 0.38)
    return `${box}M${round(x)} ${round(top + 1)}l${round(width)} ${round(-width * 0.45)}v${round(width * 0.45)}Z`;
  if (kind < 0.52)
    return `${box}M${round(x)} ${round(top + 1)}q${round(width / 2)} ${round(-width * 0.7)} ${round(width)} 0Z`;
  if (kind < 0.72) return box + block(0.3, 20);
  return kind < 0.82 ? box + mast : box;
}

/** Streaks of reflected light, broken into dashes. */
function wetStreet({ window, palette, randomFor, frame }: Tools, street: number): Layer {
  const dark = palette.land(1);
  const surfaceStops = [mix(dark, palette.sky(0.85), 0.42), stop(0.25, mix(dark, palette.sky(0.6), 0.22)), dark];
  const [placeDice, shapeDice] = [randomFor('streak place'), randomFor('streak shape')];
  const streaks = cells(window.left, window.right, STREAK_GAP).map((cell) => {
    if (placeDice(cell) > 0.72) return '';
    const x = (cell + shapeDice(cell)) * STREAK_GAP;
    const colour = palette.accent(Math.floor(shapeDice(cell, 1) * 4));
    const length = (frame.height - street) * (0.3 + 0.75 * shapeDice(cell, 2));
    const dashes = Array.from({ length: DASH_COUNT }, (_, dash) => {
      const t = dash / DASH_COUNT;
      const halfWidth = (3 + 9 * shapeDice(cell, 3)) * (0.6 + t) * (0.5 + placeDice(cell, dash));
      const offset = (placeDice(cell, dash + 20) - 0.5) * 7;
      return ellipse(x + offset, street + 7 + t * length, halfWidth, 1.4 + 2.2 * t, colour, 0.62 * (1 - t));
    });
    const lamp = glow(`lamp${cell}`, x, street - 4, 30 + 40 * shapeDice(cell, 5), palette.accent(0), 0.75);
    return (shapeDice(cell, 4) < 0.32 ? lamp : '') + dashes.join('');
  });
  const surface =
    verticalGradient('street', street, frame.height, surfaceStops) + rectangle({ ...window, top: street }, 'street');
  return { svg: surface + streaks.join(''), depth: 0.9 };
}
