import type { Body } from '../wire/view.ts';
import { errorEvent } from './event-error.ts';
import type { RealtimeFault } from './fault.ts';
import type { Reply } from './reply.ts';

/** An event or frame to send, or an effect on the connection. */
export type ReplyStep =
  | { readonly wait: number; readonly event: Body; readonly times?: number }
  | { readonly wait: number; readonly frame: string | Buffer }
  | { readonly wait: number; readonly effect: 'drop' | 'hang' | 'expire' | 'close' };

const DEFAULT_DELTAS_BEFORE_FAULT = 4;
const SLOW_FACTOR = 20;
const FAULT_ERROR = { type: 'server_error', code: 'server_error' };
const FAULT_MESSAGE = 'The sandbox was told to fail in the middle of its response.';

/** The steps of a reply, with the injected fault applied. */
export function* replySteps(reply: Reply, fault: RealtimeFault | undefined): Generator<ReplyStep, void, void> {
  const how = fault?.how;
  if (how === 'drop-asked') return yield { wait: 0, effect: 'drop' };
  if (how === 'hang-asked') return yield { wait: 0, effect: 'hang' };
  if (how === 'limit') return yield { wait: 0, effect: 'expire' };
  const deltasBeforeFault = fault?.after ?? DEFAULT_DELTAS_BEFORE_FAULT;
  let deltaCount = 0;
  let isFaultApplied = false;
  for (const { wait, event } of reply.events()) {
    const type = String(event.type);
    if (how === 'drop-end' && deltaCount > 0 && /^response\.[a-z_]+\.done$/.test(type))
      return yield { wait: 0, effect: 'drop' };
    const isDelta = type.endsWith('.delta');
    // If the reply has too few deltas, the fault is applied at its end.
    if (!isFaultApplied && ((isDelta && deltaCount === deltasBeforeFault) || type === 'response.done')) {
      isFaultApplied = true;
      if (yield* applyFault(how, reply)) return;
    }
    if (isDelta) deltaCount += 1;
    yield { wait: how === 'slow' ? wait * SLOW_FACTOR : wait, event, ...(how === 'duplicates' && { times: 2 }) };
    if (how === 'unknown')
      yield { wait: 0, event: { type: `response.weather.${deltaCount}`, response_id: reply.id, sun: { is: ['out'] } } };
  }
}

/** Returns true if the reply ends here. */
function* applyFault(how: RealtimeFault['how'] | undefined, reply: Reply): Generator<ReplyStep, boolean, void> {
  switch (how) {
    case 'drop-middle':
      yield { wait: 0, effect: 'drop' };
      return true;
    case 'hang-middle':
      yield { wait: 0, effect: 'hang' };
      return true;
    case 'limit-middle':
      yield { wait: 0, effect: 'expire' };
      return true;
    case 'error':
      yield { wait: 0, event: errorEvent(FAULT_MESSAGE, FAULT_ERROR) };
      return false;
    case 'fatal':
      yield { wait: 0, event: errorEvent(FAULT_MESSAGE, FAULT_ERROR) };
      yield { wait: 0, effect: 'close' };
      return true;
    case 'failed':
      yield* reply.endEvents('failed', { error: { ...FAULT_ERROR, message: FAULT_MESSAGE } });
      return true;
    case 'incomplete':
      yield* reply.endEvents('incomplete', { reason: 'content_filter' });
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
