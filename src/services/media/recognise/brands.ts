import { text } from './signatures.ts';
import { type MediaType, mediaTypes } from './types.ts';

/** More names than this in one list are not a list of names. */
const MOST_BYTES = 1_024;

const AVIF = /^(avif|avis)$/;
/** Still pictures of other kinds in the same container, which neither Discord nor sharp's decoders show. */
const OTHER_PICTURE = /^(hei[cmsx]|hev[cmsx]|mif1|msf1|crx |jp2 |jpx |jxl )$/;
const SOUND = /^(M4A |M4B |M4P |F4A |F4B )$/;
const QUICKTIME = /^qt {2}$/;
const FILM = /^(iso[2-9a-c]|isom|mp4[12]|avc1|M4V |M4VH|M4VP|MSNV|mmp4|dash|F4V |f4v )$/;

/** The family of MP4: a first box that lists the brands by which a file may be read; its own comes first. */
export function brandedType(bytes: Buffer): MediaType | undefined {
  if (bytes.length < 16 || text(bytes, 4, 8) !== 'ftyp') return undefined;
  const end = bytes.readUInt32BE(0);
  // A list of brands and nothing behind it is no film.
  if (end < 16 || end % 4 !== 0 || end > MOST_BYTES || bytes.length < end + 8) return undefined;
  const own = text(bytes, 8, 12);
  const others: string[] = [];
  for (let at = 16; at < end; at += 4) others.push(text(bytes, at, at + 4));
  if (AVIF.test(own)) return mediaTypes.avif;
  if (OTHER_PICTURE.test(own)) return others.some((brand) => AVIF.test(brand)) ? mediaTypes.avif : undefined;
  if (SOUND.test(own)) return mediaTypes.m4a;
  if (QUICKTIME.test(own)) return mediaTypes.mov;
  return FILM.test(own) || others.some((brand) => FILM.test(brand)) ? mediaTypes.mp4 : undefined;
}
