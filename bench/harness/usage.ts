import { setTimeout as sleep } from 'node:timers/promises';
import type { Bot } from './bot.ts';

const SAMPLE_INTERVAL_MS = 200;

/** Does some work, and returns the most memory that a bot used in the meantime. */
export async function peakUsage<Result>(
  bot: Bot,
  work: () => Promise<Result>,
): Promise<[Result, { residentBytes: number; heapBytes: number }]> {
  const peak = { residentBytes: 0, heapBytes: 0 };
  let isOver = false;
  const sampleRepeatedly = async (): Promise<void> => {
    while (!isOver) {
      const { residentBytes, heapBytes } = await bot.call('usage');
      peak.residentBytes = Math.max(peak.residentBytes, residentBytes);
      peak.heapBytes = Math.max(peak.heapBytes, heapBytes);
      await sleep(SAMPLE_INTERVAL_MS);
    }
  };
  const samples = sampleRepeatedly();
  const result = await work();
  isOver = true;
  await samples;
  return [result, peak];
}
