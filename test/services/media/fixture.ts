import sharp from 'sharp';
import { MediaError } from '../../../src/services/media/errors.ts';
import type { MediaLimits, MediaParts } from '../../../src/services/media/files/settings.ts';
import { type Media, openMedia } from '../../../src/services/media/media.ts';
import { mediaProcess } from '../../support/media-process.ts';
import { type FileHost, openFileHost } from './file-host.ts';

export const apiKey = 'sk-secret-of-the-gateway';

/** A gateway and a third-party host, both on loopback, and an image for them to serve. */
export interface MediaFixture {
  readonly gateway: FileHost;
  readonly thirdParty: FileHost;
  readonly png: Buffer;
  readonly warnings: string[];
  open(allowPrivate: boolean, parts?: Partial<MediaParts>, limits?: Partial<MediaLimits>): Media;
  close(): Promise<void>;
}

export async function openFixture(): Promise<MediaFixture> {
  const gateway = await openFileHost();
  const thirdPartyHost = await openFileHost();
  const openedMedia: Media[] = [];
  const warnings: string[] = [];
  const log = { warn: (facts: object, message: string) => void warnings.push(JSON.stringify(facts) + message) };
  return {
    gateway,
    thirdParty: thirdPartyHost,
    png: await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
      .png()
      .toBuffer(),
    warnings,
    open(allowPrivate, parts = {}, limits = {}) {
      const media = openMedia(
        { gatewayOrigin: gateway.origin, apiKey, allowPrivate },
        { log, process: mediaProcess, ...parts },
        limits,
      );
      openedMedia.push(media);
      return media;
    },
    async close() {
      for (const media of openedMedia) await media.close();
      await gateway.close();
      await thirdPartyHost.close();
    },
  };
}

/** Returns the media error with which the promise rejects; any other error fails the test. */
export async function failureOf(work: Promise<unknown>): Promise<MediaError> {
  const error = await work.then(
    () => new Error('The promise did not reject.'),
    (reason: unknown) => reason,
  );
  if (error instanceof MediaError) return error;
  throw error;
}
