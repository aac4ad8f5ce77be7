import { request } from 'undici';
import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import { connectionErrorCode } from '../../lib/never-connected.ts';
import { collectChunks } from '../gateway/event-stream.ts';

/** A moderation service's scores for a text or an image: the likelihood of each category, from 0 to 1. */
export interface Judgement {
  scores: Readonly<Record<string, number>>;
  /** The categories that the service itself flags. */
  flagged: readonly string[];
}

export interface ModerationService {
  /** Undefined if the service is unavailable or its response cannot be read. */
  judgeText(text: string): Promise<Judgement | undefined>;
  judgeImage(dataUri: string): Promise<Judgement | undefined>;
}

export interface ModerationSettings {
  /** Undefined if no service is configured. */
  baseUrl: string | undefined;
  apiKey: string | undefined;
  model: string;
}

/** The member has to wait for the check before anything is submitted. */
const TIMEOUT_MS = 5_000;
/** Longer, because a few megabytes have to be uploaded first. */
const IMAGE_TIMEOUT_MS = 15_000;
/** More than enough: a response has a few dozen numbers. */
const MAX_RESPONSE_BYTES = 64 * 1_024;

const responseSchema = z.object({
  results: z
    .array(
      z.object({
        categories: z.record(z.string(), z.boolean().nullable()).default({}),
        category_scores: z.record(z.string(), z.number().nullable()).default({}),
      }),
    )
    .min(1),
});

/** The moderation endpoint of OpenAI and compatible services. The bot does not store the content that is checked. */
export function createModerationService(
  { baseUrl, apiKey, model }: ModerationSettings,
  { log, clock, now }: { log: PlainLog; clock: Pick<Clock, 'after'>; now: () => number },
) {
  if (baseUrl === undefined) return undefined;
  let awaySince: number | undefined;
  async function judge(input: unknown, timeoutMs: number): Promise<Judgement | undefined> {
    const judgement = await query(input, timeoutMs);
    awaySince = judgement ? undefined : (awaySince ?? now());
    return judgement;
  }
  async function query(input: unknown, timeoutMs: number): Promise<Judgement | undefined> {
    const timeout = new AbortController();
    const cancel = clock.after(timeoutMs, () => timeout.abort());
    try {
      const { statusCode, body } = await request(`${baseUrl}/v1/moderations`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({ model, input }),
        signal: timeout.signal,
      });
      const { chunks, isComplete } = await collectChunks(body, MAX_RESPONSE_BYTES);
      if (!isComplete) throw new RangeError('The response is too large.');
      if (statusCode !== 200) {
        log.warn({ status: statusCode }, 'The moderation service returned an error status.');
        return undefined;
      }
      const [result] = responseSchema.parse(JSON.parse(Buffer.concat(chunks).toString('utf8'))).results;
      return result && judgementOf(result);
    } catch (error) {
      // Only the error's name and code are logged: its message may quote the response, which may repeat the content that was sent.
      const reason = error instanceof Error ? error.name : 'unknown';
      log.warn({ reason, code: connectionErrorCode(error) }, 'A moderation request failed.');
      return undefined;
    } finally {
      cancel();
    }
  }
  return {
    judgeText: (text: string) => judge(text, TIMEOUT_MS),
    // The service accepts only one image per request.
    judgeImage: (dataUri: string) => judge([{ type: 'image_url', image_url: { url: dataUri } }], IMAGE_TIMEOUT_MS),
    /** Since when no response could be used; undefined if the latest one could, and before the first. */
    awaySince: () => awaySince,
  };
}

const judgementOf = ({
  categories,
  category_scores: scores,
}: z.output<typeof responseSchema>['results'][number]): Judgement => ({
  scores: Object.fromEntries(
    Object.entries(scores).flatMap(([name, score]) => (score === null ? [] : [[name, score]])),
  ),
  flagged: Object.entries(categories).flatMap(([name, isFlagged]) => (isFlagged ? [name] : [])),
});
