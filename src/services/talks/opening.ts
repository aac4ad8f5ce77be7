import { type Gateway, GatewayError, type GatewayErrorKind } from '../gateway/index.ts';
import type { EarlierTurn, RealtimeSession } from '../gateway/realtime/events.ts';
import { talkRequest } from './request.ts';

export interface OpeningParts {
  realtime: Pick<Gateway['realtime'], 'open'>;
  /** A model that writes down what is said, where the gateway has one. */
  transcriber(): Promise<string | undefined>;
}

/** As it is, a conversation would be refused each time: its model is gone, or may not be used any more. */
const FOR_GOOD: ReadonlySet<GatewayErrorKind> = new Set(['invalid', 'not-found', 'forbidden', 'not-offered']);

export const isForGood = (error: unknown): boolean => error instanceof GatewayError && FOR_GOOD.has(error.kind);

export async function opened(
  { realtime, transcriber }: OpeningParts,
  request: unknown,
  options: { earlier: readonly EarlierTurn[]; signal: AbortSignal },
): Promise<RealtimeSession> {
  const { model, instructions, voice } = talkRequest.parse(request);
  try {
    return await realtime.open({ model, instructions, voice, transcriber: await transcriber() }, options);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    // A session in which nothing has been said has used nothing, whatever became of it.
    throw new GatewayError(error.message, { ...error, mayHaveTakenEffect: false, cause: error });
  }
}
