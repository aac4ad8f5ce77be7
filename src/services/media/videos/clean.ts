import { open } from 'node:fs/promises';
import { type ContentReader, type FileContent, withReader } from '../content.ts';
import type { SourceType } from '../images/provenance.ts';
import { type MediaType, mediaTypes } from '../media-types.ts';
import { type FoundBox, mp4Metadata } from './metadata.ts';
import { webmTags } from './webm.ts';

export interface CleanedVideo {
  readonly content: FileContent;
  /** Whether a C2PA manifest covers the video, so that nothing in the video may change. */
  readonly isSealed: boolean;
  /** Whether a manifest covered a location, so that both were removed. */
  readonly lostManifest: boolean;
  /** The origin that the file's own metadata gave. */
  readonly sourceType?: SourceType | undefined;
}

/**
 * Removes metadata such as locations, devices and comments from a video. The parts that contained it become unused parts of the
 * same length, so no other byte moves and all offsets stay valid. A file on disk is changed in place. Audio and other formats
 * are returned unchanged.
 */
export async function cleanVideo(content: FileContent, type: MediaType): Promise<CleanedVideo> {
  const unchanged = { content, isSealed: false, lostManifest: false };
  if (type === mediaTypes.webm) {
    const tags = await withReader(content, (reader) => Array.fromAsync(webmTags(reader), voidElement));
    return { ...unchanged, content: await overwrite(content, tags) };
  }
  if (type !== mediaTypes.mp4 && type !== mediaTypes.mov) return unchanged;
  const { boxes, manifests, hasLocation, sourceType } = await withReader(content, mp4Metadata);
  const lostManifest = manifests.length > 0 && hasLocation;
  if (manifests.length > 0 && !lostManifest) return { ...unchanged, isSealed: true };
  const unusedParts = [...boxes, ...manifests].map(freeBox);
  return { content: await overwrite(content, unusedParts), isSealed: false, lostManifest, sourceType };
}

/** A part that gets a new header at `at`, and zeros from `from` to `end`. */
interface UnusedPart extends FoundBox {
  readonly head: Buffer;
}

/** The length, which precedes the kind of the box, stays unchanged. */
const freeBox = ({ at, from, end }: FoundBox): UnusedPart => ({
  ...{ at: at + 4, from, end },
  head: Buffer.from('free'),
});

const VOID_ELEMENT_ID = 0xec;
/** The longest content whose length fits into one byte. A byte with only ones means that the length is unknown. */
const MAX_SHORT_LENGTH = 0x7e;

function voidElement({ at, end }: { at: number; end: number }): UnusedPart {
  const length = end - at - 2;
  const isShort = length <= MAX_SHORT_LENGTH;
  const head = Buffer.alloc(isShort ? 2 : 9);
  head[0] = VOID_ELEMENT_ID;
  if (isShort) head[1] = 0x80 | length;
  else {
    head[1] = 0x01;
    head.writeUIntBE(end - at - head.length, 3, 6);
  }
  return { at, head, from: at + head.length, end };
}

const ZEROS = Buffer.alloc(256 * 1024);

async function overwrite(content: FileContent, parts: readonly UnusedPart[]): Promise<FileContent> {
  const partsToOverwrite = await withReader(content, (reader) => partsWithContent(reader, parts));
  if (partsToOverwrite.length === 0) return content;
  if (content.bytes) {
    const bytes = Buffer.from(content.bytes);
    for (const { at, head, from, end } of partsToOverwrite) {
      head.copy(bytes, at);
      bytes.fill(0, from, end);
    }
    return { size: content.size, bytes };
  }
  const handle = await open(content.path, 'r+');
  try {
    for (const { at, head, from, end } of partsToOverwrite) {
      await handle.write(head, 0, head.length, at);
      for (let start = from; start < end; start += ZEROS.length)
        await handle.write(ZEROS, 0, Math.min(ZEROS.length, end - start), start);
    }
  } finally {
    await handle.close();
  }
  return content;
}

/** Returns the parts that have to be overwritten. Parts that are already unused and empty need no change. */
async function partsWithContent(reader: ContentReader, parts: readonly UnusedPart[]): Promise<UnusedPart[]> {
  const partsToOverwrite: UnusedPart[] = [];
  for (const part of parts) {
    const head = await reader.read(part.at, part.head.length);
    if (!head.equals(part.head) || !(await isEmpty(reader, part))) partsToOverwrite.push(part);
  }
  return partsToOverwrite;
}

async function isEmpty(reader: ContentReader, { from, end }: FoundBox): Promise<boolean> {
  for (let offset = from; offset < end; offset += ZEROS.length) {
    const chunk = await reader.read(offset, Math.min(ZEROS.length, end - offset));
    if (!chunk.equals(ZEROS.subarray(0, chunk.length))) return false;
  }
  return true;
}
