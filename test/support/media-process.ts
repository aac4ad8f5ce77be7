import { systemClock } from '../../src/lib/clock.ts';
import { MediaProcess } from '../../src/services/media-process/media-process.ts';

/**
 * One for all tests of a test process, because each start takes most of a second. It idles between jobs, and ends with
 * the test process.
 */
export const mediaProcess = new MediaProcess({ clock: systemClock, log: { warn: () => undefined } });
