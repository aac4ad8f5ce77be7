import { appendFile } from 'node:fs/promises';
import { type FileContent, withReader } from '../content.ts';
import { type SourceType, xmpPacket } from '../images/provenance.ts';
import { boxHeads } from './mp4.ts';

/** The boxes of XMP and of C2PA, by their ids. */
const XMP = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');
const C2PA = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex');
/** Files in more pieces are for streaming, and rare as results. */
const MAX_BOXES = 200;

/**
 * An MP4 with a mark behind everything else, where no offset in the file changes. A file with a manifest stays as it is, and so does one
 * that cannot be read to its end.
 */
export async function markVideo(content: FileContent, sourceType: SourceType): Promise<FileContent> {
  if (!(await takesMark(content))) return content;
  const packet = xmpPacket(sourceType);
  const head = Buffer.from('\0\0\0\0uuid', 'latin1');
  head.writeUInt32BE(head.length + XMP.length + packet.length);
  const box = Buffer.concat([head, XMP, packet]);
  const size = content.size + box.length;
  if (content.bytes) return { size, bytes: Buffer.concat([content.bytes, box]) };
  await appendFile(content.path, box);
  return { size, path: content.path };
}

const takesMark = (content: FileContent): Promise<boolean> =>
  withReader(content, async (reader) => {
    let end = 0;
    for await (const { kind, at, head, length } of boxHeads(reader, MAX_BOXES)) {
      // A last box without a length reaches to the end of the file.
      if (length === undefined) return false;
      end = at + length;
      const id = kind === 'uuid' ? await reader.read(at + head, 16) : undefined;
      if (id && (id.equals(XMP) || id.equals(C2PA))) return false;
    }
    return end > 0 && end === content.size;
  });
