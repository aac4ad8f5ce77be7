import { messageFrom } from '../discord/child.ts';
import { launch } from '../harness/program.ts';
import type { Load } from './orders.ts';

/** The settings with which a process at one end of the inbox is started, as one argument. */
export interface QueueEnd {
  url: string;
  partitions: number;
  end: 'put' | 'take';
  load: Pick<Load, 'perSecond' | 'seconds'>;
}

/** The time from putting a packet into the inbox to taking it out, in milliseconds. */
export interface QueueFigures {
  median: number;
  p99: number;
}

/** Measures the inbox alone, between two processes that do nothing else. */
export async function queueFigures(parts: Omit<QueueEnd, 'end'>): Promise<QueueFigures> {
  const startProcess = (end: QueueEnd['end']) =>
    launch(new URL('queue-end.ts', import.meta.url), { programArguments: [JSON.stringify({ ...parts, end })] });
  const consumer = startProcess('take');
  await messageFrom(consumer);
  const figures = messageFrom<QueueFigures>(consumer);
  await messageFrom(startProcess('put'));
  return figures;
}
