import { openLog } from '../../src/lib/log.ts';
import { openSounds } from '../../src/services/sound/sounds.ts';
import { mediaProcess } from './media-process.ts';

/** Real ones: no thread of theirs begins before the first sound, and none outlasts the last. */
export const realSounds = () =>
  openSounds({
    process: mediaProcess,
    log: openLog({ level: 'error', secrets: [], readable: false, write: () => undefined }),
  });
