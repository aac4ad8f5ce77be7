import { createLogger } from '../../src/lib/log.ts';
import { openAudio } from '../../src/services/media/audio.ts';
import { mediaProcess } from './media-process.ts';

/** Opens the real audio service on the shared media process. */
export const openRealAudio = () =>
  openAudio({
    process: mediaProcess,
    log: createLogger({ level: 'error', secrets: [], isPretty: false, write: () => undefined }),
  });
