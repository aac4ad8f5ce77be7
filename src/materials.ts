import { z } from 'zod';
import { Refusal } from './lib/refusal.ts';
import { type Media, MediaError } from './services/media/index.ts';
import { type Gather, type GivenPicture, givenPicture, type Region, region } from './services/tasks/materials.ts';

interface GathererParts {
  media: Media;
  log: { info(facts: object, sentence: string): void };
}

const MB = 1_000_000;
/** The specification shows no limit; a model sees nothing in a picture that would need more. */
const MOST_BYTES = 20 * MB;
/** They travel in one body and as base64, a third larger; the reverse proxies before gateways seldom take 64 MB. */
const MOST_TOGETHER = 40 * MB;
const MOST_PICTURES = 5;
/** Somebody waits, and a host that only drips must not hold for long what others need. */
const PATIENCE_MS = 60_000;

const named = z.object({ pictures: z.array(givenPicture).optional(), region: region.optional() });

/** Brings together what an order sends along. Whatever of it cannot be sent is a refusal that says so. */
export function gatherer(parts: GathererParts): Gather {
  const gathering = new Gathering(parts);
  return async (request) => {
    const { pictures = [], region: changed } = named.parse(request);
    return {
      ...(pictures.length > 0 && { pictures: await gathering.pictures(pictures) }),
      ...(changed && { mask: await gathering.mask(changed) }),
    };
  };
}

class Gathering {
  readonly #media: Media;
  readonly #log: GathererParts['log'];

  constructor({ media, log }: GathererParts) {
    this.#media = media;
    this.#log = log;
  }

  /** One after the other, so that no order holds more than one file in the memory that all downloads share. */
  async pictures(given: readonly GivenPicture[]): Promise<string[]> {
    if (given.length > MOST_PICTURES) throw new Refusal('refusals.picturesTooMany', { most: String(MOST_PICTURES) });
    const dataUris: string[] = [];
    let together = 0;
    for (const one of given) {
      const { bytes, dataUri } = await this.#given(one, (file) => this.#media.checkedPicture(file));
      together += bytes.length;
      if (together > MOST_TOGETHER)
        throw new Refusal('refusals.picturesTooLarge', { most: inMegabytes(MOST_TOGETHER) });
      dataUris.push(dataUri);
    }
    return dataUris;
  }

  async mask(changed: Region): Promise<string> {
    return `data:image/png;base64,${(await this.#maskOf(changed)).toString('base64')}`;
  }

  async #maskOf(changed: Region): Promise<Buffer> {
    if ('side' in changed) return await this.#sideMask(changed);
    const mask = await this.#given(changed.drawn, (file) => this.#media.drawnMask(file));
    const { name } = changed.drawn;
    switch (mask.marks) {
      case 'nothing':
        throw new Refusal('refusals.maskEmpty', { name });
      case 'everything':
        throw new Refusal('refusals.maskFull', { name });
      case 'unclear':
        throw new Refusal('refusals.maskUnclear', { name });
      case 'a part':
        return mask.bytes;
    }
  }

  async #sideMask({ side, of }: Extract<Region, { side: unknown }>): Promise<Buffer> {
    try {
      const { width = 0, height = 0 } = of;
      const isKnown = [width, height].every((length) => Number.isSafeInteger(length) && length > 0);
      return await this.#media.sideMask(side, isKnown ? { width, height } : await this.#measured(of.address));
    } catch (error) {
      this.#expected(error);
      throw new Refusal('refusals.maskSizeUnknown');
    }
  }

  /** A result of the gateway's, which may lie where only the key leads. */
  async #measured(address: string) {
    const { bytes, release } = await this.#media.fetch({ address }, { patienceMs: PATIENCE_MS });
    try {
      return await this.#media.imageFacts(bytes);
    } finally {
      release();
    }
  }

  /** Works on a file while it is held. */
  async #given<T>({ address, name }: GivenPicture, work: (file: Buffer) => Promise<T>): Promise<T> {
    const options = { most: MOST_BYTES, patienceMs: PATIENCE_MS, withoutKey: true };
    try {
      const { bytes, release } = await this.#media.fetch({ address }, options);
      try {
        return await work(bytes);
      } finally {
        release();
      }
    } catch (error) {
      throw refusalOf(this.#expected(error), name);
    }
  }

  /** What can go wrong with a file is expected, and told in words; the log keeps what lay behind it. */
  #expected(error: unknown): MediaError {
    if (!(error instanceof MediaError)) throw error;
    if (error.code === 'closed') throw new Refusal('refusals.stopping');
    this.#log.info({ kind: error.kind, reason: error.message }, 'A picture of an order could not be used.');
    return error;
  }
}

function refusalOf({ kind }: MediaError, name: string): Refusal {
  switch (kind) {
    case 'not-media':
    case 'damaged':
      return new Refusal('refusals.pictureOdd', { name });
    case 'too-large':
      return new Refusal('refusals.pictureTooLarge', { name, most: inMegabytes(MOST_BYTES) });
    case 'expired':
      return new Refusal('refusals.pictureGone', { name });
    case 'unreachable':
    case 'timeout':
    case 'forbidden-address':
      return new Refusal('refusals.pictureUnreachable', { name });
  }
}

const inMegabytes = (bytes: number): string => `${bytes / MB} MB`;
