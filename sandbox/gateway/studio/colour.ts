import { clamp } from './random.ts';

/** A colour in OKLab, in which a mixture of two colours looks natural. */
export interface Colour {
  readonly l: number;
  readonly a: number;
  readonly b: number;
}

const toLinear = (channel: number) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);
const fromLinear = (channel: number) => (channel <= 0.0031308 ? channel * 12.92 : 1.055 * channel ** (1 / 2.4) - 0.055);

export function fromRgb(red: number, green: number, blue: number): Colour {
  const [r, g, b] = [toLinear(red / 255), toLinear(green / 255), toLinear(blue / 255)];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {
    l: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    a: 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    b: 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  };
}

export function fromHex(text: string): Colour {
  const value = Number.parseInt(text, 16);
  return fromRgb((value >> 16) & 255, (value >> 8) & 255, value & 255);
}

/** Clips channels that are out of range, because a tint may be more vivid than a screen can show. */
export function toCss(colour: Colour): string {
  const l = (colour.l + 0.3963377774 * colour.a + 0.2158037573 * colour.b) ** 3;
  const m = (colour.l - 0.1055613458 * colour.a - 0.0638541728 * colour.b) ** 3;
  const s = (colour.l - 0.0894841775 * colour.a - 1.291485548 * colour.b) ** 3;
  const channels = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  const bytes = channels.map((channel) => Math.round(fromLinear(clamp(channel)) * 255));
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

export function mix(from: Colour, to: Colour, t: number): Colour {
  return { l: from.l + (to.l - from.l) * t, a: from.a + (to.a - from.a) * t, b: from.b + (to.b - from.b) * t };
}

export const hueOf = (colour: Colour) => Math.atan2(colour.b, colour.a);
export const chromaOf = (colour: Colour) => Math.hypot(colour.a, colour.b);

export function fromLch(l: number, chroma: number, hue: number): Colour {
  return { l, a: Math.cos(hue) * chroma, b: Math.sin(hue) * chroma };
}

export function lighten(colour: Colour, amount: number): Colour {
  return { ...colour, l: clamp(colour.l + amount) };
}

/** Interpolates between the colours of a ramp; `t` is from 0 to 1. */
export function interpolateColours(ramp: readonly Colour[], t: number): Colour {
  const position = clamp(t) * (ramp.length - 1);
  const from = ramp[Math.floor(position)] ?? { l: 0.5, a: 0, b: 0 };
  return mix(from, ramp[Math.ceil(position)] ?? from, position % 1);
}
