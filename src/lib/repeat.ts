import type { Clock } from './clock.ts';

/**
 * Repeats work, at once or first after some time. The work handles its own failures, and returns how long to wait after it. The returned
 * function ends this: it aborts the signal, and waits for work that is running.
 */
export function repeat(
  clock: Clock,
  work: (signal: AbortSignal) => Promise<number>,
  firstWaitMs?: number,
): () => Promise<void> {
  const ending = new AbortController();
  let cancel: (() => void) | undefined;
  let running: Promise<void> = Promise.resolve();
  const run = (): void => {
    running = work(ending.signal).then(wait);
  };
  const wait = (ms: number): void => {
    if (!ending.signal.aborted) cancel = clock.after(ms, run);
  };
  if (firstWaitMs === undefined) run();
  else wait(firstWaitMs);
  return async () => {
    ending.abort();
    cancel?.();
    await running;
  };
}
