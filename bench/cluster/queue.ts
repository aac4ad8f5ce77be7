import { messageFrom, start } from '../discord/child.ts';
import type { Load } from './orders.ts';

/** The settings with which a process at one end of the inbox is started, as one argument. */
export interface QueueEnd {
  url: string;
  partitions: number;
  end: 'put' | 'take';
  load: Pick<Load, 'perSecond' | 'seconds'>;
}

/** The time from before a packet is put in until it is taken out, in milliseconds. */
export interface QueueFigures {
  median: number;
  slow: number;
}

/** Measures the inbox alone, between two processes that do nothing else. */
export async function queueFigures(parts: Omit<QueueEnd, 'end'>): Promise<QueueFigures> {
  const begin = (end: QueueEnd['end']) =>
    start(new URL('queue-end.ts', import.meta.url), { programArguments: [JSON.stringify({ ...parts, end })] });
  const taker = begin('take');
  await messageFrom(taker);
  const figures = messageFrom<QueueFigures>(taker);
  await messageFrom(begin('put'));
  return figures;
}
