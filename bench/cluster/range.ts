import { loadavg } from 'node:os';
import { median } from '../table.ts';

/** The median, followed by the minimum and the maximum in brackets. */
export function range(values: readonly number[], digits: number): string {
  if (values.length === 0) return '-';
  const [min, max] = [Math.min(...values), Math.max(...values)];
  return `${median(values).toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`;
}

/** How busy the machine is, including this benchmark. */
export const machineLoad = (): string =>
  `Machine load now: ${loadavg()
    .map((one) => one.toFixed(1))
    .join(', ')}.`;
