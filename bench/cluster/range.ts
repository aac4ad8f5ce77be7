import { loadavg } from 'node:os';
import { median } from '../table.ts';

/** The median, and in brackets the least and the most. */
export function range(values: readonly number[], digits: number): string {
  if (values.length === 0) return '-';
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return `${median(values).toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`;
}

/** How busy the machine is, this benchmark included. */
export const machineLoad = (): string =>
  `Load of the machine now: ${loadavg()
    .map((one) => one.toFixed(1))
    .join(', ')}.`;
