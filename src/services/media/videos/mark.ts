import { appendFile } from 'node:fs/promises';
import { type FileContent, withReader } from '../content.ts';
import { xmpPacket } from '../images/provenance.ts';
import type { SourceType } from '../media-types.ts';
import { C2PA_BOX, XMP_BOX } from './metadata.ts';
import { boxHeads } from './mp4.ts';

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
