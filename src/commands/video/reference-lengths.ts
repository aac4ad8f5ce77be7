import { Refusal } from '../../lib/refusal.ts';
import { type Media, MediaError } from '../../services/media/index.ts';
import type { VideoRequest } from './request.ts';

interface LengthParts {
  media: Media;
  log: { info(facts: object, sentence: string): void };
}

/** The specification, part 8: the limit for all reference videos together. */
const MAX_SECONDS = 15;
/** A video that is announced as 15 s may have a frame more. */
const TOLERANCE_SECONDS = 0.5;
const LIMITS = { max: 64 * 2 ** 20, waitLimitMs: 30_000 };

/** Refuses reference videos that are too long together, as far as their lengths can be measured. */
export const refuseLongReferences =
  (parts: LengthParts) =>
  async ({ references = [] }: VideoRequest, memberId: string): Promise<void> => {
    let together = 0;
    // One after the other, so that no order holds more than one video in the shared memory.
    for (const { medium, address } of references) {
      if (medium === 'video') together += (await secondsAt(address, memberId, parts)) ?? 0;
    }
    if (together <= MAX_SECONDS + TOLERANCE_SECONDS) return;
    const seconds = String(Math.round(together * 10) / 10);
    throw new Refusal('refusals.referencesTooLong', { seconds, max: String(MAX_SECONDS) });
  };

async function secondsAt(address: string, givenBy: string, { media, log }: LengthParts): Promise<number | undefined> {
  try {
    const video = await media.fetch({ address }, { ...LIMITS, givenBy });
    try {
      return (await media.videoFacts(video)).seconds;
    } finally {
      video.release();
    }
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    // Whether the video can be used at all is checked when the order is put together.
    log.info({ kind: error.kind }, 'The length of a reference video could not be measured.');
    return undefined;
  }
}
