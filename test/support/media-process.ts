import { systemClock } from '../../src/lib/clock.ts';
import { MediaProcess } from '../../src/services/media-process/media-process.ts';

/** One for all tests of a test process, for each start costs most of a second. It rests between jobs, and ends with the test process. */
export const mediaProcess = new MediaProcess({ clock: systemClock, log: { warn: () => undefined } });
