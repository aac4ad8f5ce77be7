/** The format of a recording, judged only by its first bytes. */
export function audioFormatOf(bytes: Buffer): 'wav' | 'mp3' | 'ogg' | undefined {
  const head = bytes.toString('latin1', 0, 12);
  if (/^RIFF.{4}WAVE$/s.test(head)) return 'wav';
  if (head.startsWith('OggS')) return 'ogg';
  const isFrame = bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0;
  return head.startsWith('ID3') || isFrame ? 'mp3' : undefined;
}

const BYTE_RATE_OFFSET = 28;
const HEADER_BYTES = 44;
/** The assumed byte rate of the other formats. */
const ASSUMED_BYTE_RATE = 8_000;

/** The duration of a recording in whole seconds, rounded up, as transcriptions are billed. */
export function secondsOf(bytes: Buffer): number {
  const isWav = audioFormatOf(bytes) === 'wav' && bytes.length >= HEADER_BYTES;
  const byteRate = (isWav && bytes.readUInt32LE(BYTE_RATE_OFFSET)) || ASSUMED_BYTE_RATE;
  return Math.max(1, Math.ceil((bytes.length - (isWav ? HEADER_BYTES : 0)) / byteRate));
}
