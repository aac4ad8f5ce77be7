/** Kilobits a second by the four bits of a frame's header; the first and the last mean something else. */
const RATES_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const RATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const SAMPLES = [44_100, 48_000, 32_000];
/** Some writers leave a gap between the tag and the first frame. */
const MOST_GAP = 4_096;

/** The longest frame of layer III, and the header of the one behind it. */
const LONGEST_FRAME = 1_441 + 4;

/** How much behind a tag has to be looked at. */
export const BEHIND_TAG = MOST_GAP + LONGEST_FRAME;

/** Two frames in a row, with or without a tag before them: eleven set bits alone occur anywhere. */
export function isMp3(bytes: Buffer): boolean {
  const end = endOfTag(bytes);
  return end === undefined ? areFrames(bytes, 0) : beginsWithFrames(bytes.subarray(end, end + BEHIND_TAG));
}

/** What stands behind a tag. */
export function beginsWithFrames(bytes: Buffer): boolean {
  for (let at = 0; at < Math.min(MOST_GAP, bytes.length); at++) if (areFrames(bytes, at)) return true;
  return false;
}

function areFrames(bytes: Buffer, at: number): boolean {
  const length = frameAt(bytes, at);
  return length !== undefined && frameAt(bytes, at + length) !== undefined;
}

/** The length of the frame of layer III that begins here. */
function frameAt(bytes: Buffer, at: number): number | undefined {
  if (at + 4 > bytes.length) return undefined;
  const header = bytes.readUInt32BE(at);
  const version = (header >>> 19) & 3;
  const isFirst = version === 3;
  if (header >>> 21 !== 0x7ff || version === 1 || ((header >>> 17) & 3) !== 1) return undefined;
  const rate = (isFirst ? RATES_1 : RATES_2)[(header >>> 12) & 15];
  const samples = SAMPLES[(header >>> 10) & 3];
  if (!rate || !samples) return undefined;
  const perSecond = isFirst ? samples : version === 2 ? samples / 2 : samples / 4;
  return Math.floor(((isFirst ? 144_000 : 72_000) * rate) / perSecond) + ((header >>> 9) & 1);
}

/** Where the tag before the frames ends, if there is one: its size is written in bytes of seven bits. A cover may make it megabytes long. */
export function endOfTag(bytes: Buffer): number | undefined {
  if (bytes.length < 10 || bytes.toString('latin1', 0, 3) !== 'ID3') return undefined;
  const size = bytes.subarray(6, 10);
  if (size.some((byte) => byte >= 0x80)) return undefined;
  const footer = ((bytes[5] ?? 0) & 0x10) === 0 ? 0 : 10;
  return 10 + size.reduce((sum, byte) => sum * 128 + byte, 0) + footer;
}
