import { loadavg } from 'node:os';

/** How busy the machine is, including this benchmark. */
export const machineLoad = (): string =>
  `Machine load now: ${loadavg()
    .map((one) => one.toFixed(1))
    .join(', ')}.`;
