import type { Profile } from '../quirks.ts';
import { responseBody, type Written } from '../wire/text.ts';
import { type Beat, beatsOf, chatBeatsOf } from '../wire/text-events.ts';
import type { Body } from '../wire/view.ts';
import type { TextFault } from './fault.ts';
import type { Stroke } from './writer.ts';

const AFTER = 4;
const TROUBLE = { code: 'server_error', message: 'The sandbox was told to fail in the middle of its answer.' };

/** The stream of an answer as it goes over the wire, with what was ordered to go wrong with it. */
export function* strokesOf(written: Written, fault: TextFault | undefined): Generator<Stroke, void, void> {
  const { profile } = written;
  const isChat = fault?.how === 'chat';
  const beats = isChat ? chatBeatsOf(written) : beatsOf(written, fault?.how === 'empty-output');
  const breaks = fault && BREAKING.has(fault.how) ? (fault.after ?? AFTER) : Number.POSITIVE_INFINITY;
  let number = 0;
  for (const { wait, event } of beats) {
    if (number >= breaks && fault) return yield* broken(fault, written, number);
    yield { wait, text: lineOf(isChat ? event : { sequence_number: number, ...event }, profile) };
    number += 1;
  }
  // Some gateways end like chats do, some do not (wire facts, part 5).
  if (isChat || profile === 'stock') yield { wait: 0, text: 'data: [DONE]\n\n' };
}

const BREAKING = new Set<TextFault['how']>(['cut', 'early-end', 'error', 'nested-error', 'failed', 'silence']);

function* broken({ how }: TextFault, written: Written, number: number): Generator<Stroke, void, void> {
  const tell = (event: Body): Stroke => ({
    wait: 0,
    text: lineOf({ sequence_number: number, ...event }, written.profile),
  });
  if (how === 'cut' || how === 'silence') yield { wait: 0, does: how };
  if (how === 'error') yield tell({ type: 'error', ...TROUBLE, param: null });
  // Without a type of its own it is known by what it holds.
  if (how === 'nested-error') yield tell({ ...(written.profile === 'spec' ? { type: 'error' } : {}), error: TROUBLE });
  if (how === 'failed') yield tell({ type: 'response.failed', response: responseBody(written, 'failed', [], TROUBLE) });
}

/** Both kinds of lines, or the data alone, as gateways in the wild have it. */
function lineOf(event: Beat['event'], profile: Profile): string {
  const data = `data: ${JSON.stringify(event)}\n\n`;
  return profile === 'spec' && typeof event.type === 'string' ? `event: ${event.type}\n${data}` : data;
}
