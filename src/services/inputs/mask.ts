import { Refusal } from '../../lib/refusal.ts';
import type { Media } from '../media/index.ts';
import type { Region } from '../tasks/materials.ts';
import { type GivenFiles, PATIENCE_MS } from './given-files.ts';

interface MasksParts {
  media: Media;
  files: GivenFiles;
}

/** What says which part of a picture is to be changed. */
export class Masks {
  readonly #media: Media;
  readonly #files: GivenFiles;

  constructor({ media, files }: MasksParts) {
    this.#media = media;
    this.#files = files;
  }

  async of(changed: Region): Promise<string> {
    const bytes = 'side' in changed ? await this.#side(changed) : await this.#drawn(changed);
    return `data:image/png;base64,${bytes.toString('base64')}`;
  }

  async #drawn({ drawn }: Extract<Region, { drawn: unknown }>): Promise<Buffer> {
    const mask = await this.#files.with(drawn, (file) => this.#media.drawnMask(file));
    const { name } = drawn;
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

  async #side({ side, of }: Extract<Region, { side: unknown }>): Promise<Buffer> {
    try {
      const { width = 0, height = 0 } = of;
      const isKnown = [width, height].every((length) => Number.isSafeInteger(length) && length > 0);
      return await this.#media.sideMask(side, isKnown ? { width, height } : await this.#measured(of.address));
    } catch (error) {
      this.#files.expected(error);
      throw new Refusal('refusals.maskSizeUnknown');
    }
  }

  /** A result of the gateway's, which may lie where only the key leads. */
  async #measured(address: string) {
    const picture = await this.#media.fetch({ address }, { patienceMs: PATIENCE_MS });
    try {
      return await this.#media.imageFacts(picture);
    } finally {
      picture.release();
    }
  }
}
