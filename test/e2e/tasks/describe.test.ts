import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import type { PresetName } from '../../../sandbox/gateway/fault-presets.ts';
import { noLimits } from '../../support/no-limits.ts';
import { startBot } from '../bot.ts';
import { describeProfiles } from '../profiles.ts';
import {
  createFastClockFixture,
  type FastClockFixture,
  labels,
  says,
  spoilersOf,
  startFastClockBot,
  submitCount,
} from '../quick.ts';
import { bytesOf, errorsIn, jobs, orders } from './fixture.ts';

const minute = 60_000;
const pngBytes = (background: string) =>
  sharp({ create: { width: 96, height: 64, channels: 3, background } })
    .png()
    .toBuffer();
const png = async (name: string, background: string) => ({ name, bytes: await pngBytes(background) });

const dataUri = (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64')}`;

async function describeImages({ discord }: FastClockFixture, options: { private?: boolean } = {}): Promise<Message> {
  const image = await png('fox.png', 'orange');
  return (await discord.as('member').slash('describe', { image, ...options })).message(says('Finished in'));
}

/** The verbs in the custom ids of a message's buttons. */
const buttonVerbs = (message: Message): string[] =>
  (message.components ?? []).flatMap((row) =>
    'components' in row
      ? row.components.flatMap((one) => ('custom_id' in one ? [one.custom_id.split('.')[0] ?? ''] : []))
      : [],
  );

const descriptionLines = (message: Message): string[] =>
  text(message)
    .split('\n')
    .filter((line) => /^\d\ufe0f\u20e3 /.test(line))
    .map((line) => line.replace(/^\S+ /, '').replaceAll('\\', ''));

/** Waits for the messages of the tasks made from all four lines, but not for their images. */
const waitForTaskMessages = ({ discord }: FastClockFixture): Promise<Message[]> =>
  discord.until(() => {
    const found = discord.messages('studio').filter(says('Made from [this result]'));
    return found.length === 4 ? found : undefined;
  });

describeProfiles('/describe', (profile) => {
  it('/describe sends its images as data in order and shows them with a button for each line', async () => {
    const fixture = await startFastClockBot({ gateway: { profile, speed: 20 } });
    const { discord, gateway } = fixture;
    const [image, image2] = [await png('fox.png', 'orange'), await png('sea.png', 'navy')];
    const exchange = await discord.as('member').slash('describe', { image, image2 });
    const message = await exchange.message(says('Finished in'));
    expect(orders(gateway)).toEqual([
      { path: '/imgx/submit/describe', body: { base64Array: [dataUri(image.bytes), dataUri(image2.bytes)] } },
    ]);
    expect(text(message)).toMatch(/^\*\*fox\.png, sea\.png\*\* · <@\d+>\nFinished in/);
    expect(descriptionLines(message)).toHaveLength(4);
    expect(message.attachments).toMatchObject([
      { content_type: 'image/png', description: 'Described image: fox.png' },
      { content_type: 'image/png', description: 'Described image: sea.png' },
    ]);
    expect(buttonVerbs(message)).toEqual(['line', 'line', 'line', 'line', 'same', 'lines', 'delete']);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('/describe lets everyone who sees a line open it in a form and order an image from it', async () => {
    const fixture = await startFastClockBot({ gateway: { profile, speed: 20 } });
    const parent = await describeImages(fixture);
    const other = fixture.discord.as('other');
    const form = await (await other.click(parent, '2️⃣')).modal();
    expect(form.title).toBe('Generate images from this prompt');
    const [, line = ''] = descriptionLines(parent);
    expect(JSON.stringify(form.components)).toContain(JSON.stringify(line));
    expect(submitCount(fixture.gateway)).toBe(1);
    const refused = await other.fill(form, { words: `${line} --chaos 900` });
    expect(text(await refused.message())).toContain('--chaos');
    expect(submitCount(fixture.gateway)).toBe(1);
    const secondForm = await (await other.click(parent, '2️⃣')).modal();
    const child = await (await other.fill(secondForm, {})).message(says('Finished in'));
    expect(orders(fixture.gateway).slice(1)).toEqual([{ path: '/imgx/submit/imagine', body: { prompt: line } }]);
    expect(text(child)).toContain(`<@${fixture.discord.world.user('other').id}>`);
    expect(text(child)).toMatch(
      new RegExp(`Made from \\[this result\\]\\(https://discord.com/channels/\\d+/\\d+/${parent.id}\\)`),
    );
    expect(labels(child)).toContain('U1');
  });

  it('/describe shows a copy of an image behind a spoiler behind one too, also from the menu', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { profile, speed: 20 } });
    const hidden = await png('SPOILER_fox.png', 'orange');
    const member = fixture.discord.as('member');
    const described = await (await member.slash('describe', { image: hidden })).message(says('Finished in'));
    const message = await fixture.discord.as('other').say('look', [hidden, await png('cat.png', 'lime')]);
    const fromMenu = await (await member.menu('Describe image', message)).message(says('Finished in'));
    expect([spoilersOf(described), spoilersOf(fromMenu)]).toEqual([[true], [true, false]]);
    expect(text(described)).not.toContain('this message');
    expect(text(fromMenu)).toMatch(new RegExp(`Made from \\[this message\\]\\(\\S+/${message.id}\\)`));
  });

  it('/describe can be repeated for the same images', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({ gateway: { profile, speed: 20 } });
    const parent = await describeImages(fixture);
    const press = await fixture.discord.as('other').click(parent, 'Describe again');
    const child = await press.message(says('Finished in'));
    expect(child.id).not.toBe(parent.id);
    const [first, second] = orders(fixture.gateway);
    expect(second).toEqual(first);
  });

  it('/describe shows the number of tasks to a member who presses Generate all, and submits them only once, however often the member confirms', async () => {
    const fixture = await startFastClockBot({ gateway: { profile, speed: 20 } });
    const { discord, gateway } = fixture;
    const parent = await describeImages(fixture);
    const other = discord.as('other');
    const question = await (await other.click(parent, 'Generate all')).message();
    expect(question.ephemeral).toBe(true);
    expect(text(question)).toContain('This submits 4 tasks');
    expect(submitCount(gateway)).toBe(1);
    gateway.faults.add({ on: { kind: 'imagine' }, do: 'no-media', times: 4 });
    const presses = await Promise.all([1, 2].map(() => other.click(question, 'Run all 4')));
    const results = await waitForTaskMessages(fixture);
    expect(results.some(({ ephemeral }) => ephemeral)).toBe(false);
    expect(
      orders(gateway)
        .slice(1)
        .map(({ body }) => body),
    ).toEqual(descriptionLines(parent).map((prompt) => ({ prompt })));
    const reply = await discord.until(() =>
      presses.flatMap((one) => one.followUps()).find(says('changed, answered or deleted')),
    );
    expect(reply.ephemeral).toBe(true);
    const updatedQuestion = discord.messages('studio').find(({ id }) => id === question.id);
    expect(updatedQuestion && text(updatedQuestion)).toBe('4 tasks submitted. Each has its own message.');
    expect(updatedQuestion && labels(updatedQuestion)).toEqual([]);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('Generate all submits as many tasks as Discord allows messages, and keeps the others for the next press', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({
      gateway: { profile, speed: 20 },
      settings: { DISCORD_USER_INSTALL: 'on' },
      discord: { limits: { userInstallFollowUps: 3 } },
    });
    const { discord, gateway } = fixture;
    const installer = discord.as('installer');
    const image = await png('fox.png', 'orange');
    const parent = await (await installer.slash('describe', { image })).message(says('Finished in'));
    const question = await (await installer.click(parent, 'Generate all')).message();
    gateway.faults.add({ on: { kind: 'imagine' }, do: 'no-media', times: 4 });
    const partly = await (await installer.click(question, 'Run all 4')).message(says('3 tasks submitted'));
    expect(labels(partly)).toEqual(['Run', 'Cancel']);
    expect(submitCount(gateway)).toBe(4);
    discord.faults.add({ on: { method: 'POST', route: /^.webhooks/ }, do: { type: 'status', status: 503 } });
    const failed = await (await installer.click(partly, 'Run')).followUp();
    expect(text(failed)).toContain('reference');
    expect(submitCount(gateway)).toBe(4);
    await (await installer.click(partly, 'Run')).message(says('1 task submitted'));
    expect(
      orders(gateway)
        .slice(1)
        .map(({ body }) => body),
    ).toEqual(descriptionLines(parent).map((prompt) => ({ prompt })));
  });

  it('Generate all says once why several tasks were refused, and keeps them for later', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({
      gateway: { profile, speed: 20 },
      settings: { DEFAULT_MEMBER_BUDGET: '3 tasks a day' },
    });
    const { discord, gateway } = fixture;
    const member = discord.as('member');
    const parent = await describeImages(fixture);
    const question = await (await member.click(parent, 'Generate all')).message();
    gateway.faults.add({ on: { kind: 'imagine' }, do: 'no-media', times: 2 });
    const press = await member.click(question, 'Run all 4');
    const partly = await press.message(says('2 tasks submitted'));
    expect(text(partly)).toMatch(/submit the rest\.\n2 tasks were refused: .*limit.*\nEstimated cost of these 2 tasks/);
    expect(labels(partly)).toEqual(['Run all 2', 'Cancel']);
    expect(press.followUps().filter(says('limit'))).toEqual([]);
    expect(submitCount(gateway)).toBe(3);
  });

  it('The result of a private /describe and everything made from it are hidden from others', async () => {
    const fixture = await startFastClockBot({ gateway: { profile, speed: 20 } });
    const { discord } = fixture;
    const member = discord.as('member');
    const parent = await describeImages(fixture, { private: true });
    expect(parent.ephemeral).toBe(true);
    const question = await (await member.click(parent, 'Generate all')).message();
    fixture.gateway.faults.add({ on: { kind: 'imagine' }, do: 'no-media', times: 4 });
    await member.click(question, 'Run all 4');
    await waitForTaskMessages(fixture);
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toEqual([]);
  });

  it('The message of a failed description says so, and a description that exceeds its wait limit is still delivered', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { profile } });
    const { discord, gateway, clock } = fixture;
    const member = discord.as('member');
    gateway.faults.add({ do: { type: 'fail', reason: 'The image cannot be read.' } });
    const failed = await (await member.slash('describe', { image: await png('fox.png', 'orange') })).message(
      says('This task failed'),
    );
    expect(text(failed)).toContain('The image cannot be read.');
    expect(labels(failed)).toEqual(['Retry', 'Delete']);
    gateway.faults.add({ do: 'stick' });
    const exchange = await member.slash('describe', { image: await png('sea.png', 'navy') });
    await exchange.message(says('%'));
    clock.advance(6 * minute);
    await exchange.message(says('longer than usual'));
    gateway.jobs.finish(jobs(gateway).at(-1)?.id ?? '');
    expect(descriptionLines(await exchange.message(says('Finished in')))).toHaveLength(4);
  });

  it('/describe refuses files that are not images, are empty or are too large before anything is submitted', async () => {
    const { discord, gateway } = await startFastClockBot({
      gateway: { profile },
      discord: { limits: { uploadBytes: 30 * 2 ** 20 } },
    });
    for (const [image, words] of [
      [{ name: 'fox.png', bytes: Buffer.from('MZ\x90\0\x03') }, 'not a valid image'],
      [{ name: 'fox.html', bytes: Buffer.from('<html>') }, 'is not an image'],
      [{ name: 'fox.png', bytes: Buffer.alloc(0) }, 'is empty'],
      [{ name: 'fox.png', bytes: Buffer.alloc(21 * 2 ** 20), contentType: 'image/png' }, 'is larger than'],
    ] as const)
      expect(text(await (await discord.as('member').slash('describe', { image })).message())).toContain(words);
    expect(submitCount(gateway)).toBe(0);
  });
});

/** Returns an image that exceeds the gateway's limit, even after compression. */
async function largeImage() {
  const [width, height] = [900, 900];
  const raw = { width, height, channels: 3 } as const;
  return {
    name: 'noise.png',
    bytes: await sharp(randomBytes(width * height * 3), { raw })
      .png()
      .toBuffer(),
  };
}

describe('An image that exceeds the gateway’s limit', { tags: ['breadth'] }, () => {
  it('An image that exceeds the gateway’s limit is reduced and sent again, because the refusal was definite', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20, quirks: { bodyLimit: 2_500_000 } } });
    const { discord, gateway } = fixture;
    const message = await (await discord.as('member').slash('describe', { image: await largeImage() })).message(
      says('Finished in'),
    );
    expect(descriptionLines(message)).toHaveLength(4);
    expect(jobs(gateway)).toHaveLength(1);
    const requests = gateway.requests.filter(({ path }) => path.endsWith('/describe'));
    expect(requests.map(({ status }) => status)).toEqual([413, 200]);
    const [, secondRequest] = requests;
    // Long strings are recorded as their beginning and their length.
    const [, type, length] =
      /"data:image\/(\w+);base64,.*\((\d+) characters\)"/.exec(JSON.stringify(secondRequest?.body)) ?? [];
    expect([type, Number(length) < 2_500_000]).toEqual(['jpeg', true]);
  });

  it('An image that is still refused after it was reduced is not sent a third time', async () => {
    const { discord, gateway } = await startFastClockBot({ gateway: { speed: 20 } });
    gateway.faults.add({ on: { path: '/imgx/submit/describe' }, do: 'too-large', times: 9 });
    const exchange = await discord.as('member').slash('describe', { image: await largeImage() });
    expect(text(await exchange.message())).toContain('The gateway');
    expect([submitCount(gateway), jobs(gateway).length]).toEqual([2, 0]);
    expect(text(await (await discord.as('member').slash('about')).message())).toContain('Tasks in progress: 0');
  });

  it('An image is not sent again after an unknown outcome', async () => {
    const { discord, gateway, clock } = await startFastClockBot({
      gateway: { speed: 20 },
      gatewayLimits: { submitMs: 2_000 },
      settings: noLimits,
    });
    const faults = ['server-error', 'accepted-then-reset', 'hang'] satisfies PresetName[];
    const image = await largeImage();
    for (const [index, fault] of faults.entries()) {
      gateway.faults.add({ on: { path: '/imgx/submit/describe' }, do: fault });
      const exchange = await discord.as('member').slash('describe', { image });
      await exchange.message(says('couldn’t confirm whether the gateway accepted'));
      clock.advance(10 * minute);
      await (await discord.as('other').slash('about')).message();
      expect(submitCount(gateway), fault).toBe(index + 1);
    }
  });
});

describe('The message menu for descriptions', () => {
  it('The message menu describes up to four images of a message ephemerally, with working buttons', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const { discord, gateway } = fixture;
    const files = await Promise.all(['red', 'lime', 'blue', 'gold', 'pink'].map((name) => png(`${name}.png`, name)));
    const note = { name: 'note.txt', bytes: Buffer.from('hello') };
    const message = await discord.as('other').say('look', [note, ...files]);
    const member = discord.as('member');
    const result = await (await member.menu('Describe image', message)).message(says('Finished in'));
    expect(result.ephemeral).toBe(true);
    expect(text(result)).toContain('red.png, lime.png, blue.png, gold.png');
    expect(orders(gateway)).toEqual([
      { path: '/imgx/submit/describe', body: { base64Array: files.slice(0, 4).map(({ bytes }) => dataUri(bytes)) } },
    ]);
    const form = await (await member.click(result, '1️⃣')).modal();
    const child = await (await member.fill(form, {})).message(says('Finished in'));
    expect([child.ephemeral, labels(child).includes('U1')]).toEqual([true, true]);
  });

  it('The message menu is refused with an explanation for a message without images', async () => {
    const { discord, gateway } = await startFastClockBot();
    const message = await discord.as('other').say('look', [{ name: 'note.txt', bytes: Buffer.from('hello') }]);
    const refusal = await (await discord.as('member').menu('Describe image', message)).message();
    expect(text(refusal)).toBe('This message has no image. Choose a message that shows one.');
    expect(submitCount(gateway)).toBe(0);
  });
});

describe('A long description', () => {
  it('The message of a long description shows the beginning of every line, and has the usual buttons and a file with the whole text', async () => {
    const { discord, gateway } = await startFastClockBot({ gateway: { profile: 'stock', speed: 20 } });
    const longText = [1, 2, 3, 4]
      .map((number) => `${number}\ufe0f\u20e3 *${'long_words '.repeat(120 * number)}`)
      .join('\n\n')
      .trim();
    const body = {
      id: '1',
      action: 'DESCRIBE',
      status: 'SUCCESS',
      progress: '100%',
      buttons: [],
      properties: { finalPrompt: longText },
    };
    gateway.faults.add({ on: { path: /\/fetch$/ }, do: { type: 'body', body }, times: 9 });
    const member = discord.as('member');
    const message = await (await member.slash('describe', { image: await png('fox.png', 'orange') })).message(
      says('Finished in'),
    );
    expect(text(message).length).toBeLessThanOrEqual(2_000);
    expect(descriptionLines(message)).toHaveLength(4);
    const [image, file] = message.attachments;
    expect(image?.content_type).toBe('image/png');
    expect(file?.filename).toMatch(/describe\.txt$/);
    expect((await bytesOf(message, 1)).toString() === longText).toBe(true);
    expect(buttonVerbs(message)).toEqual(['line', 'line', 'line', 'line', 'same', 'lines', 'delete']);
    const form = await (await member.click(message, '4️⃣')).modal();
    expect(form.components).toHaveLength(2);
  });
});

it('The buttons of a description still work after months and a restart', { tags: ['breadth'] }, async () => {
  const fixture = await createFastClockFixture({ gateway: { speed: 20 } });
  const app = await startBot(fixture);
  const parent = await describeImages(fixture);
  await app.stop();
  fixture.clock.advance(60 * 24 * 60 * minute);
  await startBot(fixture);
  const other = fixture.discord.as('other');
  const form = await (await other.click(parent, '3️⃣')).modal();
  const child = await (await other.fill(form, { words: 'a fox' })).message(says('%'));
  expect(text(child)).toContain('Made from [this result]');
  // The image is no longer available from Discord.
  const second = await (await other.click(parent, 'Describe again')).message();
  expect(text(second)).toContain('Upload it again.');
  expect(submitCount(fixture.gateway)).toBe(2);
});
