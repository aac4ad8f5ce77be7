import type { CallbackFault } from '../gateway/callback-fault.ts';

/** The effect of each callback fault, as a sentence. */
export const CALLBACK_SENTENCES: Readonly<Record<CallbackFault, string>> = {
  lost: 'No callback of the next job is sent.',
  'lost-end': 'The end of the next job is not called back.',
  late: 'The callbacks of the next job are late and out of order.',
  doubled: 'Each callback of the next job is sent three times.',
  forged: 'Wrong ends of the next job are called back at its start.',
  challenge: 'The next job calls back only if the bot returns a challenge.',
};
