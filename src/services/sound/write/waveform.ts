import { PCM_RATE, type Pcm } from '../../../lib/pcm.ts';

/** Discord's clients draw a column for every tenth of a second, and never more than these (docs: Voice Messages). */
const MOST_COLUMNS = 256;
const COLUMN = PCM_RATE / 10;
/** Below this nothing was said, and hiss is not drawn as if it were. */
const QUIET = 0.01 * 32_768;

/** How loud it is from moment to moment, 0 to 255 a column, the loudest one being full. */
export function waveformOf(pcm: Pcm): string {
  const columns = Math.max(1, Math.min(MOST_COLUMNS, Math.ceil(pcm.length / COLUMN)));
  const loudness = Array.from({ length: columns }, (_, column) => {
    const [from, to] = [column, column + 1].map((edge) => Math.round((edge * pcm.length) / columns));
    const part = pcm.subarray(from, to);
    return Math.sqrt(part.reduce((sum, value) => sum + value * value, 0) / Math.max(1, part.length));
  });
  const full = Math.max(QUIET, ...loudness);
  return Buffer.from(loudness.map((value) => Math.round((255 * value) / full))).toString('base64');
}
