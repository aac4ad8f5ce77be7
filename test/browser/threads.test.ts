import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { REST, Routes } from 'discord.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildPage } from '../../sandbox/web/build.ts';
import { openStage } from '../../sandbox/web/open-stage.ts';
import { Resources } from '../../sandbox/web/resources.ts';
import { pageServer } from '../../sandbox/web/server.ts';
import type { Stage } from '../../sandbox/web/stage.ts';
import { browserPath, openBrowser } from '../support/browser.ts';
import { type Look, type Visitor, visitor } from './page/visitor.ts';

const VOICE = 1 << 13;
const PUBLIC = 11;
const PRIVATE = 12;
/** Three seconds of Ogg Opus. */
const sound = fileURLToPath(new URL('page/voice.ogg', import.meta.url));
const waveform = Buffer.from(Array.from({ length: 60 }, (_, at) => 40 + 200 * Math.abs(Math.sin(at / 7)))).toString(
  'base64',
);

describe.skipIf(browserPath === undefined)('Threads and voice messages on the page in a real Chromium', () => {
  const resources = new Resources();
  let stage: Stage;
  let rest: REST;
  let here: Visitor;
  let url = '';
  let browser: Awaited<ReturnType<typeof openBrowser>>;

  beforeAll(async () => {
    const signal = new AbortController().signal;
    const [opened, { folder }] = await Promise.all([
      openStage({ speed: 50, realGateway: false, environment: process.env, signal }, resources),
      buildPage(),
    ]);
    stage = opened.stage;
    const server = await pageServer({ stage, token: 'this-run', folder });
    await resources.keep(server, () => server.close());
    url = await server.listen({ port: 0, host: '127.0.0.1' });
    await opened.ready;
    rest = new REST({ api: stage.discord.apiUrl }).setToken(stage.discord.token);
    browser = await openBrowser();
    await resources.keep(browser, () => browser.close());
  }, 60_000);
  afterAll(() => resources.close());
  afterEach(async () => {
    await here.leave();
    expect(stage.discord.violations).toEqual([]);
  });

  const visit = async (look?: Look): Promise<Visitor> => {
    here = await visitor(browser.context, { url, token: 'this-run', built: true, close: async () => undefined }, look);
    return here;
  };
  const idOf = (name: string): string => stage.discord.world.channel(name).id;
  const start = (name: string, type: number) =>
    rest.post(Routes.threads(idOf('studio')), { body: { name, type } }) as Promise<{ id: string }>;
  const speak = (channel: string) =>
    rest.post(Routes.channelMessages(channel), {
      body: { flags: VOICE, attachments: [{ id: '0', filename: 'voice-message.ogg', duration_secs: 3, waveform }] },
      files: [{ name: 'voice-message.ogg', data: readFileSync(sound) }],
    });

  it('A new thread appears immediately, and a private one only for its members', async () => {
    const { page } = await visit();
    const { id } = await start('A long talk about the sea', PUBLIC);
    await page.getByText('started a thread:').waitFor();
    const hidden = await start('Between us', PRIVATE);
    const secret = page.getByRole('button', { name: 'Between us private thread' });
    await page.getByRole('button', { name: 'A long talk about the sea' }).first().waitFor();
    expect(await secret.count()).toBe(0);
    await rest.put(Routes.threadMembers(hidden.id, stage.discord.world.user('member').id));
    await secret.click();
    await page.getByText('This thread is private.').waitFor();
    await page.getByRole('button', { name: 'studio', exact: true }).click();
    await page.locator('.thread-link').click();
    await page.getByRole('main', { name: '#A long talk about the sea' }).waitFor();
    await page.getByRole('textbox', { name: /^Message #A long talk/ }).fill('What do you hear?');
    await page.getByLabel('Attach a file').setInputFiles(sound);
    await here.press('Enter');
    await here.latest().getByText('What do you hear?').waitFor();
    await here.latest().locator('figure.sound audio').waitFor();
    expect(stage.discord.messages(id).map(({ attachments }) => attachments[0]?.content_type)).toEqual(['audio/ogg']);
    stage.discord.as('owner').in(id).archive();
    await page.getByText('Archived thread: send a message to reopen it').waitFor();
    await here.enter('studio');
    await expect.poll(() => page.locator('.below').getByText('A long talk').count()).toBe(0);
  });

  it('A voice message plays and seeks by keyboard, and pauses when another one plays', async () => {
    const { page } = await visit();
    await here.enter('thread');
    await speak(idOf('thread'));
    await stage.discord
      .as('other')
      .in('thread')
      .speak({ bytes: readFileSync(sound), seconds: 3, waveform });
    const voices = page.getByRole('group', { name: 'Voice message, 0:03' });
    await expect.poll(() => voices.count()).toBe(2);
    const sounds = `[...document.querySelectorAll('.voice audio')]`;
    await expect.poll(() => page.evaluate(`${sounds}.map(({ duration }) => Math.round(duration))`)).toEqual([3, 3]);
    await page.evaluate(`${sounds}.forEach((one) => { one.muted = true; })`);
    const heard = () => voices.first().locator('rect.heard').count();
    expect(await heard()).toBe(0);
    await voices.first().getByRole('button', { name: 'Play the voice message' }).focus();
    await here.press('Enter');
    await voices.first().getByRole('button', { name: 'Pause the voice message' }).waitFor();
    await expect.poll(heard).toBeGreaterThan(0);
    await voices.last().getByRole('button', { name: 'Play the voice message' }).focus();
    await here.press('Space');
    await voices.first().getByRole('button', { name: 'Play the voice message' }).waitFor();
    expect(await page.evaluate(`${sounds}.map(({ paused }) => paused)`)).toEqual([true, false]);
    await voices.first().getByRole('slider').focus();
    await here.press('End');
    await expect.poll(() => voices.first().getByRole('slider').getAttribute('aria-valuetext')).toBe('0:03 of 0:03');
    await here.press('Home');
    expect(await page.evaluate(`${sounds}[0].currentTime`)).toBe(0);
    await expect.poll(() => voices.last().locator('rect.heard').count()).toBe(0);
  });

  it('A file that cannot be played is reported', async () => {
    const { page } = await visit();
    await here.enter('thread');
    await stage.discord
      .as('member')
      .in('thread')
      .speak({ bytes: Buffer.from('no sound at all'), seconds: 1 });
    await page.getByRole('link', { name: 'Playback failed. Open the file' }).waitFor();
    expect(await here.latest().getByRole('button', { name: 'Play the voice message' }).isDisabled()).toBe(true);
  });
});
