import { openLog } from '../../src/lib/log.ts';
import { openAudio } from '../../src/services/sound/audio.ts';
import { mediaProcess } from './media-process.ts';

/** Real ones: no thread of theirs begins before the first sound, and none outlasts the last. */
export const realSounds = () =>
  openAudio({
    process: mediaProcess,
    log: openLog({ level: 'error', secrets: [], readable: false, write: () => undefined }),
  });
