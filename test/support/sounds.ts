import { openLog } from '../../src/lib/log.ts';
import { openAudio } from '../../src/services/sound/audio.ts';
import { mediaProcess } from './media-process.ts';

/** Real audio workers, whose thread starts with the first file and ends after the last one. */
export const realSounds = () =>
  openAudio({
    process: mediaProcess,
    log: openLog({ level: 'error', secrets: [], readable: false, write: () => undefined }),
  });
