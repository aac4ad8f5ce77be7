import type { Clock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { dataUri, type FileContent, type Media } from '../media/index.ts';
import type { Gather, GivenPicture, Occasion, Reference, Region } from '../tasks/materials.ts';
import { type Reach, signedUntil } from './addresses.ts';
import { GivenFiles, type GivenFilesParts, inMegabytes, MB, PATIENCE_MS, whileHeld } from './given-files.ts';

interface GathererParts extends Omit<GivenFilesParts, 'memberId'> {
  reach: Reach;
  clock: Clock;
}

const MOST_PICTURES = 5;
/** All travel in one body as base64, a third larger; reverse proxies seldom accept more than 64 MB. */
const MOST_TOGETHER = 40 * MB;
/** The limit of an image after the gateway found an order too large, in addition to half its size. */
const LIGHT = 2 * MB;
/** A smaller image was not the problem, and shrinking it would make it unusable. */
const FEATHER = 100_000;

/** Gathers the files of an order. Anything that cannot be sent is a refusal. */
export function gatherer(parts: GathererParts): Gather {
  return async ({ pictures = [], region: changed, references = [], documents = [], sound }, occasion) => {
    if (pictures.length > MOST_PICTURES) {
      const count = String(pictures.length);
      throw new Refusal('refusals.tooManyImages', { count, most: String(MOST_PICTURES) });
    }
    const files = new GivenFiles({ ...parts, memberId: occasion.memberId });
    const parcel = new Parcel(parts, files, occasion);
    return {
      ...(pictures.length > 0 && { pictures: await parcel.pictures(pictures) }),
      ...(changed && { mask: dataUri('image/png', await maskOf(changed, parts.media, files)) }),
      ...(documents.length > 0 && { documents: await files.documents(documents) }),
      ...(sound && { sound: await files.sound(sound) }),
      ...(references.length > 0 && { references: await parcel.references(references) }),
    };
  };
}

/** The images sent inside one order, and the files that the gateway fetches itself. */
class Parcel {
  readonly #parts: GathererParts;
  readonly #files: GivenFiles;
  readonly #occasion: Occasion;
  #bytes = 0;

  constructor(parts: GathererParts, files: GivenFiles, occasion: Occasion) {
    this.#parts = parts;
    this.#files = files;
    this.#occasion = occasion;
  }

  /** As data URIs, one after the other, so that no order holds more than one file in the shared memory. */
  async pictures(given: readonly GivenPicture[]): Promise<string[]> {
    return await Array.fromAsync(given, (one) => this.#files.with(one, (file) => this.#add(file)));
  }

  /** Checked first, then passed by address if the gateway can reach it; also one after the other. */
  async references(references: readonly Reference[]) {
    const give = async (one: Reference) => ({ medium: one.medium, given: await this.#reference(one) });
    return await Array.fromAsync(references, give);
  }

  async #add(file: FileContent): Promise<string> {
    const picture = await this.#files.picture(file);
    const added = this.#occasion.lighter ? await this.#lighter(picture) : picture;
    this.#bytes += added.bytes.length;
    if (this.#bytes > MOST_TOGETHER) {
      throw new Refusal('refusals.imagesTooLarge', { most: inMegabytes(MOST_TOGETHER) });
    }
    return added.dataUri;
  }

  async #lighter(picture: Parameters<Media['fit']>[0]) {
    const most = Math.max(FEATHER, Math.min(LIGHT, Math.floor(picture.bytes.length / 2)));
    const fitting = await this.#parts.media.fit(picture, most);
    if (fitting.how === 'none') throw new Refusal('refusals.imagesTooLarge', { most: inMegabytes(LIGHT) });
    return { bytes: fitting.bytes, dataUri: dataUri(fitting.type.mime, fitting.bytes) };
  }

  async #reference(reference: Reference): Promise<string> {
    const { address, medium, name, takes } = reference;
    if (!(await this.#parts.reach(address))) {
      if (takes === 'address' || medium !== 'image') {
        if (signedUntil(address) === undefined) throw new Refusal('refusals.referenceNotPublic', { name });
        throw new Refusal('refusals.referenceUnreachable', { name });
      }
      return await this.#files.with(reference, (file) => this.#add(file));
    }
    this.#lasts(reference);
    await this.#files.with(reference, async (file) => {
      if (medium === 'image') await this.#files.picture(file);
    });
    return address;
  }

  /** The gateway may fetch the file as late as the end of the wait limit. */
  #lasts({ address, name }: Reference): void {
    const { patienceMs } = this.#occasion;
    const until = signedUntil(address);
    const now = this.#parts.clock.now();
    if (until === undefined || until >= now + patienceMs) return;
    const variables = { name, until: inWords(until) };
    if (until <= now) throw new Refusal('refusals.referenceExpired', variables);
    const minutes = String(Math.ceil(patienceMs / 60_000));
    throw new Refusal('refusals.referenceExpiresSoon', { ...variables, minutes });
  }
}

/** A refusal cannot contain Discord's own timestamps. */
const inWords = (time: number): string => `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The mask of a region as a PNG. */
async function maskOf(changed: Region, media: Media, files: GivenFiles): Promise<Buffer> {
  if ('drawn' in changed) {
    const mask = await files.with(changed.drawn, (file) => media.drawnMask(file));
    if (mask.marks === 'a part') return mask.bytes;
    throw new Refusal(unusable[mask.marks], { name: changed.drawn.name });
  }
  const { address, width = 0, height = 0 } = changed.of;
  const isKnown = [width, height].every((length) => Number.isSafeInteger(length) && length > 0);
  try {
    return await media.sideMask(changed.side, isKnown ? { width, height } : await measured(address, media));
  } catch (error) {
    files.expected(error);
    throw new Refusal('refusals.maskSizeUnknown');
  }
}

const unusable = {
  nothing: 'refusals.maskEmpty',
  everything: 'refusals.maskFull',
  unclear: 'refusals.maskUnclear',
} as const;

/** A result of the gateway, which may require the key. */
async function measured(address: string, media: Media) {
  const picture = await media.fetch({ address }, { patienceMs: PATIENCE_MS });
  return await whileHeld(picture, () => media.imageFacts(picture));
}
