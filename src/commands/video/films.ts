import { Refusal } from '../../lib/refusal.ts';
import { type Media, MediaError } from '../../services/media/index.ts';
import type { FilmFields, Films } from './request.ts';

interface FilmsParts {
  media: Media;
  log: { info(facts: object, sentence: string): void };
  fields: FilmFields;
}

/** The specification, part 8: of all reference films together. */
const MOST_SECONDS = 15;
/** What is said to be 15 s may have a frame more. */
const TOLERANCE_SECONDS = 0.5;
const MOST_BYTES = 64 * 2 ** 20;
const PATIENCE_MS = 30_000;

export function films({ media, log, fields }: FilmsParts): Films {
  return {
    fields,
    async refuseTooLong({ references = [] }, memberId) {
      let together = 0;
      // One after the other, so that no order holds more than one film in the room that all of them share.
      for (const { medium, address } of references) {
        if (medium === 'video') together += (await secondsAt(address, memberId)) ?? 0;
      }
      if (together <= MOST_SECONDS + TOLERANCE_SECONDS) return;
      const seconds = String(Math.round(together * 10) / 10);
      throw new Refusal('refusals.filmReferencesTooLong', { seconds, most: String(MOST_SECONDS) });
    },
  };

  async function secondsAt(address: string, memberId: string): Promise<number | undefined> {
    try {
      const limits = { most: MOST_BYTES, patienceMs: PATIENCE_MS, givenBy: memberId };
      const film = await media.fetch({ address }, limits);
      try {
        return (await media.filmFacts(film)).seconds;
      } finally {
        film.release();
      }
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      // Whether it can be used at all is looked at when the order is put together.
      log.info({ kind: error.kind }, 'The length of a reference film could not be known.');
      return undefined;
    }
  }
}
