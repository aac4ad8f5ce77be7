/** The minimum height of a bar, which keeps silence visible. */
const MIN_HEIGHT = 0.1;

/** Reduces a waveform to bars, each as high as the highest point in its range. */
export function heights(waveform: string, bars: number): number[] {
  const points = bytesIn(waveform);
  return Array.from({ length: bars }, (_, bar) => {
    const from = Math.floor((bar * points.length) / bars);
    const to = Math.max(from + 1, Math.floor(((bar + 1) * points.length) / bars));
    return Math.max(MIN_HEIGHT, ...points.slice(from, to).map((point) => point / 255));
  });
}

function bytesIn(base64: string): number[] {
  try {
    return Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch (problem) {
    // The waveform comes from a bot and may be invalid.
    if (problem instanceof DOMException) return [];
    throw problem;
  }
}
