/** The minimum height of a bar, which keeps silence visible. */
const MIN_HEIGHT = 0.1;

/** Reduces a waveform to bars, each as high as the highest point in its range. */
export function barHeights(waveform: string, bars: number): number[] {
  const points = decodeBase64(waveform);
  return Array.from({ length: bars }, (_, bar) => {
    const start = Math.floor((bar * points.length) / bars);
    const end = Math.max(start + 1, Math.floor(((bar + 1) * points.length) / bars));
    return Math.max(MIN_HEIGHT, ...points.slice(start, end).map((point) => point / 255));
  });
}

function decodeBase64(base64: string): number[] {
  try {
    return Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch (error) {
    // The waveform comes from a bot and may be invalid.
    if (error instanceof DOMException) return [];
    throw error;
  }
}
