import { type Clock, systemClock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { openAudio } from './audio.ts';
import type { StoredResultCheck } from './files/settings.ts';
import { openMedia } from './media.ts';
import { MediaProcess } from './media-process.ts';

export interface MediaSources {
  settings: {
    gateway: { baseUrl: string; apiKey: string };
    media: { allowPrivate: boolean; memoryBytes: number };
  };
  /** Origins of members' files that are allowed although they are in a private network. */
  extraOrigins: readonly string[];
  /** For the time limits of downloads. */
  mediaClock: Clock;
  /** Shared with other bots in this process, and closed by its owner. */
  mediaProcess?: MediaProcess | undefined;
}

/** Opens what fetches, reads and decodes files. */
export function openFiles(
  { settings, extraOrigins, mediaClock, mediaProcess: sharedProcess }: MediaSources,
  isStoredResult: StoredResultCheck,
  log: Log,
) {
  const { memoryBytes, allowPrivate } = settings.media;
  const { baseUrl, apiKey } = settings.gateway;
  const hosts = { gatewayOrigin: new URL(baseUrl).origin, apiKey, extraOrigins, allowPrivate };
  // Another process takes real time, even if the bot uses a different clock.
  const mediaProcess = sharedProcess ?? new MediaProcess({ clock: systemClock, log, memoryBytes });
  const media = openMedia(hosts, { log, clock: mediaClock, process: mediaProcess, isStoredResult });
  const audio = openAudio({ log, process: mediaProcess });
  return {
    hosts,
    media,
    audio,
    mediaProcess,

    async close(): Promise<void> {
      audio.close();
      await Promise.all([media.close(), mediaProcess !== sharedProcess && mediaProcess.close()]);
    },
  };
}
