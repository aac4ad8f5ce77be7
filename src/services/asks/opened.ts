import type { TextEvent } from '../gateway/responses/events.ts';
import type { TextRequest } from '../gateway/responses/request.ts';
import type { Refusable } from '../tasks/answer.ts';

/** A stream that has begun. */
export interface Opened {
  /** The gateway's id of the response, where it has one. */
  id: string | undefined;
  events: AsyncIterable<TextEvent>;
  asked: TextRequest;
  stop: AbortController;
  /** What the model had refused before it began. */
  without: readonly Refusable[];
}

/** Waits for the first event, which says that the gateway has taken the question; it is the first to be read again. */
export async function opened(
  events: AsyncGenerator<TextEvent>,
  facts: Pick<Opened, 'asked' | 'stop' | 'without'>,
): Promise<Opened> {
  const first = await events.next();
  const id = first.done || first.value.type !== 'created' ? undefined : first.value.id;
  return { ...facts, id, events: withFirst(first, events) };
}

async function* withFirst(
  first: IteratorResult<TextEvent>,
  rest: AsyncGenerator<TextEvent>,
): AsyncGenerator<TextEvent> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
