import type { ContentReader } from '../content.ts';
import { type SourceType, sourceTypeIn, xmpPacket } from '../images/provenance.ts';
import { boxHeads, MAX_IN_FILE } from './mp4.ts';

/** The ids of the boxes for XMP, for C2PA, and for what a player needs to show a panorama. */
export const XMP_BOX = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');
export const C2PA_BOX = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex');
const PANORAMA_BOX = Buffer.from('ffcc8263f8554a938814587a02521fdd', 'hex');
const ID_BYTES = 16;

/** A box. Its content begins at `from`. */
export interface FoundBox {
  readonly at: number;
  readonly from: number;
  readonly end: number;
}

export interface Mp4Metadata {
  /** Boxes that no player needs: user data, item data, XMP, tracks with measurements, and leftovers in unused boxes. */
  readonly boxes: readonly FoundBox[];
  readonly manifests: readonly FoundBox[];
  /** Whether one of the boxes contains a location. */
  readonly hasLocation: boolean;
  /** What the file says about its origin. */
  readonly sourceType: SourceType | undefined;
}

/** The most boxes inside the table of contents, at all depths together. Thousands of tiny ones would be an attempt to keep us busy. */
const MAX_IN_TABLE = 2_000;
const NOTES: ReadonlySet<string> = new Set(['udta', 'meta', 'free', 'skip']);
/** The handlers of tracks with measurements, such as the positions and movements of a camera. */
const MEASURES: ReadonlySet<string> = new Set(['meta', 'camm', 'gpmd']);

/** Finds the metadata of an MP4 or MOV by the headers of its boxes. The search ends if a length makes no sense. */
export async function mp4Metadata(reader: ContentReader): Promise<Mp4Metadata> {
  return await new MetadataSearch(reader).read();
}

class MetadataSearch {
  readonly #reader: ContentReader;
  readonly #boxes: FoundBox[] = [];
  readonly #manifests: FoundBox[] = [];
  #sourceType: SourceType | undefined;
  #measures = false;
  #left = MAX_IN_TABLE;

  constructor(reader: ContentReader) {
    this.#reader = reader;
  }

  async read(): Promise<Mp4Metadata> {
    const { size } = this.#reader;
    for await (const { kind, ...box } of this.#within({ from: 0, end: size }, MAX_IN_FILE)) {
      if (NOTES.has(kind)) this.#boxes.push(box);
      else if (kind === 'uuid') await this.#sortById(box);
      else if (kind === 'moov') await this.#readTable(box);
    }
    // The location only matters if there is a manifest.
    const hasLocation = this.#manifests.length > 0 && (this.#measures || (await this.#isPlaceIn(this.#boxes)));
    return { boxes: this.#boxes, manifests: this.#manifests, hasLocation, sourceType: this.#sourceType };
  }

  async #readTable(table: FoundBox): Promise<void> {
    for await (const { kind, ...box } of this.#inTable(table)) {
      if (NOTES.has(kind) || kind === 'uuid') this.#boxes.push(box);
      else if (kind === 'trak') await this.#readTrack(box);
    }
  }

  async #readTrack(track: FoundBox): Promise<void> {
    const notes: FoundBox[] = [];
    for await (const { kind, ...box } of this.#inTable(track)) {
      if (NOTES.has(kind)) notes.push(box);
      else if (kind === 'uuid' && !(await this.#idOf(box)).equals(PANORAMA_BOX)) notes.push(box);
      else if (kind === 'mdia' && MEASURES.has(await this.#handlerOf(box))) {
        this.#measures = true;
        this.#boxes.push(track);
        return;
      }
    }
    this.#boxes.push(...notes);
  }

  async #handlerOf(medium: FoundBox): Promise<string> {
    for await (const { kind, from } of this.#inTable(medium))
      if (kind === 'hdlr') return (await this.#reader.read(from + 8, 4)).toString('latin1');
    return '';
  }

  async #sortById(box: FoundBox): Promise<void> {
    const id = await this.#idOf(box);
    if (id.equals(C2PA_BOX)) this.#manifests.push(box);
    else if (!id.equals(XMP_BOX)) this.#boxes.push(box);
    else {
      const packet = await this.#reader.read(box.from + ID_BYTES, Math.min(box.end - box.from - ID_BYTES, MAX_PACKET));
      const said = sourceTypeIn(packet);
      this.#sourceType ??= said;
      // Our own mark contains nothing else, so it can stay.
      if (!said || !packet.equals(xmpPacket(said))) this.#boxes.push(box);
    }
  }

  #idOf({ from, end }: FoundBox): Promise<Buffer> {
    return this.#reader.read(from, Math.min(ID_BYTES, end - from));
  }

  async #isPlaceIn(boxes: readonly FoundBox[]): Promise<boolean> {
    for (const { from, end } of boxes) {
      for (let at = from; at < end; at += PIECE) {
        const piece = await this.#reader.read(at, Math.min(end - at, PIECE + MAX_NAME_LENGTH));
        if (PLACES.some((word) => piece.includes(word))) return true;
      }
    }
    return false;
  }

  async *#inTable({ from, end }: FoundBox): AsyncGenerator<FoundBox & { kind: string }> {
    for await (const box of this.#within({ from, end }, this.#left)) {
      this.#left -= 1;
      yield box;
    }
  }

  /** Only complete boxes. The last one can extend to the end of its container. */
  async *#within(
    { from, end }: Pick<FoundBox, 'from' | 'end'>,
    max: number,
  ): AsyncGenerator<FoundBox & { kind: string }> {
    for await (const { kind, at, head, length = end - at } of boxHeads(this.#reader, max, { from, end })) {
      if (length < head || at + length > end) return;
      yield { kind, at, from: at + head, end: at + length };
    }
  }
}

/** More than any real packet. */
const MAX_PACKET = 256 * 1024;
const PIECE = 2 ** 20;
const MAX_NAME_LENGTH = 32;
/** The names of fields for a location, in QuickTime, in 3GPP, in Apple's and Android's keys, and in XMP. */
const PLACES = [
  Buffer.from('\u00a9xyz', 'latin1'),
  ...['loci', 'quicktime.location', 'location-', 'exif:GPS', 'GPSLatitude'].map((word) => Buffer.from(word)),
];
