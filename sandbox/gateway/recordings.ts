/** The type of a recording by its first bytes; the sandbox looks no further. */
export function audioFormatOf(bytes: Buffer): 'wav' | 'mp3' | 'ogg' | undefined {
  const head = bytes.toString('latin1', 0, 12);
  if (/^RIFF.{4}WAVE$/s.test(head)) return 'wav';
  if (head.startsWith('OggS')) return 'ogg';
  const isFrame = bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0;
  return head.startsWith('ID3') || isFrame ? 'mp3' : undefined;
}

const BYTE_RATE_AT = 28;
const HEAD = 44;
/** About the size of a voice in the other formats. */
const USUAL_BYTE_RATE = 8_000;

/** Rounded up, as transcriptions are billed. */
export function secondsOf(bytes: Buffer): number {
  const isWav = audioFormatOf(bytes) === 'wav' && bytes.length >= HEAD;
  const byteRate = (isWav && bytes.readUInt32LE(BYTE_RATE_AT)) || USUAL_BYTE_RATE;
  return Math.max(1, Math.ceil((bytes.length - (isWav ? HEAD : 0)) / byteRate));
}
