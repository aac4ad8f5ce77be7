import { describe, expect, it, onTestFinished } from 'vitest';
import type { EmbeddedDiscord } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import type { PresetName } from '../../../sandbox/gateway/fault-presets.ts';
import { startGateway } from '../../../sandbox/gateway/gateway.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { say } from '../../../src/locales/index.ts';
import { previewOf } from '../../../src/messages/previews.ts';
import { openMedia } from '../../../src/services/media/media.ts';
import { buildTask } from '../../services/orders/builders.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { mediaProcess } from '../../support/media-process.ts';
import { FastClock } from '../../support/quick-clock.ts';
import { itVariants } from '../../support/variants.ts';
import { type Fixture, type FixtureOptions, GATEWAY_API_KEY, startTestBot } from '../bot.ts';
import { says, startFastClockBot } from '../quick.ts';

const SPEED = 10;

/**
 * Starts a bot with a slower clock than in other tests, because drawing a preview takes real time,
 * and the bot waits at most five seconds for it.
 */
const startSlowerBot = (options: FixtureOptions = {}): Promise<Fixture> =>
  startTestBot({
    clock: new FastClock(SPEED),
    discord: { limits: { acknowledgeMs: 10_000 * SPEED } },
    ...options,
    gateway: { seed: 1, ...options.gateway },
  });

const previewRoute = { path: /\/preview-/ };

/** The names of the uploaded previews. */
const uploads = ({ requests }: EmbeddedDiscord): string[] =>
  requests.flatMap(({ files }) => files.map(({ name }) => name)).filter((name) => name.includes('preview'));

const isProgressWith =
  (count: number) =>
  (message: Message): boolean =>
    says('%')(message) && message.attachments.length === count;

describe('The preview of a running job', () => {
  it('The message of a job shows its preview until the result replaces it', async () => {
    const { discord, gateway } = await startSlowerBot({});
    gateway.faults.add({ do: 'stick' });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    const [preview] = (await exchange.message(isProgressWith(1))).attachments;
    expect(preview).toMatchObject({
      filename: 'a-fox-preview.webp',
      content_type: 'image/webp',
      description: 'AI-generated: a fox',
    });
    expect(preview?.size).toBeLessThanOrEqual(2 ** 20);
    gateway.jobs.finish(gateway.jobs.list()[0]?.id ?? '');
    const final = await exchange.message(says('Finished in'));
    expect(final.attachments).toHaveLength(1);
    expect(final.attachments[0]?.filename).not.toContain('preview');
    const editCount = discord.requests.filter(({ method }) => method === 'PATCH').length - 1;
    expect(uploads(discord).length).toBeGreaterThan(0);
    expect(uploads(discord).length).toBeLessThanOrEqual(editCount);
  });

  itVariants(['server-error', 'hang', 'reset', 'cut', 'unauthorized', 'success-false'] satisfies PresetName[])(
    'A preview that cannot be fetched (%s) is left out, and the result is still delivered',
    async (name) => {
      // The bot waits for each hanging response until its time limit, so this clock is faster.
      const mediaClock = name === 'hang' ? new FastClock(10) : systemClock;
      const { discord, gateway, logged } = await startFastClockBot({ mediaClock });
      gateway.faults.add({ on: previewRoute, do: name, times: 1_000 });
      gateway.faults.add({ do: 'stick' });
      const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
      await exchange.message((message) => /[3-9]\d%/.test(message.content) && message.attachments.length === 0);
      await expect.poll(logged).toContain('A preview could not be fetched');
      gateway.jobs.finish(gateway.jobs.list()[0]?.id ?? '');
      const final = await exchange.message(says('Finished in'));
      expect(final.attachments).toHaveLength(1);
      expect(uploads(discord)).toEqual([]);
    },
  );
});

describe('The visibility of a preview', () => {
  it('A preview is removed when its job fails', { tags: ['breadth'] }, async () => {
    const { discord, gateway } = await startSlowerBot();
    gateway.faults.add({ do: 'stick' });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    await exchange.message(isProgressWith(1));
    gateway.jobs.fail(gateway.jobs.list()[0]?.id ?? '', 'no paint left');
    expect((await exchange.message(says('no paint left'))).attachments).toEqual([]);
  });

  it('A preview of a private job is visible only to its owner', async () => {
    const { discord, gateway } = await startSlowerBot();
    gateway.faults.add({ do: 'stick' });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a secret', private: true });
    expect(await exchange.message(isProgressWith(1))).toMatchObject({
      ephemeral: true,
      attachments: [{ ephemeral: true }],
    });
    gateway.jobs.finish(gateway.jobs.list()[0]?.id ?? '');
    await exchange.message(says('Finished in'));
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toEqual([]);
  });

  it('A preview is no longer awaited when its job has ended', async () => {
    const gateway = await startGateway();
    onTestFinished(() => gateway.close());
    gateway.faults.add({ on: previewRoute, do: 'hang' });
    const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
    // The clock of the download stands still, so its own time limit is never reached.
    const media = openMedia(
      { gatewayOrigin: gateway.url, apiKey: GATEWAY_API_KEY, allowPrivate: false },
      { log, process: mediaProcess, clock: new ManualClock() },
    );
    onTestFinished(() => media.close());
    const preview = { kind: 'image', address: `${gateway.url}/files/1/preview-50.webp`, firstSeenAt: 0 } as const;
    const controller = new AbortController();
    const sources = { media, log, clock: new ManualClock(), say, views: {} };
    const preparing = previewOf(buildTask({ state: 'running', preview }), sources, controller.signal);
    await expect.poll(() => gateway.requests.length).toBe(1);
    controller.abort();
    expect(await preparing).toBeUndefined();
  });
});
