import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { REST, Routes } from 'discord.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildPage } from '../../sandbox/web/build.ts';
import { startStage } from '../../sandbox/web/open-stage.ts';
import { Resources } from '../../sandbox/web/resources.ts';
import { createPageServer } from '../../sandbox/web/server.ts';
import type { Stage } from '../../sandbox/web/stage.ts';
import { browserPath, openBrowser } from '../support/browser.ts';
import { openVisitor, type VisitOptions, type Visitor } from './page/visitor.ts';

const VOICE_MESSAGE_FLAG = 1 << 13;
const PUBLIC_THREAD = 11;
const PRIVATE_THREAD = 12;
/** Three seconds of Ogg Opus. */
const voiceFile = fileURLToPath(new URL('page/voice.ogg', import.meta.url));
const waveform = Buffer.from(Array.from({ length: 60 }, (_, i) => 40 + 200 * Math.abs(Math.sin(i / 7)))).toString(
  'base64',
);

describe.skipIf(browserPath === undefined)('Threads, voice and languages on the page in a real Chromium', () => {
  const resources = new Resources();
  let stage: Stage;
  let rest: REST;
  let user: Visitor;
  let url = '';
  let browser: Awaited<ReturnType<typeof openBrowser>>;

  beforeAll(async () => {
    const signal = new AbortController().signal;
    const [openedStage, { folder }] = await Promise.all([
      startStage({ speed: 50, realGateway: false, environment: process.env, signal }, resources),
      buildPage(),
    ]);
    stage = openedStage.stage;
    const server = await createPageServer({ stage, token: 'this-run', folder });
    await resources.add(server, () => server.close());
    url = await server.listen({ port: 0, host: '127.0.0.1' });
    await openedStage.ready;
    rest = new REST({ api: stage.discord.apiUrl }).setToken(stage.discord.token);
    browser = await openBrowser();
    await resources.add(browser, () => browser.close());
  }, 60_000);
  afterAll(() => resources.close());
  afterEach(async () => {
    await user.close();
    expect(stage.discord.violations).toEqual([]);
  });

  const visit = async (options?: VisitOptions): Promise<Visitor> => {
    user = await openVisitor(
      browser.context,
      { url, token: 'this-run', wasBuilt: true, close: async () => undefined },
      options,
    );
    return user;
  };
  const idOf = (name: string): string => stage.discord.world.channel(name).id;
  const createThread = (name: string, type: number) =>
    rest.post(Routes.threads(idOf('studio')), { body: { name, type } }) as Promise<{ id: string }>;
  const postVoiceMessage = (channel: string) =>
    rest.post(Routes.channelMessages(channel), {
      body: {
        flags: VOICE_MESSAGE_FLAG,
        attachments: [{ id: '0', filename: 'voice-message.ogg', duration_secs: 3, waveform }],
      },
      files: [{ name: 'voice-message.ogg', data: readFileSync(voiceFile) }],
    });

  it('A new thread appears immediately, but a private one only for its members', { tags: ['breadth'] }, async () => {
    const { page } = await visit();
    const { id } = await createThread('A long talk about the sea', PUBLIC_THREAD);
    await page.getByText('started a thread:').waitFor();
    const privateThread = await createThread('Between us', PRIVATE_THREAD);
    const privateLink = page.getByRole('button', { name: 'Between us private thread' });
    await page.getByRole('button', { name: 'A long talk about the sea' }).first().waitFor();
    expect(await privateLink.count()).toBe(0);
    await rest.put(Routes.threadMembers(privateThread.id, stage.discord.world.user('member').id));
    await privateLink.click();
    await page.getByText('This thread is private.').waitFor();
    await page.getByRole('button', { name: 'studio', exact: true }).click();
    await page.locator('.thread-link').click();
    await page.getByRole('main', { name: '#A long talk about the sea' }).waitFor();
    await page.getByRole('textbox', { name: /^Message #A long talk/ }).fill('What do you hear?');
    await page.getByLabel('Attach a file').setInputFiles(voiceFile);
    await user.press('Enter');
    await user.latestMessage().getByText('What do you hear?').waitFor();
    await user.latestMessage().locator('figure.sound audio').waitFor();
    expect(stage.discord.messages(id).map(({ attachments }) => attachments[0]?.content_type)).toEqual(['audio/ogg']);
    stage.discord.as('owner').in(id).archive();
    await page.getByText('Archived thread: send a message to reopen it').waitFor();
    await user.openChannel('studio');
    await expect.poll(() => page.locator('.below').getByText('A long talk').count()).toBe(0);
  });

  it('A voice message plays and seeks by keyboard, and pauses when another one plays', {
    tags: ['breadth'],
  }, async () => {
    const { page } = await visit();
    await user.openChannel('thread');
    await postVoiceMessage(idOf('thread'));
    await stage.discord
      .as('other')
      .in('thread')
      .speak({ bytes: readFileSync(voiceFile), seconds: 3, waveform });
    const voiceMessages = page.getByRole('group', { name: 'Voice message, 0:03' });
    await expect.poll(() => voiceMessages.count()).toBe(2);
    const audioElements = `[...document.querySelectorAll('.voice audio')]`;
    await expect
      .poll(() => page.evaluate(`${audioElements}.map(({ duration }) => Math.round(duration))`))
      .toEqual([3, 3]);
    await page.evaluate(`${audioElements}.forEach((one) => { one.muted = true; })`);
    const playedBars = () => voiceMessages.first().locator('rect.heard').count();
    expect(await playedBars()).toBe(0);
    await voiceMessages.first().getByRole('button', { name: 'Play the voice message' }).focus();
    await user.press('Enter');
    await voiceMessages.first().getByRole('button', { name: 'Pause the voice message' }).waitFor();
    await expect.poll(playedBars).toBeGreaterThan(0);
    await voiceMessages.last().getByRole('button', { name: 'Play the voice message' }).focus();
    await user.press('Space');
    await voiceMessages.first().getByRole('button', { name: 'Play the voice message' }).waitFor();
    expect(await page.evaluate(`${audioElements}.map(({ paused }) => paused)`)).toEqual([true, false]);
    await voiceMessages.first().getByRole('slider').focus();
    await user.press('End');
    await expect
      .poll(() => voiceMessages.first().getByRole('slider').getAttribute('aria-valuetext'))
      .toBe('0:03 of 0:03');
    await user.press('Home');
    expect(await page.evaluate(`${audioElements}[0].currentTime`)).toBe(0);
    await expect.poll(() => voiceMessages.last().locator('rect.heard').count()).toBe(0);
  });

  it('Commands, choices and menu entries are shown in the language that the user chooses, and sent by their English names', async () => {
    const { applicationId, world } = stage.discord;
    const guild = world.guild('atelier').id;
    const kind = {
      type: 3,
      name: 'kind',
      description: 'Kind',
      description_localizations: { de: 'Welche Art' },
      choices: [{ name: 'Image', name_localizations: { de: 'Bilder' }, value: 'image' }],
    };
    const body = [
      { name: 'models', description: 'List', description_localizations: { de: 'Modelle zeigen' }, options: [kind] },
      { name: 'Describe image', type: 3, name_localizations: { de: 'Bild beschreiben' } },
    ];
    await rest.put(Routes.applicationGuildCommands(applicationId, guild), { body });
    const { page, press } = await visit();
    const palette = page.getByRole('listbox', { name: 'Commands' });
    await page.locator('#composer').fill('/models');
    await palette.getByText('List', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Your language' }).selectOption({ label: 'Deutsch' });
    await palette.getByText('Modelle zeigen', { exact: true }).waitFor();
    await page.locator('#composer').focus();
    await press('Enter');
    await page.getByRole('button', { name: 'kind', exact: true }).click();
    await page.getByText('Welche Art', { exact: true }).waitFor();
    await page.getByRole('option', { name: 'Bilder', exact: true }).click();
    await press('Escape');

    await page.locator('#composer').fill('words without an image');
    await press('Enter');
    const message = page.locator('li.message', { hasText: 'words without an image' });
    await message.first().click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Bild beschreiben', exact: true }).click();
    await page.getByText('Only you can see this').waitFor();
    await page.getByRole('combobox', { name: 'Server’s language' }).selectOption({ label: '日本語' });
    await expect.poll(() => [world.user('member').locale, world.guild('atelier').locale]).toEqual(['de', 'ja']);
    expect(await user.accessibilityIssues('.rooms')).toEqual([]);
  });

  it('A file that cannot be played is reported', { tags: ['breadth'] }, async () => {
    const { page } = await visit();
    await user.openChannel('thread');
    await stage.discord
      .as('member')
      .in('thread')
      .speak({ bytes: Buffer.from('no sound at all'), seconds: 1 });
    await page.getByRole('link', { name: 'Playback failed. Open the file' }).waitFor();
    expect(await user.latestMessage().getByRole('button', { name: 'Play the voice message' }).isDisabled()).toBe(true);
  });
});
