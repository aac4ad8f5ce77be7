import { MediaError } from '../../services/media/index.ts';
import type { Reference } from '../../services/tasks/materials.ts';
import { kindOfFile } from '../file-kinds.ts';
import type { Services } from '../services.ts';

type LengthServices = Pick<Services, 'media' | 'log'>;

const FETCH_LIMITS = { max: 64 * 2 ** 20, timeoutMs: 30_000 };

/** Guesses an unknown medium from the file name. The real type of the file is checked when it is sent. */
export function groupByMedium(references: readonly Reference[]) {
  return Map.groupBy(references, ({ medium, name }) => (medium === 'any' ? (kindOfFile({ name }) ?? 'image') : medium));
}

/** The total length of the reference videos, if it can be measured. */
export async function referenceSeconds(
  references: readonly Reference[],
  memberId: string,
  services: LengthServices,
): Promise<number> {
  let total = 0;
  // One at a time, so that no request holds more than one video in the memory that all requests share.
  for (const { address } of groupByMedium(references).get('video') ?? [])
    total += await measureSeconds(address, memberId, services);
  return total;
}

async function measureSeconds(address: string, givenBy: string, { media, log }: LengthServices): Promise<number> {
  try {
    const video = await media.fetch({ address }, { ...FETCH_LIMITS, givenBy });
    try {
      return (await media.videoFacts(video)).seconds ?? 0;
    } finally {
      video.release();
    }
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    // Whether the video can be used at all is checked when the request is prepared.
    log.info({ kind: error.kind }, 'The length of a reference video could not be measured.');
    return 0;
  }
}
