import { along, css, mix } from './colour.ts';
import { cells, n } from './drawing.ts';
import { fractal, noise } from './random.ts';
import type { Layer, Tools } from './tools.ts';

const CURTAINS = 3;
const STREAK = 7;

/** Northern lights: curtains of narrow streaks that hang from a wandering line and burn brightest at their hem. */
export function auroraLayer({ frame, window, palette, dice }: Tools, horizon: number): Layer {
  let svg = '';
  let defs = '';
  for (let curtain = 0; curtain < CURTAINS; curtain++) {
    const shape = dice(`aurora ${curtain}`);
    const colour = mix(palette.accents[curtain % 2 === 0 ? 0 : 1] ?? palette.light, along(palette.sky, 0.95), 0.25);
    const crown = palette.accents[1] ?? palette.light;
    defs += `<linearGradient id="aurora${curtain}" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${css(crown)}" stop-opacity="0"/><stop offset=".55" stop-color="${css(colour)}" stop-opacity=".32"/><stop offset=".93" stop-color="${css(colour)}" stop-opacity=".8"/><stop offset="1" stop-color="${css(colour)}" stop-opacity="0"/></linearGradient>`;
    let streaks = '';
    for (const cell of cells(window.left, window.right, STREAK)) {
      const x = cell * STREAK;
      const strength = Math.min(1, Math.max(0, 0.55 + fractal(shape, x / 300, 3, 1) * 1.1));
      if (strength < 0.04) continue;
      const hem =
        horizon * (0.42 + 0.13 * curtain) + noise(shape, x / 380, 2) * horizon * 0.16 + noise(shape, x / 95, 3) * 9;
      const tall = horizon * (0.22 + 0.26 * strength) + noise(shape, x / 17, 4) * 22;
      const fine = 0.75 + 0.25 * noise(shape, x / 12, 5);
      streaks += `<rect x="${n(x)}" y="${n(hem - tall)}" width="${STREAK + 0.5}" height="${n(tall)}" fill-opacity="${(strength * fine * 0.7).toFixed(2)}"/>`;
    }
    svg += `<g fill="url(#aurora${curtain})">${streaks}</g>`;
  }
  return { svg: `<defs>${defs}</defs>${svg}`, depth: 0.1, sway: 0.02 * frame.height, pulse: 0.35 };
}
