import { type Clock, systemClock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { openAudio } from './audio.ts';
import type { MediaSettings, StoredResultCheck } from './files/settings.ts';
import { openMedia } from './index.ts';
import { MediaProcess } from './media-process.ts';

interface FileSources {
  hosts: MediaSettings;
  memoryBytes: number;
  isStoredResult: StoredResultCheck;
  /** Shared with other bots of this process, and closed by its owner. */
  sharedProcess: MediaProcess | undefined;
}

/** Opens what fetches, reads and decodes files. `clock`: for the time limits of downloads. */
export function openFiles(
  { clock, log }: { clock: Clock; log: Log },
  { hosts, memoryBytes, isStoredResult, sharedProcess }: FileSources,
) {
  // Another process takes real time, even if the bot uses a different clock.
  const mediaProcess = sharedProcess ?? new MediaProcess({ clock: systemClock, log, memoryBytes });
  const media = openMedia(hosts, { log, clock, process: mediaProcess, isStoredResult });
  const audio = openAudio({ log, process: mediaProcess });
  return {
    media,
    audio,
    mediaProcess,

    async close(): Promise<void> {
      audio.close();
      await Promise.all([media.close(), mediaProcess !== sharedProcess && mediaProcess.close()]);
    },
  };
}
