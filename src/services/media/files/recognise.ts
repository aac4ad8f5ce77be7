import { type ContentReader, type FileContent, memoryContent, withReader } from '../content.ts';
import { type MediaType, mediaTypes, type VideoFacts } from '../media-types.ts';
import { latin1, mp4Facts, mp4FamilyType } from '../videos/mp4.ts';
import { isWebm, webmFacts } from '../videos/webm.ts';

/** The first segment of a JPEG can be up to 64 KiB long. Nothing else that is needed comes later, except for the end of an ID3 tag. */
const HEADER_BYTES = 72 * 1024;

/**
 * Recognises the type of a file by its bytes alone. A signature is not enough, because anything may follow it. Reads a limited header in
 * a limited number of steps.
 */
export function recognise(file: Buffer): MediaType | undefined {
  return recogniseHeader(file.subarray(0, HEADER_BYTES)) ?? (isMp3(file) ? mediaTypes.mp3 : undefined);
}

export async function recogniseContent(reader: ContentReader): Promise<MediaType | undefined> {
  const head = await reader.read(0, HEADER_BYTES);
  const type = recogniseHeader(head);
  if (type) return type;
  const end = endOfTag(head);
  if (end === undefined) return isMp3(head) ? mediaTypes.mp3 : undefined;
  return startsWithFrames(await reader.read(end, BYTES_AFTER_TAG)) ? mediaTypes.mp3 : undefined;
}

function recogniseHeader(bytes: Buffer): MediaType | undefined {
  if (isPng(bytes)) return mediaTypes.png;
  if (isJpeg(bytes)) return mediaTypes.jpeg;
  if (isGif(bytes)) return mediaTypes.gif;
  if (isWebm(bytes)) return mediaTypes.webm;
  if (isOggAudio(bytes)) return mediaTypes.ogg;
  // MP3 comes last, because without a tag only its first two bytes are known.
  return riffType(bytes) ?? mp4FamilyType(bytes);
}

/** Everything needed from a WebM file comes before its first frames. */
const WEBM_HEADER_BYTES = 256 * 1024;

/** Reads the headers of MP4, MOV and WebM. Other files have no facts. */
export async function videoFacts(content: FileContent): Promise<VideoFacts> {
  return await withReader(content, async (reader) => {
    const head = await reader.read(0, WEBM_HEADER_BYTES);
    if (isWebm(head)) return plausibleFacts(await withReader(memoryContent(head), webmFacts));
    return mp4FamilyType(head)?.kind === 'video' ? plausibleFacts(await mp4Facts(reader)) : {};
  });
}

const MAX_SIDE = 65_535;
const MAX_DURATION_SECONDS = 7 * 24 * 60 * 60;

function plausibleFacts({ width, height, seconds }: VideoFacts): VideoFacts {
  const isSide = (side: number | undefined): side is number =>
    side !== undefined && Number.isSafeInteger(side) && side > 0 && side <= MAX_SIDE;
  return {
    ...(isSide(width) && isSide(height) && { width, height }),
    ...(seconds !== undefined && seconds > 0 && seconds <= MAX_DURATION_SECONDS && { seconds }),
  };
}

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
/** The signature, IHDR and IEND. A shorter file is not an image. */
const MIN_PNG_BYTES = 8 + 25 + 12;

const isPng = (bytes: Buffer): boolean =>
  bytes.length >= MIN_PNG_BYTES && bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE);

function isJpeg(bytes: Buffer): boolean {
  if (bytes.length < 8 || bytes.readUIntBE(0, 3) !== 0xffd8ff) return false;
  let offset = 3;
  while (bytes[offset] === 0xff) offset++;
  const marker = bytes[offset] ?? 0;
  if (marker < 0xc0 || marker === 0xd8 || marker === 0xd9 || offset + 3 > bytes.length) return false;
  return bytes[offset + 1 + bytes.readUInt16BE(offset + 1)] === 0xff;
}

function isGif(bytes: Buffer): boolean {
  if (bytes.length < 14 || !/^GIF8[79]a$/.test(latin1(bytes, 0, 6))) return false;
  if (bytes.readUInt16LE(6) === 0 || bytes.readUInt16LE(8) === 0) return false;
  const flags = bytes[10] ?? 0;
  const block = bytes[13 + ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))];
  return block === 0x21 || block === 0x2c;
}

function riffType(bytes: Buffer): MediaType | undefined {
  if (bytes.length < 26 || latin1(bytes, 0, 4) !== 'RIFF') return undefined;
  const form = latin1(bytes, 8, 12);
  if (form === 'WEBP') return /^VP8[ LX]$/.test(latin1(bytes, 12, 16)) ? mediaTypes.webp : undefined;
  // Some writers put other chunks first.
  const head = bytes.subarray(12, 4_096);
  return form === 'WAVE' && head.includes('fmt ') && bytes.length >= 44 ? mediaTypes.wav : undefined;
}

const OGG_AUDIO_CODECS = ['\x01vorbis', 'OpusHead', 'Speex   ', '\x7fFLAC'];

/** The first page of an Ogg file says what it contains; Ogg video is obsolete. */
function isOggAudio(bytes: Buffer): boolean {
  if (bytes.length < 58 || latin1(bytes, 0, 5) !== 'OggS\0') return false;
  const start = 27 + (bytes[26] ?? 0);
  return OGG_AUDIO_CODECS.some((codec) => latin1(bytes, start, start + codec.length) === codec);
}

/** Kilobits per second, by four bits of a frame's header; the first and the last value have other meanings. */
const MPEG1_BITRATES = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG2_BITRATES = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const SAMPLE_RATES = [44_100, 48_000, 32_000];
/** Some writers leave a gap between the tag and the first frame. */
const MAX_GAP = 4_096;
/** The longest layer III frame, and the header of the next one. */
const MAX_FRAME_LENGTH = 1_441 + 4;
/** How many bytes have to be read after a tag. */
const BYTES_AFTER_TAG = MAX_GAP + MAX_FRAME_LENGTH;

/** Requires two frames in a row, with or without a tag before them, because the eleven set bits of a single header can occur anywhere. */
export function isMp3(bytes: Buffer): boolean {
  const end = endOfTag(bytes);
  return end === undefined ? hasFramesAt(bytes, 0) : startsWithFrames(bytes.subarray(end, end + BYTES_AFTER_TAG));
}

function startsWithFrames(bytes: Buffer): boolean {
  for (let offset = 0; offset < Math.min(MAX_GAP, bytes.length); offset++) if (hasFramesAt(bytes, offset)) return true;
  return false;
}

function hasFramesAt(bytes: Buffer, offset: number): boolean {
  const length = frameLengthAt(bytes, offset);
  return length !== undefined && frameLengthAt(bytes, offset + length) !== undefined;
}

function frameLengthAt(bytes: Buffer, offset: number): number | undefined {
  if (offset + 4 > bytes.length) return undefined;
  const header = bytes.readUInt32BE(offset);
  const version = (header >>> 19) & 3;
  const isMpeg1 = version === 3;
  if (header >>> 21 !== 0x7ff || version === 1 || ((header >>> 17) & 3) !== 1) return undefined;
  const bitrate = (isMpeg1 ? MPEG1_BITRATES : MPEG2_BITRATES)[(header >>> 12) & 15];
  const baseSampleRate = SAMPLE_RATES[(header >>> 10) & 3];
  if (!bitrate || !baseSampleRate) return undefined;
  const sampleRate = isMpeg1 ? baseSampleRate : version === 2 ? baseSampleRate / 2 : baseSampleRate / 4;
  return Math.floor(((isMpeg1 ? 144_000 : 72_000) * bitrate) / sampleRate) + ((header >>> 9) & 1);
}

/** The end of the ID3 tag before the frames. Its size is stored with seven bits per byte, and a cover can make it megabytes long. */
export function endOfTag(bytes: Buffer): number | undefined {
  if (bytes.length < 10 || latin1(bytes, 0, 3) !== 'ID3') return undefined;
  const size = bytes.subarray(6, 10);
  if (size.some((byte) => byte >= 0x80)) return undefined;
  const footer = ((bytes[5] ?? 0) & 0x10) === 0 ? 0 : 10;
  return 10 + size.reduce((sum, byte) => sum * 128 + byte, 0) + footer;
}
