import { Refusal } from '../../lib/refusal.ts';
import type { FileContent, Media } from '../media/index.ts';
import { type GivenFiles, inMegabytes } from './given-files.ts';

const MB = 1_000_000;
/** They travel in one body and as base64, a third larger; the reverse proxies before gateways seldom take 64 MB. */
const MOST_TOGETHER = 40 * MB;
/** Where a gateway found an order too large, a picture may have this much, and no more than half of what it had. */
const LIGHT = 2 * MB;
/** What is no larger than this was not what was too large, and would only become a blot. */
const FEATHER = 100_000;

interface ParcelParts {
  media: Media;
  files: GivenFiles;
  isLighter: boolean;
}

/** The pictures that travel inside of one order. */
export class Parcel {
  readonly #parts: ParcelParts;
  #bytes = 0;

  constructor(parts: ParcelParts) {
    this.#parts = parts;
  }

  /** A picture as a data URI. */
  async add(file: FileContent): Promise<string> {
    const { files, isLighter } = this.#parts;
    const picture = await files.picture(file);
    const { bytes, dataUri } = isLighter ? await this.#lighter(picture) : picture;
    this.#bytes += bytes.length;
    if (this.#bytes > MOST_TOGETHER) {
      throw new Refusal('refusals.picturesTooLarge', { most: inMegabytes(MOST_TOGETHER) });
    }
    return dataUri;
  }

  async #lighter(picture: Parameters<Media['fit']>[0]) {
    const most = Math.max(FEATHER, Math.min(LIGHT, Math.floor(picture.bytes.length / 2)));
    const fitting = await this.#parts.media.fit(picture, most);
    if (fitting.how === 'none') throw new Refusal('refusals.picturesTooLarge', { most: inMegabytes(LIGHT) });
    const { bytes, type } = fitting;
    return { bytes, dataUri: `data:${type.mime};base64,${bytes.toString('base64')}` };
  }
}
