/**
 * How long a task waits for a slot. `leftMs`: how much longer each running task takes; `aheadMs`: how long each task takes that is sent
 * before it, in their order.
 */
export function estimateWait(slots: number, leftMs: readonly number[], aheadMs: readonly number[]): number {
  const unused = Array.from({ length: Math.max(0, slots - leftMs.length) }, () => 0);
  // If more tasks run than there are slots, the first that end free none.
  const freeAt = [...unused, ...leftMs].sort(byNumber).slice(-slots);
  for (const ms of aheadMs) {
    freeAt[0] = (freeAt[0] ?? 0) + ms;
    freeAt.sort(byNumber);
  }
  return freeAt[0] ?? 0;
}

const byNumber = (a: number, b: number): number => a - b;

/** How much longer a task takes that has run for so long. Undefined if that cannot be told, as of one that takes far longer than usual. */
export const remainingMs = (typicalMs: number | undefined, ageMs: number): number | undefined =>
  typicalMs === undefined || ageMs > 2 * typicalMs ? undefined : Math.max(0, typicalMs - ageMs);
