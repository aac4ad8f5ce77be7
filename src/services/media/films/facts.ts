import { type FileContent, reading } from '../content.ts';
import type { FilmFacts } from '../media-types.ts';
import { brandedType, mp4Facts } from './mp4.ts';
import { isWebm, webmFacts } from './webm.ts';

/** What is wanted of a WebM stands before its first pictures. */
const HEAD = 256 * 1024;

/** Reads the heads of MP4, MOV and WebM, whatever they claim. Other files have no facts. */
export async function filmFacts(content: FileContent): Promise<FilmFacts> {
  return await reading(content, async (reader) => {
    const head = await reader.read(0, HEAD);
    if (isWebm(head)) return sensible(webmFacts(head));
    return brandedType(head)?.kind === 'video' ? sensible(await mp4Facts(reader)) : {};
  });
}

const LONGEST_SIDE = 65_535;
const LONGEST_SECONDS = 7 * 24 * 60 * 60;

/** What can be believed of it. */
function sensible({ width, height, seconds }: FilmFacts): FilmFacts {
  const isSide = (side: number | undefined): side is number =>
    side !== undefined && Number.isSafeInteger(side) && side > 0 && side <= LONGEST_SIDE;
  return {
    ...(isSide(width) && isSide(height) && { width, height }),
    ...(seconds !== undefined && seconds > 0 && seconds <= LONGEST_SECONDS && { seconds }),
  };
}
