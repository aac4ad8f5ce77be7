import { systemClock } from '../../src/lib/clock.ts';
import { openLog } from '../../src/lib/log.ts';
import { openSounds } from '../../src/services/sound/sounds.ts';

/** Real ones: no thread of theirs begins before the first sound, and none outlasts the last. */
export const realSounds = () =>
  openSounds({
    clock: systemClock,
    log: openLog({ level: 'error', secrets: [], readable: false, write: () => undefined }),
  });
