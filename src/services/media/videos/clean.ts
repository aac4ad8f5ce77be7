import { appendFile } from 'node:fs/promises';
import { mp3Tags } from '../audio/mp3.ts';
import { oggComments } from '../audio/ogg.ts';
import { type ContentReader, type FileContent, withReader } from '../content.ts';
import { xmpPacket } from '../images/provenance.ts';
import { type MediaType, mediaTypes, type SourceType } from '../media-types.ts';
import { C2PA_BOX, type FoundBox, Mp4Metadata, XMP_BOX } from './metadata.ts';
import { boxHeads } from './mp4.ts';
import { blankPart, overwrite, type UnusedPart } from './overwrite.ts';
import { type WebmElement, webmElements } from './webm.ts';

export interface CleanedRecording {
  readonly content: FileContent;
  /** Whether a C2PA manifest covers the file, so that nothing in it may change. */
  readonly isSealed: boolean;
  /** Whether a manifest covered a location, so that both were removed. */
  readonly lostManifest: boolean;
  /** The origin that the file's own metadata gave. */
  readonly sourceType?: SourceType | undefined;
}

/**
 * Removes metadata such as locations, devices, titles and comments from a video or audio file. The parts that contained it become
 * unused parts of the same length, so no other byte moves and all offsets stay valid. A file on disk is changed in place.
 */
export async function cleanRecording(content: FileContent, type: MediaType): Promise<CleanedRecording> {
  const find = finders.get(type);
  if (find) {
    const parts = await withReader(content, find);
    return { content: await overwrite(content, parts), isSealed: false, lostManifest: false };
  }
  const { boxes, fields, manifests, hasLocation, sourceType } = await withReader(content, Mp4Metadata.read);
  const lostManifest = manifests.length > 0 && hasLocation;
  if (manifests.length > 0 && !lostManifest) return { content, isSealed: true, lostManifest: false };
  const parts = [...[...boxes, ...manifests].map(freeBox), ...fields.map(({ from, end }) => blankPart(from, end))];
  return { content: await overwrite(content, parts), isSealed: false, lostManifest, sourceType };
}

/** All formats but those of the MP4 family. */
const finders = new Map<MediaType, (reader: ContentReader) => Promise<UnusedPart[]>>([
  [mediaTypes.webm, async (reader) => (await Array.fromAsync(webmElements(reader))).flatMap(unusedElement)],
  [mediaTypes.mp3, mp3Tags],
  [mediaTypes.wav, wavMetadata],
  [mediaTypes.ogg, oggComments],
]);

/** The length, which precedes the kind of the box, stays unchanged. */
const freeBox = ({ at, from, end }: FoundBox): UnusedPart => ({
  at: at + 4,
  head: Buffer.from('free'),
  from,
  end,
});

/** The names of the programs that wrote the file. */
const PROGRAM_NAMES: ReadonlySet<number> = new Set([0x4d80, 0x5741]);
/** What no player needs. */
const METADATA: ReadonlySet<number> = new Set([
  // Tags, attachments and chapters.
  ...[0x1254c367, 0x1941a469, 0x1043a770],
  // The title, date, file names and id of the segment.
  ...[0x7ba9, 0x4461, 0x7384, 0x3c83ab, 0x3e83bb, 0x73a4],
  // The names of a track and of its codec.
  ...[0x536e, 0x258688],
  // Unused elements may contain leftovers, and the checksum of a changed parent is wrong.
  ...[0xec, 0xbf],
]);
const VOID_ELEMENT_ID = 0xec;
/** The longest content whose length fits into one byte. A byte with only ones means that the length is unknown. */
const MAX_SHORT_LENGTH = 0x7e;

function unusedElement({ id, at, from, end }: WebmElement): UnusedPart[] {
  // These must stay, with an empty text.
  if (PROGRAM_NAMES.has(id)) return [blankPart(from, end)];
  if (!METADATA.has(id)) return [];
  const length = end - at - 2;
  const isShort = length <= MAX_SHORT_LENGTH;
  const head = Buffer.alloc(isShort ? 2 : 9);
  head[0] = VOID_ELEMENT_ID;
  if (isShort) head[1] = 0x80 | length;
  else {
    head[1] = 0x01;
    head.writeUIntBE(end - at - head.length, 3, 6);
  }
  return [{ at, head, from: at + head.length, end }];
}

/** Files with more boxes are meant for streaming, and are rare as results. */
const MAX_BOXES = 200;

/**
 * Appends a mark to an MP4, so that no offset in the file changes. A file with a manifest is not changed, nor is one that cannot
 * be read completely.
 */
export async function markVideo(content: FileContent, sourceType: SourceType): Promise<FileContent> {
  if (!(await canBeMarked(content))) return content;
  const packet = xmpPacket(sourceType);
  const head = Buffer.from('\0\0\0\0uuid', 'latin1');
  head.writeUInt32BE(head.length + XMP_BOX.length + packet.length);
  const box = Buffer.concat([head, XMP_BOX, packet]);
  const size = content.size + box.length;
  if (content.bytes) return { size, bytes: Buffer.concat([content.bytes, box]) };
  await appendFile(content.path, box);
  return { size, path: content.path };
}

const canBeMarked = (content: FileContent): Promise<boolean> =>
  withReader(content, async (reader) => {
    let end = 0;
    for await (const { kind, at, headerLength, length } of boxHeads(reader, MAX_BOXES)) {
      // A last box without a length extends to the end of the file.
      if (length === undefined) return false;
      end = at + length;
      const id = kind === 'uuid' ? await reader.read(at + headerLength, 16) : undefined;
      if (id && (id.equals(XMP_BOX) || id.equals(C2PA_BOX))) return false;
    }
    return end > 0 && end === content.size;
  });

const FILE_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
/** More chunks would be an attempt to waste CPU time. */
const MAX_CHUNKS = 1_000;
/** Anything else, now or in the future, is metadata. */
const KEPT_CHUNKS: ReadonlySet<string> = new Set(['fmt ', 'fact', 'data']);

async function wavMetadata(reader: ContentReader): Promise<UnusedPart[]> {
  const parts: UnusedPart[] = [];
  let at = FILE_HEADER_BYTES;
  for (let count = 0; count < MAX_CHUNKS && at + CHUNK_HEADER_BYTES <= reader.size; count++) {
    const header = await reader.read(at, CHUNK_HEADER_BYTES);
    const kind = header.toString('latin1', 0, 4);
    const from = at + CHUNK_HEADER_BYTES;
    const length = header.readUInt32LE(4);
    const available = reader.size - from;
    // A program that wrote a stream did not know the length of its samples.
    if (kind === 'data' && (length === 0 || length > available)) break;
    // Chunks begin at even offsets.
    const end = from + Math.min(available, length + (length % 2));
    if (!KEPT_CHUNKS.has(kind)) {
      const head = Buffer.from('JUNK\0\0\0\0', 'latin1');
      head.writeUInt32LE(Math.min(length, available), 4);
      parts.push({ at, head, from, end });
    }
    at = end;
  }
  return parts;
}
