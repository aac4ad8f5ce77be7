import { fileURLToPath } from 'node:url';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/web/sandbox.ts';
import { browserPath, openBrowser } from '../support/browser.ts';
import { openVisitor, type Visitor } from './page/visitor.ts';

const RECORDING = fileURLToPath(new URL('../services/media/sound/files/mono.ogg', import.meta.url));
/** Fast, but slow enough that a growing response is visible. */
const SPEED = 2;
/** Audio is processed in a worker thread, on a machine that may be busy with other tests. */
const WAIT_OPTIONS = { timeout: 20_000 };
const TEST_TIMEOUT_MS = 90_000;

describe.skipIf(browserPath === undefined)('A live conversation on the sandbox page in a real Chromium', () => {
  let sandbox: Sandbox;
  let browser: Awaited<ReturnType<typeof openBrowser>>;

  beforeAll(async () => {
    const signal = new AbortController().signal;
    sandbox = await startSandbox({ port: 0, speed: SPEED, realGateway: false, environment: process.env, signal });
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await sandbox.close();
  });

  it(
    'A conversation can be started, accepts text and audio, plays its responses and can be ended',
    async () => {
      const user = await openVisitor(browser.context, sandbox);
      const { page } = user;
      await startConversation(user);

      await speak(user, { words: 'tell me of snow, 120 words' });
      const streamingReply = page.locator('li.message', { has: page.getByRole('button', { name: /Stop$/ }) });
      await streamingReply.getByText('This is the sandbox speaking.').waitFor(WAIT_OPTIONS);
      await streamingReply.waitFor({ state: 'detached', ...WAIT_OPTIONS });
      const voice = page.getByRole('group', { name: /^Voice message, / });
      await voice.first().waitFor(WAIT_OPTIONS);
      await page.getByText('Private thread', { exact: true }).waitFor();
      expect(await user.accessibilityIssues()).toEqual([]);
      expect(await user.overflowingElements()).toEqual([]);
      expect(await playFirstVoiceMessage(user)).toBeGreaterThan(5);

      await speak(user, { file: RECORDING });
      await page.getByText('🎙️ Voice message', { exact: true }).waitFor(WAIT_OPTIONS);
      await page
        .locator('li.message')
        .getByText(/Heard: “/)
        .waitFor(WAIT_OPTIONS);
      await expect.poll(() => voice.count(), WAIT_OPTIONS).toBe(2);

      await page.getByRole('button', { name: /End$/ }).click();
      await page.locator('li.message').getByText('This conversation has ended.').first().waitFor(WAIT_OPTIONS);
      expect(await page.getByRole('button', { name: /End$/ }).count()).toBe(0);
      await user.close();
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'A conversation answers messages in its thread and survives a lost session',
    async () => {
      const user = await openVisitor(browser.context, sandbox);
      const { page } = user;
      await startConversation(user);
      await page.getByText('Started by Atelier. This thread is private. Only added members').waitFor();
      expect(await page.getByText('or try one of these').count()).toBe(0);

      const sessions = await showLiveSessions(user);
      // A reply so long that it is still spoken when it is cut, however slow the machine.
      await postMessage(user, 'tell me of rain, 5000 words');
      await sessions.getByText('tell me of rain, 5000 words').waitFor(WAIT_OPTIONS);
      await page.getByText('This is the sandbox speaking. You said: “tell me of rain').first().waitFor(WAIT_OPTIONS);
      await sessions.getByRole('button', { name: 'Cut' }).first().click();
      await sessions.getByText(/^The connection was dropped without notice/).waitFor();
      await page
        .getByText('The connection to the gateway was lost before the reply was complete.')
        .first()
        .waitFor(WAIT_OPTIONS);
      expect(await user.accessibilityIssues()).toEqual([]);

      await postMessage(user, 'and of hail');
      await page.getByText('You said: “and of hail”').first().waitFor(WAIT_OPTIONS);
      expect(await user.accessibilityIssues()).toEqual([]);
      expect(await user.overflowingElements()).toEqual([]);

      const faultsTab = await user.openWorkbenchTab('Faults');
      const responseFaults = faultsTab.getByRole('group', { name: 'When the bot requests the next response' });
      await responseFaults.getByRole('button', { name: 'Failure midway' }).click();
      const description = 'When the bot requests the next response: failure midway.';
      await faultsTab.getByRole('status').getByText(description).waitFor();
      await faultsTab.getByRole('listitem').getByText(description).waitFor();
      await faultsTab.getByRole('button', { name: 'Previous (beta)', pressed: false }).click();
      await faultsTab.getByRole('button', { name: 'Previous (beta)', pressed: true }).waitFor();
      expect(await user.accessibilityIssues('.workbench')).toEqual([]);
      await faultsTab.getByRole('button', { name: 'Clear faults' }).click();
      await faultsTab.getByRole('button', { name: 'Current (ga)', pressed: true }).waitFor();
      await user.openWorkbenchTab('Jobs');
      await page.getByRole('button', { name: /End$/ }).first().click();
      await sessions.getByRole('button', { name: 'Cut' }).waitFor({ state: 'detached', ...WAIT_OPTIONS });
      await user.close();
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'A conversation fits the screen of a phone in the light theme',
    async () => {
      const user = await openVisitor(browser.context, sandbox, { width: 360, height: 740, colours: 'light' });
      await startConversation(user);
      await speak(user, { words: 'tell me of ice' });
      await user.page.getByRole('group', { name: /^Voice message, / }).waitFor(WAIT_OPTIONS);
      expect(await user.overflowingElements()).toEqual([]);
      await user.page.getByRole('button', { name: /^Workbench/ }).click();
      await showLiveSessions(user);
      expect(await user.overflowingElements()).toEqual([]);
      expect(await user.accessibilityIssues()).toEqual([]);
      await user.close();
    },
    TEST_TIMEOUT_MS,
  );
});

/** Starts a conversation and opens its thread. */
async function startConversation(user: Visitor): Promise<void> {
  const { page } = user;
  await user.startCommand('talk start');
  const replies = page.locator('li.message', { hasText: 'Your conversation started in' });
  const countBefore = await replies.count();
  await page.getByRole('button', { name: 'Send the command' }).click();
  await replies
    .nth(countBefore)
    .getByText(/Live: parley/)
    .click(WAIT_OPTIONS);
  await page.getByRole('main', { name: /^#Live: parley/ }).waitFor();
  await page.getByRole('button', { name: /Speak$/ }).waitFor();
}

/** Shows the live sessions, newest first. */
async function showLiveSessions(user: Visitor): Promise<Locator> {
  const sessions = (await user.openWorkbenchTab('Jobs')).getByRole('region', { name: 'Live sessions' });
  await sessions.getByRole('button', { name: 'Cut' }).first().waitFor(WAIT_OPTIONS);
  return sessions;
}

async function postMessage({ page, press }: Visitor, words: string): Promise<void> {
  await page.getByRole('textbox', { name: /^Message #Live: parley/ }).fill(words);
  await press('Enter');
}

async function speak({ page }: Visitor, { words, file }: { words?: string; file?: string }): Promise<void> {
  await page
    .getByRole('button', { name: /Speak$/ })
    .last()
    .click();
  const form = page.getByRole('dialog', { name: 'Speak' });
  if (words !== undefined) await form.getByRole('textbox').fill(words);
  if (file !== undefined) await form.locator('input[type=file]').setInputFiles(file);
  await form.getByRole('button', { name: 'Submit' }).click();
  await form.waitFor({ state: 'detached', ...WAIT_OPTIONS });
}

/** Plays the first voice message and returns its duration. */
async function playFirstVoiceMessage({ page }: Visitor): Promise<number> {
  const audio = `document.querySelector('.message audio')`;
  await page.getByRole('button', { name: 'Play the voice message' }).first().click();
  await expect.poll(() => page.evaluate<number>(`${audio}.currentTime`), WAIT_OPTIONS).toBeGreaterThan(0);
  return page.evaluate<number>(`${audio}.duration`);
}
