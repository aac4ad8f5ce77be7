import { systemClock } from '../../src/lib/clock.ts';
import { MediaProcess } from '../../src/services/media/media-process.ts';

/**
 * A media process shared by all tests of a test process, because starting one takes most of a second. It idles between
 * jobs, and ends with the test process.
 */
export const mediaProcess = new MediaProcess({ clock: systemClock, log: { warn: () => undefined } });
