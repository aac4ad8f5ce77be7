const SOUNDS = ['\x01vorbis', 'OpusHead', 'Speex   ', '\x7fFLAC'];

/** The first page of an Ogg file says what is in it; films of that kind are shown nowhere any more. */
export function isOggSound(bytes: Buffer): boolean {
  if (bytes.length < 58 || bytes.toString('latin1', 0, 5) !== 'OggS\0') return false;
  const start = 27 + (bytes[26] ?? 0);
  return SOUNDS.some((sound) => bytes.toString('latin1', start, start + sound.length) === sound);
}
