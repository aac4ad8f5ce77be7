import type { CallbackFault } from '../gateway/callback-fault.ts';

/** A description of each callback fault's effect. */
export const CALLBACK_FAULT_DESCRIPTIONS: Readonly<Record<CallbackFault, string>> = {
  lost: 'No callback of the next job is sent.',
  'lost-end': 'No callback is sent when the next job ends.',
  late: 'The callbacks of the next job are late and out of order.',
  doubled: 'Each callback of the next job is sent three times.',
  forged: 'When the next job starts, callbacks falsely report that it has ended.',
  challenge: 'Callbacks for the next job are sent only if the bot returns a challenge.',
};
