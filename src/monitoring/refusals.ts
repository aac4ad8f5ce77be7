import type { Metrics } from './metrics.ts';

/** Higher than the number of refusal keys in the code. */
const MAX_REASONS = 400;
const KEY = /^[A-Za-z][A-Za-z.-]{0,60}$/;

/**
 * Counts refusals by their reason. Reasons are keys of sentences, but a key may have come from the process that decodes hostile files, or from the
 * store, so an invalid key is not used as a label, and the number of reasons is limited.
 */
export function refusalCounter(metrics: Metrics): (reason: string) => void {
  const knownReasons = new Set<string>();
  return (reason) => {
    if (KEY.test(reason) && knownReasons.size < MAX_REASONS) knownReasons.add(reason);
    metrics.count('refusals', { reason: knownReasons.has(reason) ? reason : 'other' });
  };
}
