import { inlineCode } from '../../discord/markdown.ts';
import type { Say } from '../../locales/index.ts';
import { type NewOrder, propose, submitOrder } from '../../messages/pressed-task.ts';
import { type ReferenceLimits, referenceLimits } from '../../services/gateway/reference-limits.ts';
import { MediaError } from '../../services/media/errors.ts';
import { withRelease } from '../../services/orders/member-files.ts';
import type { Reference } from '../../services/tasks/materials.ts';
import type { Context, Services } from '../feature.ts';
import { fileKindOf } from '../file-kinds.ts';
import type { VideoRequest } from './request.ts';

/** A video of nominally 15 seconds may be a frame longer. */
const TOLERANCE_SECONDS = 0.5;

const limitKeys = { image: 'images', video: 'videos', audio: 'audioFiles' } as const;

/** One line for each of the model's usual limits that the order exceeds. */
export function exceededLimits(references: readonly Reference[], seconds: number, limits: ReferenceLimits, say: Say) {
  const referencesByMedium = groupByMedium(references);
  const exceededCounts = (['image', 'video', 'audio'] as const).flatMap((medium) => {
    const [count, max] = [referencesByMedium.get(medium)?.length ?? 0, limits[limitKeys[medium]]];
    return count > max ? [say(`video.limits.${medium}s`, { given: String(count), max: String(max) })] : [];
  });
  if (seconds <= limits.videoSeconds + TOLERANCE_SECONDS) return exceededCounts;
  const durations = { duration: Math.round(seconds * 10) / 10, maxDuration: limits.videoSeconds };
  return [...exceededCounts, say('video.limits.seconds', durations)];
}

/** Submits an order, or asks the member for confirmation first if the order has more references than the model usually accepts. */
export async function submitOrConfirm(order: NewOrder & { request: VideoRequest }, context: Context) {
  const { services, facts, say } = context;
  const { references = [], model } = order.request;
  const seconds = await referenceSeconds(references, facts.userId, services);
  const lines = exceededLimits(references, seconds, referenceLimits(model), say);
  if (lines.length === 0) return submitOrder(order, context);
  const heading = say('video.limits.model', { model: inlineCode(model) });
  const reason = [heading, ...lines.map((line) => `- ${line}`)].join('\n');
  return propose([order], { reason, run: say('video.limits.submit') }, context);
}

const FETCH_LIMITS = { max: 64 * 2 ** 20, timeoutMs: 30_000 };

/** Guesses an unknown medium from the file name. The real type of the file is checked when it is sent. */
function groupByMedium(references: readonly Reference[]) {
  return Map.groupBy(references, ({ medium, name }) => (medium === 'any' ? (fileKindOf({ name }) ?? 'image') : medium));
}

/** The total length of the reference videos, if it can be measured. */
export async function referenceSeconds(
  references: readonly Reference[],
  memberId: string,
  services: Pick<Services, 'media' | 'log'>,
): Promise<number> {
  let total = 0;
  // One at a time, so that no request holds more than one video in the memory that all requests share.
  for (const { address } of groupByMedium(references).get('video') ?? [])
    total += await measureSeconds(address, memberId, services);
  return total;
}

async function measureSeconds(address: string, givenBy: string, { media, log }: Pick<Services, 'media' | 'log'>) {
  try {
    const video = await media.fetch({ address }, { ...FETCH_LIMITS, givenBy });
    return await withRelease(video, async () => (await media.videoFacts(video)).seconds ?? 0);
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    // Whether the video can be used at all is checked when the request is prepared.
    log.info({ kind: error.kind }, 'The length of a reference video could not be measured.');
    return 0;
  }
}
