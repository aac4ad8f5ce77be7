import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { file } from '../../services/media/file-host.ts';
import { mp4Video } from '../../services/media/videos.ts';
import { itVariants } from '../../support/variants.ts';
import { type FixtureOptions, startBot } from '../bot.ts';
import { describeProfiles } from '../profiles.ts';
import { labels, says } from '../quick.ts';
import { bytesOf, errorsIn } from './fixture.ts';
import { imageUpload, urlContaining } from './image-fixture.ts';
import {
  fileHost,
  GENERIC_PATH,
  orderVideo,
  postVideo,
  receivedOrders,
  silentWav,
  startLocalBot,
  TEST_VIDEO_MODEL,
  VENDOR_PATH,
  VIDEOS_PATH,
} from './video-fixture.ts';

const hour = 3_600_000;

describeProfiles('/video', (profile) => {
  const start = (options: FixtureOptions = {}) =>
    startLocalBot({ ...options, gateway: { profile, ...options.gateway } });

  it('/video orders a video from a prompt and shows it', async () => {
    const fixture = await start();
    const message = await orderVideo(fixture);
    expect(receivedOrders(fixture.gateway)).toEqual([
      { path: GENERIC_PATH, body: { model: TEST_VIDEO_MODEL, prompt: 'waves at dawn' } },
    ]);
    expect(text(message)).toContain(
      `**waves at dawn** · <@${fixture.discord.as('member').user.id}>\n-# Model: ${TEST_VIDEO_MODEL}\nFinished`,
    );
    expect(text(message)).not.toContain('the model ignored');
    expect(message.attachments).toMatchObject([
      { content_type: 'video/mp4', description: 'AI-generated: waves at dawn' },
    ]);
    expect(labels(message)).toEqual(['Run again', 'Edit prompt', 'Delete']);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('/video sends every option in the field that the specification defines for it, and can be repeated unchanged or with another prompt', async () => {
    const host = await fileHost();
    const settings = { GATEWAY_FACE_CHECK_FIELD: 'face_ok', GATEWAY_REFERENCE_VIDEO_FIELD: 'reference_video_urls' };
    const fixture = await start({ settings, extraOrigins: [host.origin] });
    const dance = await postVideo(fixture, 7);
    const leap = await postVideo(fixture, 7.9, 'leap.mp4');
    const song = host.on('/song.wav', file(silentWav()));
    const message = await orderVideo(fixture, {
      model: 'reel-2-pro',
      image: await imageUpload('first.png'),
      image7: await imageUpload('last.png'),
      links: host.on('/third.png', file((await imageUpload()).bytes)),
      size: '160x96',
      duration: '1',
      mode: 'pro',
      negative: 'people',
      seed: 7,
      camera: 'slow zoom',
      reference_video: `${dance} ${leap}`,
      reference_audio: song,
      face_check: false,
      extra: '{"cfg_scale":0.5,"!fps":24}',
    });
    const body = {
      model: 'reel-2-pro',
      prompt: 'waves at dawn',
      size: '160x96',
      duration: 1,
      mode: 'pro',
      images: [urlContaining('first.png?ex='), urlContaining('last.png?ex='), `${host.origin}/third.png`],
      metadata: { negative_prompt: 'people', seed: 7, camera_control: 'slow zoom', cfg_scale: 0.5 },
      reference_video_urls: [dance, leap],
      reference_audio_urls: [song],
      face_ok: false,
      fps: 24,
    };
    expect(receivedOrders(fixture.gateway)).toEqual([{ path: GENERIC_PATH, body }]);
    expect(text(message)).toContain('-# Model: reel-2-pro · Size: 160x96 · 1 sec · Mode: pro\nFinished');
    expect(text(message)).not.toContain('the model ignored');
    const other = fixture.discord.as('other');
    const second = await (await other.click(message, 'Run again')).message(says('Finished in'));
    expect(text(second)).toContain(other.user.id);
    const form = await (await other.click(message, 'Edit prompt')).modal();
    const edited = await (await other.fill(form, { words: 'waves at night' })).message(says('Finished in'));
    expect(text(edited)).toContain('waves at night');
    expect(receivedOrders(fixture.gateway).map((one) => one.body)).toEqual([
      body,
      body,
      { ...body, prompt: 'waves at night' },
    ]);
    expect(errorsIn(fixture)).toEqual([]);
  });

  itVariants([
    ['16:9', { aspect_ratio: '16:9' }],
    ['720p', { resolution: '720p' }],
  ])('/video sends the size %s in its own field, and a single image as one value', async (size, sizeFields) => {
    const fixture = await start();
    await orderVideo(fixture, { size, duration: '1.0', image: await imageUpload() });
    const body = {
      model: TEST_VIDEO_MODEL,
      prompt: 'waves at dawn',
      ...sizeFields,
      duration: '1.0',
      image: urlContaining('fox.png?ex='),
    };
    expect(receivedOrders(fixture.gateway)).toEqual([{ path: GENERIC_PATH, body }]);
  });

  it('/video can use the vendor endpoint with an image', { tags: ['breadth'] }, async () => {
    const fixture = await start();
    const image = { image: await imageUpload(), duration: '1', mode: 'std' };
    const message = await orderVideo(fixture, { ...image, endpoint: 'image-to-video' });
    const body = {
      model: TEST_VIDEO_MODEL,
      prompt: 'waves at dawn',
      image: urlContaining('fox.png?ex='),
      duration: 1,
      mode: 'std',
    };
    expect(receivedOrders(fixture.gateway)).toEqual([{ path: VENDOR_PATH, body }]);
    expect(text(message)).toContain(`-# Model: ${TEST_VIDEO_MODEL} · 1 sec · Mode: std`);
    expect(message.attachments).toMatchObject([{ content_type: 'video/mp4' }]);
  });

  it('/video can use /v1/videos with the generic parameters and one image', { tags: ['breadth'] }, async () => {
    const fixture = await start();
    const options = { size: '16:9', duration: '1', mode: 'pro', seed: 7, extra: '{"!fps":24}' };
    const message = await orderVideo(fixture, { ...options, image: await imageUpload(), endpoint: 'videos' });
    const body = {
      model: TEST_VIDEO_MODEL,
      prompt: 'waves at dawn',
      seconds: '1',
      input_reference: urlContaining('fox.png?ex='),
      aspect_ratio: '16:9',
      mode: 'pro',
      metadata: { seed: 7 },
      fps: 24,
    };
    expect(receivedOrders(fixture.gateway)).toEqual([{ path: VIDEOS_PATH, body }]);
    expect(message.attachments).toMatchObject([{ content_type: 'video/mp4' }]);
  });

  it('/video tells images, videos and audio in the same options apart by their content', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await start();
    const clip = { name: 'clip.png', bytes: mp4Video({ seconds: 3 }), contentType: 'video/mp4' };
    const song = { name: 'song.png', bytes: silentWav(), contentType: 'audio/wav' };
    const dance = await postVideo(fixture, 4);
    await orderVideo(fixture, { image: song, image2: clip, image3: await imageUpload(), links: dance });
    const images = [urlContaining('fox.png?ex='), urlContaining('clip.png?ex='), dance];
    const body = {
      model: TEST_VIDEO_MODEL,
      prompt: 'waves at dawn',
      images,
      reference_audio_urls: [urlContaining('song.png?ex=')],
    };
    expect(receivedOrders(fixture.gateway)).toEqual([{ path: GENERIC_PATH, body }]);
  });

  it('/video sends a first and a last frame if the model’s family accepts them', { tags: ['breadth'] }, async () => {
    const fixture = await start();
    const options = {
      model: 'kling-v2-1',
      image: await imageUpload('first.png'),
      image2: await imageUpload('last.png'),
    };
    const [first, last] = [urlContaining('first.png?ex='), urlContaining('last.png?ex=')];
    await orderVideo(fixture, { ...options, endpoint: 'image-to-video' });
    await orderVideo(fixture, { ...options, endpoint: 'videos' });
    const base = { model: 'kling-v2-1', prompt: 'waves at dawn', image_tail: last };
    expect(receivedOrders(fixture.gateway)).toEqual([
      { path: VENDOR_PATH, body: { ...base, image: first } },
      { path: VIDEOS_PATH, body: { ...base, input_reference: first } },
    ]);
    const refused = await fixture.discord
      .as('member')
      .slash('video', { prompt: 'x', ...options, model: TEST_VIDEO_MODEL, endpoint: 'videos' });
    expect(text(await refused.message(says('accepts one image')))).toContain('you added `2`');
    expect(receivedOrders(fixture.gateway)).toHaveLength(2);
  });

  it('/video sends form data to /v1/videos if the operator has configured that', async () => {
    const fixture = await start({
      gateway: { quirks: { videosBody: 'form' } },
      settings: { GATEWAY_VIDEOS_BODY: 'form' },
    });
    const options = { size: '320x180', duration: '1', seed: 7, image: await imageUpload(), endpoint: 'videos' };
    const message = await orderVideo(fixture, options);
    expect(message.attachments).toMatchObject([{ content_type: 'video/mp4' }]);
    const [order] = receivedOrders(fixture.gateway);
    const input_reference = expect.stringMatching(/^data:image\/png;base64,/);
    const fields = {
      model: TEST_VIDEO_MODEL,
      prompt: 'waves at dawn',
      size: '320x180',
      seconds: '1',
      metadata: '{"seed":7}',
    };
    expect(order).toEqual({ path: VIDEOS_PATH, body: { ...fields, input_reference } });
    const job = fixture.gateway.jobs.list()[0];
    expect(job?.details).toMatchObject({ metadata: { seed: 7 } });
  });

  it('/video shows why a gateway that requires a form refuses JSON', async () => {
    const fixture = await start({ gateway: { quirks: { videosBody: 'form' } } });
    const exchange = await fixture.discord.as('member').slash('video', { prompt: 'waves', endpoint: 'videos' });
    expect(text(await exchange.message(says('accepts its fields only as form')))).toContain('gateway');
  });

  it('/video asks the member for confirmation before it submits more than the model usually accepts', async () => {
    const fixture = await start();
    const { discord, gateway } = fixture;
    const member = discord.as('member');
    const videos = await Promise.all([9, 8].map((seconds) => postVideo(fixture, seconds)));
    const exchange = await member.slash('video', { prompt: 'waves at dawn', links: videos.join(' ') });
    const confirmationPrompt = await exchange.message(says('exceeds the usual limits of'));
    expect(text(confirmationPrompt)).toContain('at most 15 sec of reference video; yours are 17 sec long in total');
    expect(receivedOrders(gateway)).toEqual([]);
    const otherPress = await discord.as('other').click(confirmationPrompt, 'Submit anyway');
    expect(text(await otherPress.followUp())).toContain('Only the member');
    expect(receivedOrders(gateway)).toEqual([]);
    const result = await (await member.click(confirmationPrompt, 'Submit anyway')).message(says('Finished in'));
    expect(result.id).toBe(confirmationPrompt.id);
    expect(receivedOrders(gateway)).toHaveLength(1);
  });

  it('A video request that is waiting for confirmation survives a restart, and is submitted only once', async () => {
    const fixture = await start();
    const { discord, gateway } = fixture;
    const image = await imageUpload();
    const sevenImages = Object.fromEntries(['', 2, 3, 4, 5, 6, 7].map((number) => [`image${number}`, image]));
    const links = String((await discord.as('member').say('look', [image])).attachments[0]?.url);
    const exchange = await discord.as('member').slash('video', { prompt: 'waves', ...sevenImages, links });
    const confirmationPrompt = await exchange.message(says('at most 7 reference images; you added 8'));
    await fixture.app.stop();
    await startBot(fixture);
    const member = discord.as('member');
    const presses = await Promise.all([1, 2].map(() => member.click(confirmationPrompt, 'Submit anyway')));
    await discord.until(() => presses.flatMap((one) => one.followUps()).find(says('changed, answered or deleted')));
    await discord.until(() => (receivedOrders(gateway).length > 0 ? true : undefined));
    expect(receivedOrders(gateway)).toHaveLength(1);
  });

  it('/video uploads an image for the vendor endpoint if the gateway cannot reach it', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await start({ settings: { MEDIA_ALLOW_PRIVATE: 'off' } });
    await orderVideo(fixture, { image: await imageUpload(), endpoint: 'image-to-video' });
    const image = expect.stringContaining(`${fixture.gateway.url}/`);
    expect(receivedOrders(fixture.gateway)).toEqual([
      { path: VENDOR_PATH, body: { model: TEST_VIDEO_MODEL, prompt: 'waves at dawn', image } },
    ]);
  });

  it('/video sends images as data if the gateway cannot reach them', { tags: ['breadth'] }, async () => {
    const fixture = await start({ settings: { MEDIA_ALLOW_PRIVATE: 'off' } });
    await orderVideo(fixture, { image: await imageUpload(), image2: await imageUpload() });
    await orderVideo(fixture, { image: await imageUpload(), endpoint: 'videos' });
    const data = expect.stringMatching(/^data:image\/png;base64,/);
    expect(receivedOrders(fixture.gateway).map(({ body }) => body)).toEqual([
      { model: TEST_VIDEO_MODEL, prompt: 'waves at dawn', images: [data, data] },
      { model: TEST_VIDEO_MODEL, prompt: 'waves at dawn', input_reference: data },
    ]);
  });

  it('The message of a video that exceeds its wait limit says so, and still shows the video when it is finished hours later', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await start({ settings: { MAX_WAIT_VIDEO_SECONDS: '30' } });
    const { discord, gateway, clock } = fixture;
    gateway.faults.add({ do: 'stick' });
    const exchange = await discord.as('member').slash('video', { prompt: 'waves at dawn' });
    const waiting = await exchange.message(says('longer than usual'));
    expect(text(waiting)).toContain('The result will appear here');
    gateway.jobs.finish(gateway.jobs.list()[0]?.id ?? '');
    // By then the interaction token has expired, so the message can be edited only with the bot token.
    clock.advance(3 * hour);
    const currentMessage = () => discord.messages('studio').find(({ id }) => id === waiting.id);
    await expect.poll(() => currentMessage()?.attachments.length).toBe(1);
    expect(text(currentMessage() ?? waiting)).toContain('Finished in');
    expect(receivedOrders(gateway)).toHaveLength(1);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('A video that exceeds the upload limit is linked, with the gateway’s preview image', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await start();
    const host = await fileHost();
    fixture.gateway.faults.add({ do: { type: 'huge-file', megabytes: 12 } });
    const cover_url = host.on('/cover.png', file((await imageUpload()).bytes));
    fixture.gateway.jobs.on('change', ({ id, state }) => {
      if (state !== 'succeeded') return;
      const videos = [{ id: '1', url: `${fixture.gateway.url}/files/${id}/1.mp4`, duration: '5.1', cover_url }];
      const data = { task_id: id, task_status: 'succeed', task_status_msg: '', task_result: { videos } };
      const body = { code: 0, message: 'SUCCEED', request_id: '1', data };
      fixture.gateway.faults.add({
        on: { method: 'GET', path: `${GENERIC_PATH}/` },
        do: { type: 'body', body },
        times: 100,
      });
    });
    const message = await orderVideo(fixture);
    expect(text(message)).toContain(`The result could not be attached. Open it at ${fixture.gateway.url}/files/`);
    expect(message.attachments).toMatchObject([
      {
        filename: 'waves-at-dawn-frame1.png',
        content_type: 'image/png',
        width: 40,
        height: 30,
        description: 'Frame of an AI-generated video: waves at dawn',
      },
    ]);
    expect(host.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    expect(labels(message)).toEqual(['Run again', 'Edit prompt', 'Delete']);
    expect((await bytesOf(message)).length).toBeGreaterThan(0);
  });
});
