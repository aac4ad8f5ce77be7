import type { Clock } from '../../../lib/clock.ts';
import type { Answer } from '../../tasks/answer.ts';

/** Changes within this time are reported together. Faster edits would not help a reader, and would use up rate limits. */
const REPORT_INTERVAL_MS = 500;

/** Reports text as it arrives: the first text immediately, and the latest state at intervals after that. */
export function reportDraft(clock: Clock, report: (text: string, doing: Answer['doing']) => Promise<void>) {
  let text = '';
  let doing: Answer['doing'] = 'thinking';
  let lastAt = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | undefined;
  let reporting: Promise<void> = Promise.resolve();
  let hasEnded = false;

  function flush(): void {
    cancel = undefined;
    lastAt = clock.now();
    reporting = reporting.then(() => report(text, doing));
  }

  function setActivity(activity: Answer['doing']): void {
    doing = activity;
    if (cancel || hasEnded) return;
    const wait = Math.max(0, lastAt + REPORT_INTERVAL_MS - clock.now());
    if (wait === 0) flush();
    else cancel = clock.after(wait, flush);
  }

  return {
    setActivity,

    add(delta: string): void {
      text += delta;
      setActivity(undefined);
    },

    /** Stops reporting; resolves when the last report is finished. */
    async end(): Promise<void> {
      hasEnded = true;
      cancel?.();
      await reporting;
    },
  };
}
