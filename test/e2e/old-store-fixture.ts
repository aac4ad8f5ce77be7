import { type EmbeddedDiscord, text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import type { Post } from '../../sandbox/discord/post.ts';
import type { Channel, Thread } from '../../sandbox/discord/world.ts';
import { ZERO } from '../../sandbox/gateway/decimal.ts';
import type { EmbeddedGateway } from '../../sandbox/gateway/gateway.ts';
import type { Job, JobFaultEffects } from '../../sandbox/gateway/job.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { fileOf } from '../../src/services/store/backend.ts';
import { mp4Video } from '../services/media/videos.ts';
import { linesOf, storeInfo, writeOldStore } from '../support/old-store.ts';
import { FastClock } from '../support/quick-clock.ts';
import { createFixture } from './bot.ts';
import type { FastClockFixture } from './quick.ts';
import { studioWith } from './tasks/fixture.ts';

const SPEED = 20;
/** Longer than the lifetime of an interaction token. */
const DOWNTIME_MS = 20 * 60_000;
/** Replaces every uploaded file, because only the names of the files were recorded. */
const IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

type SavedUpload = Omit<Post['uploads'][number], 'bytes' | 'folder' | 'ephemeral'>;
interface SavedPost extends Omit<Post, 'channel' | 'author' | 'uploads' | 'tts' | 'revision' | 'mentionsEveryone'> {
  channelId: string;
  authorId: string;
  uploads?: SavedUpload[];
}
type SavedThread = Channel & { thread: Omit<Thread, 'members'> & { members: Record<string, number> } };
export type SavedJob = Omit<Job, 'charge'>;

/**
 * Restores the state in which the old version stopped twenty minutes earlier: its messages, its jobs and its store.
 * `faultsOf` returns the faults of each running job.
 */
export async function restoreOldFixture(
  faultsOf: (job: Pick<SavedJob, 'prompt'>) => JobFaultEffects = () => ({}),
): Promise<FastClockFixture> {
  const clock = new FastClock(SPEED);
  clock.advance(storeInfo.at + DOWNTIME_MS - clock.now());
  // Ids of servers, channels and users contain the time of their creation, which must be the same as for the old version.
  let isWorldCreated = false;
  const discordClock = { now: () => (isWorldCreated ? clock.now() : storeInfo.begun), after: clock.after.bind(clock) };
  const baseFixture = await createFixture({
    clock,
    mediaClock: systemClock,
    discord: { clock: discordClock, limits: { acknowledgeMs: 10_000 * SPEED } },
    gateway: { seed: 18, speed: 30, studio: smallStudio(), quirks: { refusedActions: false } },
    settings: {
      MEDIA_ALLOW_PRIVATE: 'on',
      DEFAULT_IMAGE_MODEL: 'lumen-image-1',
      DEFAULT_VIDEO_MODEL: 'reel-2',
      DEFAULT_TEXT_MODEL: 'quill-5',
      DEFAULT_TALK_MODEL: 'parley-realtime',
      DISCORD_USER_INSTALL: 'on',
    },
  });
  isWorldCreated = true;
  const { discord, gateway, config } = baseFixture;
  restoreMessages(discord);
  restoreJobs(gateway, faultsOf);
  const withCurrentUrls = (text: string): string =>
    text.replaceAll(storeInfo.gateway, gateway.url).replaceAll(storeInfo.discord, discord.url);
  writeOldStore(fileOf(config.store), withCurrentUrls);
  return { ...baseFixture, clock };
}

function restoreMessages({ world, restore }: EmbeddedDiscord): void {
  for (const { thread, ...channel } of linesOf<SavedThread>('threads.jsonl'))
    world.addChannel({ ...channel, thread: { ...thread, members: new Map(Object.entries(thread.members)) } });
  for (const { channelId, authorId, uploads = [], ...post } of linesOf<SavedPost>('messages.jsonl')) {
    const ephemeral = post.viewer !== undefined;
    restore({
      ...{ tts: false, revision: 1, mentionsEveryone: false },
      ...{ ...post, embeds: post.embeds ?? [], components: post.components ?? [], mentions: post.mentions ?? [] },
      channel: world.channel(channelId),
      author: world.user(authorId),
      uploads: uploads.map((upload) => ({ ...upload, bytes: IMAGE, folder: channelId, ephemeral })),
    });
  }
}

/** The current names of fields of stored jobs, by their old names. */
const RENAMED_FIELDS: Readonly<Record<string, string>> = {
  picture: 'coverFile',
  sound: 'audioFile',
  inherits: 'referencesFrom',
  door: 'endpoint',
  waitsFor: 'pendingFollowUp',
};

function restoreJobs({ jobs }: EmbeddedGateway, faultsOf: (job: Pick<SavedJob, 'prompt'>) => JobFaultEffects): void {
  const reviver = (name: string, value: unknown): unknown => {
    // The embedded gateway at that time used other names for a job's results.
    if (name === 'make' || name === 'yields') return { film: 'video', picture: 'image' }[String(value)] ?? value;
    if (value instanceof Object && 'type' in value && value.type === 'Buffer' && 'data' in value)
      return Buffer.from(value.data as number[]);
    if (!(value instanceof Object) || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [RENAMED_FIELDS[key] ?? key, one]));
  };
  for (const { state, ...job } of linesOf<SavedJob>('jobs.jsonl', reviver)) {
    // Failed tasks are no longer polled.
    if (state === 'failed') continue;
    if (state === 'running' || state === 'queued') jobs.add({ ...job, charge: ZERO, state: 'queued' }, faultsOf(job));
    else jobs.add({ ...job, charge: ZERO, state });
  }
}

const SMALL_VIDEO = { width: 160, height: 96, seconds: 1 } as const;
const smallStudio = () =>
  studioWith((studio) => ({
    drawImage: (scene, options) => studio.drawImage(scene, { ...options, width: 64, height: 64 }),
    drawGrid: (scenes, options) => studio.drawGrid(scenes, { ...options, width: 64, height: 64 }),
    drawVideo: async () => ({ bytes: mp4Video(SMALL_VIDEO), mime: 'video/mp4', ...SMALL_VIDEO }),
    compose: (prompt, seed) => studio.compose(prompt, seed, 1),
  }));

/** Waits for a message that contains all `words`, in a channel of this name. */
export function messageIn({ discord }: FastClockFixture, channelName: string, ...words: string[]): Promise<Message> {
  const channels = [...discord.world.channels.values()].filter(({ name }) => name === channelName);
  const containsAll = (message: Message): boolean => words.every((word) => text(message).includes(word));
  return discord.until(() => channels.flatMap(({ id }) => discord.messages(id)).find(containsAll), words.join(', '));
}

/** The current state of a message that the old version posted, once the condition holds. */
export function currentMessage(
  fixture: FastClockFixture,
  name: string,
  condition: (message: Message) => boolean = () => true,
) {
  const { discord } = fixture;
  const allMessages = () => [...discord.world.channels.keys()].flatMap((channel) => discord.messages(channel));
  return discord.until(() => allMessages().find((one) => one.id === storeInfo.named[name] && condition(one)), name);
}
