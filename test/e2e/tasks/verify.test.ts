import { createHash, randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { fileOf } from '../../../src/services/store/backend.ts';
import { startBot } from '../bot.ts';
import { type FastClockFixture, says, startFastClockBot } from '../quick.ts';
import { bytesOf, errorsIn, orderGrid, pressAndWait, shortSongs, shortVideos } from './fixture.ts';
import { erase, offeredTasks, openTaskList } from './pages.ts';
import { orderSongs } from './songs.ts';

type UploadedFile = { name: string; bytes: Buffer; contentType?: string };

/** Returns the reply to a member who verifies a message. */
async function verify({ discord }: FastClockFixture, message: Message, who = 'member'): Promise<Message> {
  const reply = await (await discord.as(who).menu('Verify', message)).message();
  expect(reply.ephemeral).toBe(true);
  return reply;
}

/** Posts files as one member and verifies them as another. */
async function verifyFiles(fixture: FastClockFixture, files: readonly UploadedFile[], who = 'other'): Promise<Message> {
  return verify(fixture, await fixture.discord.as('other').say('look', files), who);
}

/** Returns the id of the newest task. */
const newestId = async (fixture: FastClockFixture, who = 'member'): Promise<string> =>
  offeredTasks(await openTaskList(fixture, who))[0]?.value ?? '';

function readNamespace({ config }: FastClockFixture, namespace: string): Record<string, unknown>[] {
  const database = new DatabaseSync(fileOf(config.store), { readOnly: true });
  const rows = database.prepare('SELECT value FROM atelier WHERE namespace = ?').all(namespace);
  database.close();
  return rows.map(({ value }) => JSON.parse(String(value)).value);
}

const linkTo = ({ channel_id, id }: Message): RegExp =>
  new RegExp(`\\[the result\\]\\(https://discord.com/channels/\\d+/${channel_id}/${id}\\)`);
const NOT_RECOGNIZED = 'not recognized';
const NO_PROOF = 'This does not prove that a file was made elsewhere.';

describe('Verify', () => {
  const startFixture = (options: Parameters<typeof startFastClockBot>[0] = {}) =>
    startFastClockBot({ ...options, gateway: { speed: 20, ...options.gateway } });

  it('Verify tells the requester which task created a file, and anyone else only that the bot created it', async () => {
    const fixture = await startFixture();
    const message = await orderGrid(fixture);
    const id = await newestId(fixture);
    const requesterReply = await verify(fixture, message);
    expect(text(requesterReply)).toMatch(linkTo(message));
    expect(text(requesterReply)).toContain(`made with this bot. It is [the result]`);
    expect(text(requesterReply)).toContain(`of task \`${id}\`.`);
    const page = await fixture.discord.as('member').choose(requesterReply, 'Open a task', [id]);
    expect(text(await page.message(says('· Finished')))).toContain('a fox in the snow');

    const copy = { name: 'copy.png', bytes: await bytesOf(message) };
    const otherReply = await verifyFiles(fixture, [copy]);
    expect(text(otherReply)).toBe('`copy.png`: the file was made with this bot.');
    expect(otherReply.components ?? []).toEqual([]);
    // A copy also leads to the result for the requester, and for members who can see the tasks of the server.
    for (const who of ['admin', 'member'])
      expect(text(await verifyFiles(fixture, [copy], who))).toMatch(linkTo(message));
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('A re-saved or resized result is reported as similar, and another image is not recognized', async () => {
    const fixture = await startFixture();
    const message = await orderGrid(fixture);
    const bytes = await bytesOf(message);
    const { width = 0 } = await sharp(bytes).metadata();
    const files = [
      { name: 'saved.jpg', bytes: await sharp(bytes).jpeg({ quality: 70 }).toBuffer() },
      {
        name: 'half.png',
        bytes: await sharp(bytes)
          .resize(Math.round(width / 2))
          .png()
          .toBuffer(),
      },
    ];
    const noise = { width: 64, height: 64, channels: 3 } as const;
    const unrelatedImage = {
      name: 'foreign.png',
      bytes: await sharp(randomBytes(64 * 64 * 3), { raw: noise })
        .blur(6)
        .normalise()
        .png()
        .toBuffer(),
    };
    const otherReply = text(await verifyFiles(fixture, [...files, unrelatedImage])).split('\n');
    expect(otherReply.slice(0, 3)).toEqual([
      '`saved.jpg`: the file is similar to a result of this bot.',
      '`half.png`: the file is similar to a result of this bot.',
      '`foreign.png`: the file was not recognized.',
    ]);
    expect(otherReply.slice(3).join(' ')).toContain('different images can look alike by chance');
    expect(otherReply.slice(3).join(' ')).toContain(NO_PROOF);
    const requesterReply = await verifyFiles(fixture, files, 'member');
    expect(text(requesterReply).match(new RegExp(linkTo(message), 'g'))).toHaveLength(2);
    expect(text(requesterReply)).not.toContain(NO_PROOF);
    expect(offeredTasks(requesterReply)).toHaveLength(1);
  });

  it('A private result is recognized, and only its requester is told which one it is', async () => {
    const fixture = await startFixture();
    const message = await orderGrid(fixture, { private: true });
    const copy = { name: 'copy.png', bytes: await bytesOf(message) };
    for (const who of ['other', 'admin'])
      expect(text(await verifyFiles(fixture, [copy], who))).toBe('`copy.png`: the file was made with this bot.');
    expect(text(await verifyFiles(fixture, [copy], 'member'))).toContain(`of task \`${await newestId(fixture)}\``);
  });

  it('A result is still recognized after Delete and a restart, but not after an erasure', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFixture();
    const message = await orderGrid(fixture);
    const id = await newestId(fixture);
    const copy = { name: 'copy.png', bytes: await bytesOf(message) };
    const resaved = { name: 'saved.jpg', bytes: await sharp(copy.bytes).jpeg({ quality: 70 }).toBuffer() };
    await fixture.discord.as('member').click(message, 'Delete');
    await fixture.discord.until(() => !fixture.discord.messages('studio').some((one) => one.id === message.id));
    const expectBothRecognized = async () => {
      expect(text(await verifyFiles(fixture, [copy]))).toBe('`copy.png`: the file was made with this bot.');
      // The task is kept without a message to link to.
      expect(text(await verifyFiles(fixture, [copy, resaved], 'member'))).toContain(
        `made with this bot. It is the result of task \`${id}\`.\n\`saved.jpg\`: the file is similar to the result of task \`${id}\`.`,
      );
    };
    await expectBothRecognized();
    await fixture.app.stop();
    await startBot(fixture);
    await expectBothRecognized();
    expect([readNamespace(fixture, 'fingerprints').length, readNamespace(fixture, 'finished').length]).toEqual([1, 1]);
    await erase(fixture);
    const replyAfterErasure = text(await verifyFiles(fixture, [copy, resaved], 'member'));
    expect(replyAfterErasure.match(new RegExp(NOT_RECOGNIZED, 'g'))).toHaveLength(3);
    expect([readNamespace(fixture, 'fingerprints'), readNamespace(fixture, 'finished')]).toEqual([[], []]);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('A video or a song is recognized only if the file is identical byte for byte', { tags: ['breadth'] }, async () => {
    const videos = shortVideos();
    const fixture = await startFixture({
      gateway: { studio: { ...shortSongs(), drawVideo: videos.drawVideo }, quirks: { refusedActions: false } },
    });
    const video = await pressAndWait(
      fixture,
      await pressAndWait(fixture, await orderGrid(fixture), 'U1'),
      'Animate (Low motion)',
    );
    const song = await (await fixture.discord.as('member').slash('music make', { about: 'rain' })).message(
      says('Finished in'),
    );
    for (const [name, message] of [
      ['a.mp4', video],
      ['a.mp3', song],
    ] as const) {
      const index = message.attachments.findIndex(({ filename }) => /\.(mp4|mp3|wav)$/.test(filename));
      const bytes = await bytesOf(message, index);
      expect(text(await verifyFiles(fixture, [{ name, bytes }]))).toBe(`\`${name}\`: the file was made with this bot.`);
      const extendedBytes = Buffer.concat([bytes, Buffer.from('\0\0\0\x08free', 'latin1')]);
      expect(text(await verifyFiles(fixture, [{ name, bytes: extendedBytes }]))).toContain(NOT_RECOGNIZED);
    }
  });

  it('The covers of a song and of an album are recognized, also after they were saved again', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFixture({ gateway: { studio: shortSongs() } });
    const song = await (await fixture.discord.as('member').slash('music make', { about: 'rain' })).message(
      says('Finished in'),
    );
    const ids = (await orderSongs(fixture.gateway, 'Light', 'Harbour')).join(' ');
    const album = await (await fixture.discord.as('owner').slash('music follow', { ids })).message(
      says('All finished'),
    );
    for (const message of [song, album]) {
      const cover = message.attachments.findIndex(({ filename }) => filename.includes('cover'));
      const bytes = await bytesOf(message, cover);
      const saved = await sharp(bytes).jpeg({ quality: 80 }).toBuffer();
      const files = [
        { name: 'cover.png', bytes },
        { name: 'saved.jpg', bytes: saved },
      ];
      expect(
        text(await verifyFiles(fixture, files))
          .split('\n')
          .slice(0, 2),
      ).toEqual([
        '`cover.png`: the file was made with this bot.',
        '`saved.jpg`: the file is similar to a result of this bot.',
      ]);
    }
  });

  it('Files that are not media, are damaged or are too large are listed without an error', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFixture({ discord: { limits: { uploadBytes: 200 * 2 ** 20 } } });
    const { discord } = fixture;
    const textMessage = await discord.as('other').say('look');
    expect(text(await verify(fixture, textMessage))).toContain('This message has no file to check.');
    const image = await sharp(randomBytes(64 * 64 * 3), { raw: { width: 64, height: 64, channels: 3 } })
      .png()
      .toBuffer();
    const reply = await verifyFiles(fixture, [
      { name: 'note.txt', bytes: Buffer.from('hello') },
      { name: 'half.png', bytes: image.subarray(0, 4_000) },
      { name: 'huge.png', bytes: Buffer.alloc(101 * 2 ** 20, 1) },
      { name: 'fine.png', bytes: image },
      ...Array.from({ length: 6 }, (_, index) => ({ name: `more${index}.png`, bytes: image })),
    ]);
    expect(text(reply).split('\n').slice(0, 4)).toEqual([
      '`note.txt`: the file is not an image, video or audio file that the bot can read.',
      // The bytes of a damaged file are still compared.
      '`half.png`: the file was not recognized.',
      '`huge.png`: the file was not checked, because it is too large, alone or together with the others.',
      '`fine.png`: the file was not recognized.',
    ]);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('An export contains the hashes of a member’s own results', async () => {
    const fixture = await startFixture();
    const message = await orderGrid(fixture);
    const hash = createHash('sha256')
      .update(await bytesOf(message))
      .digest('hex');
    const exportMessage = await (
      await fixture.discord.as('member').click(await openTaskList(fixture), 'Export my data')
    ).message();
    const { tasks } = JSON.parse((await bytesOf(exportMessage)).toString());
    expect(tasks).toMatchObject([{ fingerprints: [{ hash, likeness: expect.stringMatching(/^[0-9a-f]{16}$/) }] }]);
  });
});
