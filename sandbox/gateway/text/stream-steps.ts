import type { Profile } from '../quirks.ts';
import { responseBody, type TextResponse } from '../wire/text.ts';
import { chatEvents, responseEvents, type TimedEvent } from '../wire/text-events.ts';
import type { Body } from '../wire/view.ts';
import type { TextFault } from './fault.ts';
import type { StreamStep } from './timed-stream.ts';

const DEFAULT_EVENTS_BEFORE_FAULT = 4;
const ENDLESS_PIECE_MS = 25;
const FAULT_ERROR = {
  code: 'server_error',
  message: 'The sandbox was told to fail in the middle of its response.',
} as const;

/** The steps of a response's stream, with the injected fault applied. */
export function* streamSteps(response: TextResponse, fault: TextFault | undefined): Generator<StreamStep, void, void> {
  const { profile } = response;
  const isChat = fault?.how === 'chat';
  const events = isChat ? chatEvents(response) : responseEvents(response, fault?.how === 'empty-output');
  const breakAfter =
    fault && BREAKING_FAULTS.has(fault.how) ? (fault.after ?? DEFAULT_EVENTS_BEFORE_FAULT) : Number.POSITIVE_INFINITY;
  let sequenceNumber = 0;
  for (const { wait, event } of events) {
    if (sequenceNumber >= breakAfter && fault) return yield* faultSteps(fault, response, sequenceNumber);
    yield { wait, text: eventText(isChat ? event : { sequence_number: sequenceNumber, ...event }, profile) };
    sequenceNumber += 1;
  }
  // Chat completions end with `[DONE]`, and so do the responses of some gateways.
  if (isChat || profile === 'stock') yield { wait: 0, text: 'data: [DONE]\n\n' };
}

const BREAKING_FAULTS = new Set<TextFault['how']>([
  'cut',
  'early-end',
  'error',
  'nested-error',
  'failed',
  'silence',
  'endless',
]);

function* faultSteps(
  { how }: TextFault,
  response: TextResponse,
  sequenceNumber: number,
): Generator<StreamStep, void, void> {
  const endless = { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'more '.repeat(200) };
  while (how === 'endless') yield { wait: ENDLESS_PIECE_MS, text: eventText(endless, response.profile) };
  const errorStep = (event: Body): StreamStep => ({
    wait: 0,
    text: eventText({ sequence_number: sequenceNumber, ...event }, response.profile),
  });
  if (how === 'cut' || how === 'silence') yield { wait: 0, effect: how };
  if (how === 'error') yield errorStep({ type: 'error', ...FAULT_ERROR, param: null });
  // Without a `type`, the event is recognizable only by its `error` field.
  if (how === 'nested-error')
    yield errorStep({ ...(response.profile === 'spec' ? { type: 'error' } : {}), error: FAULT_ERROR });
  if (how === 'failed')
    yield errorStep({ type: 'response.failed', response: responseBody(response, 'failed', [], FAULT_ERROR) });
}

/** In `stock`, events have only a data line, as in real gateways. */
function eventText(event: TimedEvent['event'], profile: Profile): string {
  const data = `data: ${JSON.stringify(event)}\n\n`;
  return profile === 'spec' && typeof event.type === 'string' ? `event: ${event.type}\n${data}` : data;
}
