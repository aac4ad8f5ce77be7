import type { Metrics } from './metrics.ts';

/** Higher than the number of texts. */
const MAX_REASONS = 400;
const KEY = /^[A-Za-z][A-Za-z.-]{0,60}$/;

/**
 * Counts refusals by their reason. Reasons are keys of texts, but a key may have come from the process that decodes hostile files, or from the
 * store, so an invalid key is not used as a label, and their number is limited.
 */
export function refusalCounter(metrics: Metrics): (reason: string) => void {
  const known = new Set<string>();
  return (reason) => {
    if (KEY.test(reason) && known.size < MAX_REASONS) known.add(reason);
    metrics.count('refusals', { reason: known.has(reason) ? reason : 'other' });
  };
}
