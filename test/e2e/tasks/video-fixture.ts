import { onTestFinished } from 'vitest';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import type { EmbeddedGateway } from '../../../sandbox/gateway/gateway.ts';
import { type FileHost, openFileHost } from '../../services/media/file-host.ts';
import { mp4Video } from '../../services/media/videos.ts';
import type { FixtureOptions } from '../bot.ts';
import { type FastClockFixture, says, startFastClockBot } from '../quick.ts';
import { studioWith } from './fixture.ts';

export const GENERIC_PATH = '/v1/video/generations';
export const VIDEOS_PATH = '/v1/videos';
export const VENDOR_PATH = '/videoa/v1/videos/image2video';
export const TEST_VIDEO_MODEL = 'reel-2';

/** The tests check only the metadata of videos, and drawing frames or large images takes time. */
const SMALL_VIDEO = { width: 160, height: 96, seconds: 1 } as const;
const framelessVideos = () =>
  studioWith(({ drawImage }) => ({
    drawVideo: async () => ({ bytes: mp4Video(SMALL_VIDEO), mime: 'video/mp4', ...SMALL_VIDEO }),
    drawImage: (scene, options) => drawImage(scene, { ...options, width: 128, height: 128 }),
  }));

/** Starts a bot whose gateway may download Discord's files, because both are embedded on this machine. */
export const startLocalBot = ({
  gateway,
  settings,
  ...options
}: FixtureOptions = {}): ReturnType<typeof startFastClockBot> =>
  startFastClockBot({
    ...options,
    gateway: { speed: 60, studio: framelessVideos(), ...gateway },
    settings: { MEDIA_ALLOW_PRIVATE: 'on', DEFAULT_VIDEO_MODEL: TEST_VIDEO_MODEL, ...settings },
  });

/** The video requests that the gateway received, oldest first. */
export const receivedOrders = ({ requests }: EmbeddedGateway): { path: string; body: unknown }[] =>
  requests
    .filter(({ method, path }) => method === 'POST' && [GENERIC_PATH, VIDEOS_PATH, VENDOR_PATH].includes(path))
    .map(({ path, body }) => ({ path, body }));

/** Requests a video and waits for its delivery. */
export async function orderVideo({ discord }: FastClockFixture, options: object = {}): Promise<Message> {
  const exchange = await discord.as('member').slash('video', { prompt: 'waves at dawn', ...options });
  return exchange.message(says('Finished in'));
}

/** Starts a file host other than Discord. */
export async function fileHost(): Promise<FileHost> {
  const host = await openFileHost();
  onTestFinished(() => host.close());
  return host;
}

/** Posts a reference video of this length in Discord, and returns its URL. */
export async function postVideo({ discord }: FastClockFixture, seconds: number, name = 'dance.mp4'): Promise<string> {
  const message = await discord.as('member').say('look', [{ name, bytes: mp4Video({ seconds }) }]);
  return String(message.attachments[0]?.url);
}

/** A very short silent audio file. */
export function silentWav(): Buffer {
  const bytes = Buffer.alloc(44 + 800);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8, 'latin1');
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8_000, 24);
  bytes.writeUInt32LE(16_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36, 'latin1');
  bytes.writeUInt32LE(800, 40);
  return bytes;
}
