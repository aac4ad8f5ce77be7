import { type FileContent, reading } from '../content.ts';
import { brandedType } from '../recognise/brands.ts';
import { isWebm } from '../recognise/ebml.ts';
import { mp4Facts } from './mp4.ts';
import { type FilmFacts, sensible } from './sensible.ts';
import { webmFacts } from './webm.ts';

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
