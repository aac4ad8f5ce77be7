import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import type { FixtureOptions } from '../bot.ts';
import { describeProfiles } from '../profiles.ts';
import { type FastClockFixture, labels, says } from '../quick.ts';
import { bytesOf, errorsIn } from './fixture.ts';
import {
  imageUpload,
  JOBS_PATH,
  orderImage,
  receivedOrders,
  startLocalBot,
  TEST_IMAGE_MODEL,
  urlContaining,
} from './image-fixture.ts';
import { openDetails, openTask, openTaskList } from './pages.ts';

describeProfiles('/image', (profile) => {
  const start = (options: FixtureOptions = {}) =>
    startLocalBot({ ...options, gateway: { profile, ...options.gateway } });

  it('/image orders an image and shows it with its model and follow-up buttons', async () => {
    const fixture = await start();
    // Larger sizes are offered once the list of models is known.
    await (await fixture.discord.as('member').slash('models')).message(says('24 models'));
    const message = await orderImage(fixture);
    expect(receivedOrders(fixture.gateway)).toEqual([{ model: TEST_IMAGE_MODEL, prompt: 'a red fox' }]);
    // The job was polled right after its creation, so its id is recorded (specification, 4.5).
    expect(
      fixture.gateway.requests.find(({ method, path }) => method === 'GET' && path.startsWith(JOBS_PATH)),
    ).toBeDefined();
    expect(text(message)).toContain(`-# Model: ${TEST_IMAGE_MODEL}`);
    expect(await sharp(await bytesOf(message)).metadata()).toMatchObject({ width: 128 });
    expect(labels(message)).toEqual(
      expect.arrayContaining([
        'Run again',
        'Edit prompt',
        'Use as reference',
        'Enlarge (2K)',
        'Enlarge (4K)',
        'Delete',
      ]),
    );
  });

  it('An image that is contained in the response to a poll is shown without another request', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await start({ gateway: { quirks: { base64Results: true } } });
    const message = await orderImage(fixture);
    expect(message.attachments).toHaveLength(1);
    const { finishedAt = Number.NaN } = fixture.gateway.jobs.list()[0] ?? {};
    const polls = fixture.gateway.requests.filter(
      ({ method, path, at }) => method === 'GET' && path.startsWith(JOBS_PATH) && at >= finishedAt,
    );
    expect(polls).toHaveLength(1);
    // The task can also be run again.
    const repeated = await fixture.discord.as('member').click(message, 'Run again');
    await repeated.message(says('Finished in'));
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('/image sends the URLs of its reference images, first the uploaded ones, then the linked ones', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await start();
    const sourceMessage = await fixture.discord.as('member').say('look', [await imageUpload('linked.png')]);
    const links = `<${sourceMessage.attachments[0]?.url}>`;
    await orderImage(fixture, {
      image: await imageUpload('one.png'),
      image3: await imageUpload('three.png'),
      links,
      model: `${TEST_IMAGE_MODEL}-2K`,
    });
    expect(receivedOrders(fixture.gateway)).toEqual([
      {
        model: `${TEST_IMAGE_MODEL}-2K`,
        prompt: 'a red fox',
        image: [urlContaining('one.png?ex='), urlContaining('three.png?ex='), sourceMessage.attachments[0]?.url],
      },
    ]);
    // The embedded gateway has fetched the references: it fails a job whose references it cannot read.
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('/image shows why a job failed and can be retried with another prompt', async () => {
    const fixture = await start();
    fixture.gateway.faults.add({ do: 'moderated' });
    const member = fixture.discord.as('member');
    const exchange = await member.slash('image', { prompt: 'a red fox' });
    const failed = await exchange.message(says('rejected by moderation'));
    expect(labels(failed)).toEqual(['Retry', 'Edit and retry', 'Delete']);
    const form = await (await member.click(failed, 'Edit and retry')).modal();
    const edited = await (await member.fill(form, { words: 'a blue fox' })).message(says('Finished in'));
    expect(text(edited)).toContain('a blue fox');
    expect(receivedOrders(fixture.gateway)).toMatchObject([{ prompt: 'a red fox' }, { prompt: 'a blue fox' }]);
  });

  it('A retry after a lost response creates no second image job', async () => {
    const fixture = await start();
    fixture.gateway.faults.add({ on: { method: 'POST', path: JOBS_PATH }, do: 'accepted-then-reset' });
    const member = fixture.discord.as('member');
    const exchange = await member.slash('image', { prompt: 'a red fox', image: await imageUpload('one.png') });
    const message = await exchange.message(says('couldn’t confirm whether the gateway accepted this'));
    await member.click(message, 'Try again (may be charged twice)');
    const isFinished = (one: Message) => one.id === message.id && says('Finished in')(one);
    await fixture.discord.until(() => fixture.discord.messages('studio').find(isFinished));
    const [first, second, ...others] = fixture.gateway.requests.filter(
      ({ method, path }) => method === 'POST' && path === JOBS_PATH,
    );
    expect(others).toEqual([]);
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(fixture.gateway.jobs.list().filter(({ kind }) => kind === 'image')).toHaveLength(1);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('The message of an image job that exceeds its wait limit says so, the job is not submitted again, and its result is finally delivered', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await start({ settings: { MAX_WAIT_IMAGE_SECONDS: '30' }, gateway: { speed: 1 } });
    fixture.gateway.faults.add({ on: { path: new RegExp(`^${JOBS_PATH}/`) }, do: 'unavailable', times: 8 });
    const exchange = await fixture.discord.as('member').slash('image', { prompt: 'a red fox' });
    await exchange.message(says('longer than usual'));
    const message = await exchange.message(says('Finished in'));
    expect(message.attachments).toHaveLength(1);
    expect(receivedOrders(fixture.gateway)).toHaveLength(1);
  });

  it('/image links a result that exceeds the upload limit', { tags: ['breadth'] }, async () => {
    // Not even the smallest copy of the image fits.
    const fixture = await start({ discord: { limits: { uploadBytes: 512 } } });
    const message = await orderImage(fixture);
    expect(message.attachments).toEqual([]);
    expect(text(message)).toContain(`Open it at ${fixture.gateway.url}/`);
    // The link is the reference, because the message has no attachment.
    const member = fixture.discord.as('member');
    const form = await (await member.click(message, 'Use as reference')).modal();
    await (await member.fill(form, { words: 'at night' })).message(says('Finished in'));
    expect(receivedOrders(fixture.gateway).at(-1)).toMatchObject({ image: [urlContaining(`${fixture.gateway.url}/`)] });
  });
});

describe('The refusals of /image before a request to the gateway', () => {
  it('/image immediately refuses options that the payload of the interaction shows to be invalid', async () => {
    const fixture = await startLocalBot();
    const links = Array.from({ length: 17 }, (_, n) => `https://x.example/${n}.png`).join(' ');
    for (const [options, words] of [
      [{ prompt: ' \u200b' }, 'The prompt is empty'],
      [{ prompt: 'a fox', links }, 'at most `16` files and URLs'],
      [{ prompt: 'a fox', links: 'my cat' }, '`my` is not a valid URL'],
      [
        { prompt: 'a fox', image: { name: 'a.txt', bytes: Buffer.from('hello') } },
        '`a.txt` is not an image (its type is',
      ],
      [{ prompt: 'a fox', image2: { name: 'a.png', bytes: Buffer.alloc(0) } }, '`a.png` is empty'],
    ] as const) {
      const exchange = await fixture.discord.as('member').slash('image', options);
      expect(await exchange.acknowledged()).toMatchObject({ type: 4, ephemeral: true });
      expect(text(await exchange.message())).toContain(words);
    }
    const forbidden = await fixture.discord.as('member').in('read-only').slash('image', { prompt: 'a fox' });
    expect(text(await forbidden.message())).toContain('these permissions: `Send Messages`');
    expect(receivedOrders(fixture.gateway)).toEqual([]);
  });

  it('/image refuses files whose content is invalid', async () => {
    const fixture = await startLocalBot();
    const member = fixture.discord.as('member');
    const sourceMessage = await member.say('look', [await imageUpload('old.png')]);
    const oldUrl = String(sourceMessage.attachments[0]?.url);
    for (const [options, words] of [
      [{ image: { name: 'setup.png', bytes: Buffer.from('MZ\x90\0\x03\0\0\0') } }, '`setup.png` is not a valid image'],
      [{ image: { name: 'page.png', bytes: Buffer.from('<!doctype html>') } }, '`page.png` is not a valid image'],
      [{ links: oldUrl.replace(/ex=\w+/, 'ex=1') }, 'The URL of `old.png` expired on <t:1:f>'],
      [{ model: 'lumen-image-9' }, 'The model `lumen-image-9` does not exist'],
    ] as const) {
      const exchange = await member.slash('image', { prompt: 'a fox', ...options });
      expect(text(await exchange.message())).toContain(words);
    }
    expect(receivedOrders(fixture.gateway)).toEqual([]);
  });

  it('/image uploads an image that the gateway cannot reach or that may expire too early', {
    tags: ['breadth'],
  }, async () => {
    for (const { settings, linkMs } of [
      { settings: { MEDIA_ALLOW_PRIVATE: 'off' }, linkMs: 86_400_000 },
      { settings: { MAX_WAIT_IMAGE_SECONDS: '600' }, linkMs: 300_000 },
    ]) {
      const fixture = await startLocalBot({ settings, discord: { limits: { attachmentLinkMs: linkMs } } });
      const exchange = await fixture.discord
        .as('member')
        .slash('image', { prompt: 'a fox', image: await imageUpload() });
      await exchange.message(says('Finished in'));
      const image = expect.stringContaining(`${fixture.gateway.url}/`);
      expect(receivedOrders(fixture.gateway)).toMatchObject([{ image: [image] }]);
    }
  });

  it('/image refuses URLs that the gateway cannot reach, or that may expire too early, if it does not store uploads', async () => {
    const notFound = { error: { message: 'Invalid URL', type: 'invalid_request_error', code: '' } };
    const refuseUploads = ({ gateway }: FastClockFixture): void =>
      void gateway.faults.add({ do: { type: 'body', body: notFound, status: 404 }, on: { path: /upload/ }, times: 9 });
    const unreachableFixture = await startLocalBot({ settings: { MEDIA_ALLOW_PRIVATE: 'off' } });
    refuseUploads(unreachableFixture);
    const requestImage = async ({ discord }: FastClockFixture, options: object) =>
      text(await (await discord.as('member').slash('image', { prompt: 'a fox', ...options })).message());
    expect(await requestImage(unreachableFixture, { image: await imageUpload() })).toContain('cannot download');
    expect(await requestImage(unreachableFixture, { links: 'http://10.0.0.1/a.png' })).toContain(
      '`a.png` is not on the public internet',
    );
    expect(await requestImage(unreachableFixture, { links: 'http://localhost:1/a.png' })).toContain(
      '`a.png` is not on the public internet',
    );
    expect(receivedOrders(unreachableFixture.gateway)).toEqual([]);
    const expiringFixture = await startLocalBot({
      settings: { MAX_WAIT_IMAGE_SECONDS: '600' },
      discord: { limits: { attachmentLinkMs: 300_000 } },
    });
    refuseUploads(expiringFixture);
    expect(await requestImage(expiringFixture, { image: await imageUpload() })).toMatch(
      /`fox\.png` expires on <t:\d+:f>, .*another 10 min\./,
    );
    expect(receivedOrders(expiringFixture.gateway)).toEqual([]);
  });

  it('/image shows a refusal from the gateway unchanged', async () => {
    const fixture = await startLocalBot();
    const refusal = { status: 400, code: 'invalid_request', message: 'This model takes no references.' } as const;
    fixture.gateway.faults.add({ on: { path: new RegExp(`^${JOBS_PATH}$`) }, do: { type: 'status', ...refusal } });
    const exchange = await fixture.discord.as('member').slash('image', { prompt: 'a fox', image: await imageUpload() });
    expect(text(await exchange.message())).toContain('This model takes no references.');
    expect(fixture.gateway.jobs.list()).toEqual([]);
  });
});

describe('The suggestions of /image', () => {
  it('/image suggests models for images, and others once a member searches for them', async () => {
    const fixture = await startLocalBot();
    const member = fixture.discord.as('member');
    // Waits for the list of models, because the one-second limit on suggestions passes almost at once on the fast clock.
    await (await member.slash('models', {})).message();
    const unsearched = await member.complete('image', { prompt: 'x', model: '' }, 'model');
    expect(unsearched.map(({ value }) => value)).not.toContain('reel-2');
    const values = (await member.complete('image', { prompt: 'x', model: 'lumen' }, 'model')).map(({ value }) => value);
    expect(values).toEqual([TEST_IMAGE_MODEL, `${TEST_IMAGE_MODEL}-2K`, `${TEST_IMAGE_MODEL}-4K`]);
    const others = await member.complete('image', { prompt: 'x', model: 'reel' }, 'model');
    expect(others.map(({ value }) => value)).toEqual(['reel-2', 'reel-2-pro']);
  });
});

describeProfiles('The buttons of an image task', (profile) => {
  const start = () => startLocalBot({ gateway: { profile } });

  it('Everyone who sees an image can order it again unchanged or with another prompt, or enlarge the result once they have seen the price', async () => {
    const fixture = await start();
    const parent = await orderImage(fixture, { image: await imageUpload() });
    const other = fixture.discord.as('other');
    const [first] = receivedOrders(fixture.gateway);
    const second = await (await other.click(parent, 'Run again')).message(says('Finished in'));
    expect(second.id).not.toBe(parent.id);
    expect(text(second)).toContain(other.user.id);
    const form = await (await other.click(parent, 'Edit prompt')).modal();
    expect(JSON.stringify(form.components)).toContain('a red fox');
    const edited = await (await other.fill(form, { words: 'a blue fox' })).message(says('Finished in'));
    expect(text(edited)).toContain('a blue fox');
    const question = await (await other.click(parent, 'Enlarge (2K)')).message(says('Deadline to confirm'));
    expect(text(question)).toContain(
      `**a red fox**\n-# Model: ${TEST_IMAGE_MODEL}-2K\nSends the result to \`${TEST_IMAGE_MODEL}-2K\`, which redraws it larger.`,
    );
    expect(question.ephemeral).toBe(true);
    await other.click(question, 'Run');
    const isDone = (one: Message) => says('Made from [this result](')(one) && says('Finished in')(one);
    const enlarged = await fixture.discord.until(() => fixture.discord.messages('studio').find(isDone));
    expect(enlarged.ephemeral).toBe(false);
    expect(text(enlarged)).toContain(parent.id);
    expect(text(enlarged)).toContain('**a red fox**');
    expect(await sharp(await bytesOf(enlarged)).metadata()).toMatchObject({ width: 128 });
    expect(labels(enlarged).filter((label) => label.startsWith('Enlarge'))).toEqual(['Enlarge (4K)']);
    const page = await openTask(fixture, await openTaskList(fixture, 'other'), 'other');
    expect(text(page)).toMatch(/^\*\*a red fox\*\*\n/);
    const enlargedForms = ['Edit prompt', 'Use as reference'].map(async (name) =>
      JSON.stringify((await (await other.click(enlarged, name)).modal()).components),
    );
    expect((await Promise.all(enlargedForms)).join()).not.toContain('Reproduce');
    expect(text(await openDetails(fixture, page, 'other'))).not.toContain('Options');
    expect(receivedOrders(fixture.gateway)).toEqual([
      first,
      first,
      { ...(first as object), prompt: 'a blue fox' },
      {
        model: `${TEST_IMAGE_MODEL}-2K`,
        prompt: expect.stringMatching(/^Reproduce this image exactly.* a red fox$/),
        image: [urlContaining(`/${parent.attachments[0]?.filename}?ex=`)],
      },
    ]);
  });
});
