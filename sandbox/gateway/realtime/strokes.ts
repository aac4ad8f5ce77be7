import type { Body } from '../wire/view.ts';
import type { RealtimeFault } from './fault.ts';
import { errorEvent } from './refusal.ts';
import type { Reply } from './reply.ts';

/** What goes over the socket, or what happens to it instead. */
export type Stroke =
  | { readonly wait: number; readonly event: Body; readonly times?: number }
  | { readonly wait: number; readonly frame: string | Buffer }
  | { readonly wait: number; readonly does: 'drop' | 'hang' | 'expire' | 'close' };

const AFTER = 4;
const SLOWER = 20;
const TROUBLE = { type: 'server_error', code: 'server_error' };
const WORDS = 'The sandbox was told to fail in the middle of its answer.';

/** An answer as it goes over the socket, with what was ordered to go wrong with it. */
export function* strokesOf(reply: Reply, fault: RealtimeFault | undefined): Generator<Stroke, void, void> {
  const how = fault?.how;
  if (how === 'drop-asked') return yield { wait: 0, does: 'drop' };
  if (how === 'hang-asked') return yield { wait: 0, does: 'hang' };
  if (how === 'limit') return yield { wait: 0, does: 'expire' };
  const strikes = fault?.after ?? AFTER;
  let deltas = 0;
  let hasStruck = false;
  for (const { wait, event } of reply.beats()) {
    const type = String(event.type);
    if (how === 'drop-end' && deltas > 0 && /^response\.[a-z_]+\.done$/.test(type))
      return yield { wait: 0, does: 'drop' };
    const isDelta = type.endsWith('.delta');
    // An answer too short to be struck in its middle is struck at its end.
    if (!hasStruck && ((isDelta && deltas === strikes) || type === 'response.done')) {
      hasStruck = true;
      if (yield* struck(how, reply)) return;
    }
    if (isDelta) deltas += 1;
    yield { wait: how === 'slow' ? wait * SLOWER : wait, event, ...(how === 'duplicates' && { times: 2 }) };
    if (how === 'unknown')
      yield { wait: 0, event: { type: `response.weather.${deltas}`, response_id: reply.id, sun: { is: ['out'] } } };
  }
}

/** True where nothing of the answer comes any more. */
function* struck(how: RealtimeFault['how'] | undefined, reply: Reply): Generator<Stroke, boolean, void> {
  switch (how) {
    case 'drop-middle':
      yield { wait: 0, does: 'drop' };
      return true;
    case 'hang-middle':
      yield { wait: 0, does: 'hang' };
      return true;
    case 'limit-middle':
      yield { wait: 0, does: 'expire' };
      return true;
    case 'error':
      yield { wait: 0, event: errorEvent(WORDS, TROUBLE) };
      return false;
    case 'fatal':
      yield { wait: 0, event: errorEvent(WORDS, TROUBLE) };
      yield { wait: 0, does: 'close' };
      return true;
    case 'failed':
      yield* reply.ending('failed', { error: { ...TROUBLE, message: WORDS } });
      return true;
    case 'incomplete':
      yield* reply.ending('incomplete', { reason: 'content_filter' });
      return true;
    case 'garbage':
      yield { wait: 0, frame: '{"type":"response.output_audio.delta","delta":"AAA' };
      return false;
    case 'binary':
      yield { wait: 0, frame: Buffer.from([0x00, 0xff, 0x7b, 0x22, 0x80]) };
      return false;
    default:
      return false;
  }
}
