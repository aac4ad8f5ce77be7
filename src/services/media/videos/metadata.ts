import type { ContentReader } from '../content.ts';
import { sourceTypeIn, xmpPacket } from '../images/provenance.ts';
import type { SourceType } from '../media-types.ts';
import { boxHeads, MAX_BOXES_IN_FILE } from './mp4.ts';

/** The ids of the boxes for XMP, for C2PA, and for what a player needs to show a panorama. */
export const XMP_BOX = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');
export const C2PA_BOX = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex');
const PANORAMA_BOX = Buffer.from('ffcc8263f8554a938814587a02521fdd', 'hex');
const ID_BYTES = 16;

interface Range {
  readonly from: number;
  readonly end: number;
}

export interface FoundBox extends Range {
  readonly at: number;
}

/** The most boxes inside the table of contents, at all depths together. Thousands of tiny ones would be an attempt to waste CPU time. */
const MAX_BOXES_IN_TABLE = 2_000;
const METADATA_KINDS: ReadonlySet<string> = new Set(['udta', 'meta', 'free', 'skip']);
/** The handlers of tracks with measurements, such as the positions and movements of a camera. */
const MEASUREMENT_HANDLERS: ReadonlySet<string> = new Set(['meta', 'camm', 'gpmd']);

/** The metadata of an MP4 or MOV, found by the headers of its boxes. The search ends if a length makes no sense. */
export class Mp4Metadata {
  /** Boxes that no player needs: user data, item data, XMP, tracks with measurements, and leftovers in unused boxes. */
  readonly boxes: FoundBox[] = [];
  /** Parts of boxes that a player needs: when the file and its tracks were made and changed, and names of tracks. */
  readonly fields: Range[] = [];
  readonly manifests: FoundBox[] = [];
  /** Whether one of the boxes contains a location, which only matters if there is a manifest. */
  hasLocation = false;
  /** The origin that the file's own metadata gives. */
  sourceType: SourceType | undefined;
  readonly #reader: ContentReader;
  #hasMeasurements = false;
  #remainingBoxes = MAX_BOXES_IN_TABLE;

  private constructor(reader: ContentReader) {
    this.#reader = reader;
  }

  static async read(reader: ContentReader): Promise<Mp4Metadata> {
    const metadata = new Mp4Metadata(reader);
    await metadata.#readFile();
    return metadata;
  }

  async #readFile(): Promise<void> {
    const { size } = this.#reader;
    for await (const { kind, ...box } of this.#boxesIn({ from: 0, end: size }, MAX_BOXES_IN_FILE)) {
      if (METADATA_KINDS.has(kind)) this.boxes.push(box);
      else if (kind === 'uuid') await this.#classifyById(box);
      else if (kind === 'moov') await this.#readTable(box);
    }
    this.hasLocation =
      this.manifests.length > 0 && (this.#hasMeasurements || (await this.#containsLocation(this.boxes)));
  }

  async #readTable(table: FoundBox): Promise<void> {
    for await (const { kind, ...box } of this.#tableBoxes(table)) {
      if (METADATA_KINDS.has(kind) || kind === 'uuid') this.boxes.push(box);
      else if (kind === 'mvhd') await this.#addDates(box);
      else if (kind === 'trak') await this.#readTrack(box);
    }
  }

  async #readTrack(track: FoundBox): Promise<void> {
    const metadataBoxes: FoundBox[] = [];
    for await (const { kind, ...box } of this.#tableBoxes(track)) {
      if (METADATA_KINDS.has(kind)) metadataBoxes.push(box);
      else if (kind === 'uuid' && !(await this.#idOf(box)).equals(PANORAMA_BOX)) metadataBoxes.push(box);
      else if (kind === 'tkhd') await this.#addDates(box);
      else if (kind === 'mdia' && MEASUREMENT_HANDLERS.has(await this.#readMedium(box))) {
        this.#hasMeasurements = true;
        this.boxes.push(track);
        return;
      }
    }
    this.boxes.push(...metadataBoxes);
  }

  /** Returns the handler. */
  async #readMedium(medium: FoundBox): Promise<string> {
    let handler = '';
    for await (const { kind, ...box } of this.#tableBoxes(medium)) {
      if (kind === 'mdhd') await this.#addDates(box);
      if (kind !== 'hdlr') continue;
      handler ||= (await this.#reader.read(box.from + 8, 4)).toString('latin1');
      this.#addField(box, 24, box.end - box.from);
    }
    return handler;
  }

  /** Two times of four bytes follow the version and the flags, or of eight bytes in version 1. */
  async #addDates(box: FoundBox): Promise<void> {
    const isLong = (await this.#reader.read(box.from, 1))[0] === 1;
    this.#addField(box, 4, isLong ? 20 : 12);
  }

  #addField(box: FoundBox, start: number, end: number): void {
    if (box.from + end <= box.end) this.fields.push({ from: box.from + start, end: box.from + end });
  }

  async #classifyById(box: FoundBox): Promise<void> {
    const id = await this.#idOf(box);
    if (id.equals(C2PA_BOX)) this.manifests.push(box);
    else if (!id.equals(XMP_BOX)) this.boxes.push(box);
    else {
      const packet = await this.#reader.read(
        box.from + ID_BYTES,
        Math.min(box.end - box.from - ID_BYTES, MAX_PACKET_BYTES),
      );
      const sourceType = sourceTypeIn(packet);
      this.sourceType ??= sourceType;
      // Our own mark contains nothing else, so it can stay.
      if (!sourceType || !packet.equals(xmpPacket(sourceType))) this.boxes.push(box);
    }
  }

  #idOf({ from, end }: FoundBox): Promise<Buffer> {
    return this.#reader.read(from, Math.min(ID_BYTES, end - from));
  }

  async #containsLocation(boxes: readonly FoundBox[]): Promise<boolean> {
    for (const { from, end } of boxes) {
      for (let offset = from; offset < end; offset += CHUNK_BYTES) {
        const chunk = await this.#reader.read(offset, Math.min(end - offset, CHUNK_BYTES + MAX_NAME_LENGTH));
        if (LOCATION_KEYS.some((key) => chunk.includes(key))) return true;
      }
    }
    return false;
  }

  async *#tableBoxes({ from, end }: FoundBox): AsyncGenerator<FoundBox & { kind: string }> {
    for await (const box of this.#boxesIn({ from, end }, this.#remainingBoxes)) {
      this.#remainingBoxes -= 1;
      yield box;
    }
  }

  /** Yields complete boxes only. The last one can extend to the end of its container. */
  async *#boxesIn({ from, end }: Range, max: number): AsyncGenerator<FoundBox & { kind: string }> {
    for await (const { kind, at, headerLength, length = end - at } of boxHeads(this.#reader, max, { from, end })) {
      if (length < headerLength || at + length > end) return;
      yield { kind, at, from: at + headerLength, end: at + length };
    }
  }
}

/** More than any real packet. */
const MAX_PACKET_BYTES = 256 * 1024;
const CHUNK_BYTES = 2 ** 20;
const MAX_NAME_LENGTH = 32;
/** The names of fields for a location, in QuickTime, in 3GPP, in Apple's and Android's keys, and in XMP. */
const LOCATION_KEYS = [
  Buffer.from('\u00a9xyz', 'latin1'),
  ...['loci', 'quicktime.location', 'location-', 'exif:GPS', 'GPSLatitude'].map((key) => Buffer.from(key)),
];
