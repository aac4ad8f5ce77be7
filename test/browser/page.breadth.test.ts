import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/web/sandbox.ts';
import { browserPath, openBrowser } from '../support/browser.ts';
import { sampleForm } from './page/everything.ts';
import { openVisitor, type VisitOptions, type Visitor } from './page/visitor.ts';

describe.skipIf(browserPath === undefined)('The sandbox page in a real Chromium', () => {
  let sandbox: Sandbox;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let user: Visitor;
  const folder = mkdtempSync(join(tmpdir(), 'atelier-page-'));

  beforeAll(async () => {
    const signal = new AbortController().signal;
    sandbox = await startSandbox({ port: 0, speed: 50, realGateway: false, environment: process.env, signal });
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await sandbox.close();
    rmSync(folder, { recursive: true });
  });
  afterEach(() => user.close());

  const visit = async (options?: VisitOptions): Promise<Visitor> => {
    user = await openVisitor(browser.context, sandbox, options);
    return user;
  };
  /** Starts an image job without waiting for it. */
  const order = async (prompt: string): Promise<void> => {
    await user.startCommand('imagine');
    await user.type(prompt);
    await user.press('Enter');
  };

  it('A command is typed, its task is followed in the workbench and upscaled, and its image is opened, all by keyboard', async () => {
    const { page, press } = await visit();
    await order('a fox in the snow');
    const jobs = await user.openWorkbenchTab('Jobs');
    const bar = jobs.getByRole('progressbar').first();
    await expect.poll(() => bar.getAttribute('aria-valuenow').then(Number)).toBeGreaterThan(0);
    await page.getByText('member used /imagine').waitFor();
    await user.latestMessage().getByText('a fox in the snow').waitFor();
    await user.latestMessage().getByRole('button', { name: 'U2' }).focus();
    await press('Enter');
    await expect.poll(() => page.locator('.message .image-button').count(), { timeout: 20_000 }).toBeGreaterThan(1);

    const image = page.locator('.message .image-button').first();
    await image.focus();
    await press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Image 1 of 1' });
    await dialog.getByRole('img', { name: /a fox in the snow/ }).waitFor();
    await press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.outerHTML')).toMatch(
      /^<button type="button" class="image-button"/,
    );
  });

  it('The page reserves the space of an image before the image has loaded', async () => {
    const { page } = await visit({ hasSampleMessages: true });
    const tile = page.locator('.gallery[data-count="1"] .tile').first();
    expect(await tile.getAttribute('style')).toMatch(/aspect-ratio: 320 \/ 240/);
    await page.evaluate(`document.querySelectorAll('.tile img').forEach((one) => one.removeAttribute('src'))`);
    expect(await tile.boundingBox()).toMatchObject({ width: 320, height: 240 });
  });

  it('Options are completed while typing, and the chosen value is sent', async () => {
    const { page, press } = await visit();
    await user.startCommand('models');
    await page.getByRole('button', { name: 'model', exact: true }).click();
    await user.type('lumen');
    await page.getByRole('option', { name: 'lumen-image-1-2K' }).waitFor();
    await press('ArrowDown', 'Enter');
    await press('Enter');
    await page.getByRole('heading', { name: 'lumen-image-1-2K' }).waitFor();
    await page.getByText('Only you can see this').waitFor();
    await page.getByRole('button', { name: 'Dismiss message' }).click();
    await expect.poll(() => page.getByText('Only you can see this').count()).toBe(0);
  });

  it('Late suggestions never replace newer ones, and a failure to load them is reported', async () => {
    const { page, press } = await visit();
    const firstReply = Promise.withResolvers<void>();
    await page.route('**/api/act', async (route) => {
      const { options } = route.request().postDataJSON() as { options: { model: string } };
      if (options.model === 'a') await firstReply.promise;
      if (options.model === 'abc') return await route.fulfill({ status: 400, json: { error: 'No answer.' } });
      await route.fulfill({ json: { choices: [{ name: `for ${options.model}`, value: options.model }] } });
    });
    await user.startCommand('models');
    await page.getByRole('button', { name: 'model', exact: true }).click();
    const firstRequest = page.waitForRequest((request) => request.postData()?.includes('"model":"a"') === true);
    await user.type('a');
    await firstRequest;
    await user.type('b');
    await page.getByRole('option', { name: 'for ab' }).waitFor();
    const staleResponse = page.waitForResponse(
      (response) => response.request().postData()?.includes('"model":"a"') === true,
    );
    firstReply.resolve();
    await staleResponse;
    expect(await page.getByRole('listbox').getByRole('option').allTextContents()).toEqual(['for ab']);
    await user.type('c');
    await page.getByText('Loading options failed').waitFor();
    await press('Escape');
  });

  it('Invalid options are reported before anything is sent', async () => {
    const { page, press } = await visit();
    await user.startCommand('imagine');
    await press('Enter');
    await page.getByText('This option is required.', { exact: true }).waitFor();
    await user.type('a cat');
    await page.getByRole('button', { name: 'chaos', exact: true }).click();
    await user.type('many');
    await press('Enter');
    await page.getByText('Enter a number.', { exact: true }).waitFor();
    await press('Escape');
    await page.getByPlaceholder(/type \/ for commands/).waitFor();
    const { gateway } = await user.workbench();
    expect(gateway.jobs.some(({ prompt }) => prompt.includes('a cat'))).toBe(false);
  });

  it('A reference image is sent with the request', async () => {
    const { page, press } = await visit();
    const file = join(folder, 'mine.png');
    await sharp({ create: { width: 64, height: 48, channels: 3, background: '#a3c' } })
      .png()
      .toFile(file);
    await user.startCommand('imagine');
    await user.type('like this one');
    await page.getByRole('button', { name: 'image', exact: true }).click();
    await page.locator('#option-image').setInputFiles(file);
    await page.getByText('mine.png').waitFor();
    await page.locator('#option-prompt').focus();
    await press('Enter');
    const submitTraffic = async () => {
      const { traffic } = await user.workbench();
      return JSON.stringify(
        traffic.find(
          ({ path, request }) => path.endsWith('/submit/imagine') && JSON.stringify(request).includes('like this one'),
        ),
      );
    };
    await expect.poll(submitTraffic).toContain('/mine.png?');
    await user.latestMessage().getByRole('button', { name: 'U1' }).waitFor();
  });

  it('A message has a context menu with commands, and a video plays', async () => {
    const { page } = await visit();
    await order('a heron in the reeds');
    await user.latestMessage().getByRole('button', { name: 'U1' }).waitFor();
    await user.latestMessage().getByText('a heron in the reeds').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Describe image' }).click();
    await user.latestMessage().getByText('Only you can see this').waitFor();
    await user.latestMessage().getByRole('button', { name: 'Describe again' }).waitFor();

    await user.startCommand('video');
    await user.type('waves at dawn');
    await user.press('Enter');
    await page.locator('.message video').waitFor();
    const video = `document.querySelector('.message video')`;
    await page.evaluate(`${video}.muted = true, ${video}.play()`);
    await expect.poll(() => page.evaluate(`${video}.currentTime`)).toBeGreaterThan(0);
  });

  it('A failed request is edited in its form and succeeds', async () => {
    const { page } = await visit();
    await (await user.openWorkbenchTab('Faults')).getByRole('button', { name: 'Fail the next job' }).click();
    await page.getByText('Pending faults').waitFor();
    await order('a wrong owl');
    await user.latestMessage().getByRole('button', { name: 'Edit and retry' }).click();
    const form = page.getByRole('dialog');
    const field = form.getByRole('textbox');
    expect(await field.inputValue()).toBe('a wrong owl');
    await field.fill('');
    await form.getByRole('button', { name: 'Submit' }).click();
    await form.getByText('This field is required.').waitFor();
    await field.fill('a right owl');
    await form.getByRole('button', { name: 'Submit' }).click();
    await form.waitFor({ state: 'detached' });
    await user.latestMessage().getByText('a right owl').waitFor();
    await user.latestMessage().getByRole('button', { name: 'U1' }).waitFor();
  });

  it('The list of models is paged in place', async () => {
    const { page } = await visit();
    await user.startCommand('models');
    await page.getByRole('button', { name: 'Send the command' }).click();
    const list = page.locator('li.message', { hasText: 'page 1 of' });
    await list.getByRole('button', { name: 'Next' }).click();
    await page.getByText(/page 2 of/).waitFor();
    expect(await page.getByText(/page 1 of/).count()).toBe(0);
  });

  it('An admin sees the usage of the account, and a member does not see the admin channel', async () => {
    const { page } = await visit();
    expect(await page.getByRole('button', { name: 'admin-room' }).count()).toBe(0);
    await user.switchUser('admin');
    await user.openChannel('admin-room');
    await user.startCommand('usage');
    await page.getByRole('button', { name: 'of', exact: true }).click();
    await page.getByRole('option', { name: /whole account/ }).click();
    await page.getByRole('button', { name: 'Send the command' }).click();
    await page.getByText('Account usage', { exact: true }).waitFor();
    await page
      .getByRole('link', { name: /^usage-.*\.csv$/ })
      .first()
      .waitFor();
    await user.switchUser('member');
    await page.getByRole('main', { name: '#studio' }).waitFor();
  });

  it('The result arrives although the bot was killed during the job', async () => {
    const { page } = await visit();
    await (await user.openWorkbenchTab('Faults')).getByRole('button', { name: '1×', exact: true }).click();
    await order('a lantern in the fog');
    await user.latestMessage().getByText('a lantern in the fog').waitFor();
    await user.openWorkbenchTab('Jobs');
    await page.getByText('running').first().waitFor();
    await (await user.openWorkbenchTab('Bot')).getByRole('button', { name: 'Kill' }).click();
    await page.getByText('The bot was killed.', { exact: true }).waitFor();
    await (await user.openWorkbenchTab('Faults')).getByRole('button', { name: '50×' }).click();
    await user.latestMessage().getByRole('button', { name: 'U1' }).waitFor();
    const { bot, gateway } = await user.workbench();
    expect(bot.starts).toBe(2);
    expect(gateway.jobs.find(({ prompt }) => prompt.includes('lantern'))).toMatchObject({
      submits: 1,
      state: 'succeeded',
    });
  });

  it('Every part of a message is displayed and accessible', async () => {
    const { page, press } = await visit({ hasSampleMessages: true });
    await page.getByText('An answer').waitFor();
    expect(await page.getByRole('heading', { name: /^(One|Two|Three|A page)$/ }).count()).toBe(4);
    expect(await page.locator('.gallery[data-count="3"] img').count()).toBe(3);
    expect(await page.getByRole('link', { name: 'Download e.zip' }).count()).toBe(1);
    expect(await page.locator('figure audio').count()).toBe(1);
    await page.getByRole('group', { name: 'Voice message, 1:05' }).waitFor();
    expect(await page.getByText('started a thread:').count()).toBe(2);
    await page.getByText('The message that started this thread was deleted.').waitFor();
    expect(await page.getByRole('link', { name: 'A link' }).getAttribute('rel')).toContain('noreferrer');
    expect(await page.getByRole('button', { name: 'Not now' }).isDisabled()).toBe(true);
    await page.getByText('bot is thinking…').waitFor();
    await page.getByRole('button', { name: 'Spoiler', exact: true }).first().click();
    await page.getByRole('button', { name: 'Open A purple image' }).waitFor();

    await page.getByRole('button', { name: 'Open A crimson image' }).click();
    await page.getByText('1 / 3').waitFor();
    await press('ArrowLeft');
    await page.getByText('3 / 3').waitFor();
    await press('Escape');
    // Waits until the opened image has the focus again; otherwise it would take the focus away from the list later.
    await page.locator('[aria-label="Open A crimson image"]:focus').waitFor();
    await page.getByRole('combobox', { name: 'Choose a colour' }).focus();
    await press('ArrowDown', 'ArrowDown');
    await page.getByRole('option', { name: 'Blue' }).waitFor();
    expect(await user.accessibilityIssues('main')).toEqual([]);
    await press('Enter');
    const failure = page.getByText('This interaction failed');
    await failure.waitFor();
    expect(await user.overflowingElements()).toEqual([]);
    await user.switchUser('other');
    await page.getByText('An answer').waitFor();
    expect(await failure.count()).toBe(0);
    await user.switchUser('member');
    await failure.waitFor();
  });

  it('The list of a select menu follows its button while scrolling and closes when the button is hidden', async () => {
    const { page } = await visit({ hasSampleMessages: true });
    const button = page.getByRole('combobox', { name: 'Choose a colour' });
    const list = page.getByRole('listbox', { name: 'Choose a colour' });
    await button.evaluate((one) => one.scrollIntoView({ block: 'center' }));
    await button.focus();
    await user.press('ArrowDown');
    await list.waitFor();
    const gap = async () => {
      const [buttonBox, listBox] = [await button.boundingBox(), await list.boundingBox()];
      return buttonBox && listBox && Math.round(listBox.y - buttonBox.y - buttonBox.height);
    };
    const initialGap = await gap();
    // Resolves after the page has handled the event.
    const scroll = (screens: number) =>
      page.locator('.scroller').evaluate(async (box, factor) => {
        const scrolled = new Promise((done) => box.addEventListener('scroll', done, { once: true }));
        box.scrollBy(0, factor * box.clientHeight);
        await scrolled;
      }, screens);
    await scroll(-0.1);
    expect(await list.isVisible()).toBe(true);
    await expect.poll(gap).toBe(initialGap);
    await scroll(-2);
    await list.waitFor({ state: 'detached' });
    expect(await button.getAttribute('aria-expanded')).toBe('false');
  });

  it('Messages are sent where permitted, and rejected with an explanation elsewhere', async () => {
    const { page, press } = await visit();
    await page.getByRole('textbox', { name: 'Message #studio' }).fill('**Hello** ||secret|| <b>no</b>');
    await press('Enter');
    await user.latestMessage().locator('strong', { hasText: 'Hello' }).waitFor();
    await user.latestMessage().getByText('<b>no</b>').waitFor();
    await user
      .latestMessage()
      .getByRole('button', { name: /Spoiler/ })
      .click();
    await user.latestMessage().getByText('secret').waitFor();
    await user.openChannel('read-only');
    await page.getByRole('textbox', { name: 'You can only use commands here' }).fill('Hello?');
    await press('Enter');
    await page.getByText('You do not have permission to send messages in this channel.').waitFor();
    expect(await page.locator('li.message').count()).toBe(0);
  });

  it.each(['dark', 'light'] as const)('axe finds no serious accessibility issue in the %s theme', async (colours) => {
    const { page, press } = await visit({ colours, hasSampleMessages: true });
    await page.route('**/api/act', (route) => route.fulfill({ json: { modal: sampleForm } }));
    await page.getByText('An answer').waitFor();
    const issues = { studio: await user.accessibilityIssues() } as Record<string, string[]>;
    await user.startCommand('imagine');
    await page.getByRole('button', { name: 'aspect', exact: true }).click();
    await page.getByRole('option', { name: /Widescreen/ }).waitFor();
    issues.options = await user.accessibilityIssues('.composer-area');
    await press('Escape', '/');
    await page.getByRole('listbox', { name: 'Commands' }).waitFor();
    issues.palette = await user.accessibilityIssues('.composer-area');
    await press('Backspace');
    await page.getByRole('button', { name: 'More', exact: true }).first().click();
    await page.getByRole('menu').waitFor();
    issues.menu = await user.accessibilityIssues('.menu');
    await press('Escape');
    await page.getByRole('button', { name: 'Style 1' }).click();
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByText('This field is required.').first().waitFor();
    issues.form = await user.accessibilityIssues('dialog');
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    for (const tab of ['Traffic', 'Ledger', 'Faults', 'Bot'] as const) {
      await user.openWorkbenchTab(tab);
      issues[tab] = await user.accessibilityIssues('.workbench');
    }
    await page.unroute('**/api/messages/*');
    await user.openChannel('thread');
    await page.getByText('Everyone who can see #studio can see this thread.').waitFor();
    issues.thread = await user.accessibilityIssues('main');
    await user.openChannel('studio');
    await page.getByRole('heading', { name: 'Welcome to #studio' }).waitFor();
    issues.welcome = await user.accessibilityIssues('main');
    expect(Object.entries(issues).filter(([, faults]) => faults.length > 0)).toEqual([]);
  });

  it('The ledger shows every digit of long amounts', async () => {
    const { page } = await visit({ width: 360, height: 740 });
    const [amount, cost] = [`0.${'0'.repeat(60)}1`, `1234567.${'8'.repeat(60)}`];
    const entry = { id: 'a', at: 0, kind: 'imagine', standing: 'settled', estimate: amount, cost };
    const sums = { reserved: amount, unconfirmed: amount, settled: cost, bill: cost, difference: amount };
    await page.route('**/api/ledger', (route) => route.fulfill({ json: { entries: [entry], count: 1, ...sums } }));
    await page.getByRole('button', { name: /^Workbench/ }).click();
    await user.openWorkbenchTab('Ledger');
    await page.getByText(amount).first().waitFor();
    const cutTexts = await page
      .locator('.facts dd')
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent));
    expect(cutTexts).toEqual([]);
    await page.unroute('**/api/ledger');
  });

  it('On a phone nothing overflows, and the workbench covers the page', async () => {
    const { page, press } = await visit({ width: 360, height: 740, hasSampleMessages: true });
    await page.getByText('An answer').waitFor();
    const overflowing = await user.overflowingElements();
    await user.startCommand('imagine');
    await user.type('a very long prompt that takes several lines on the narrow page of a telephone');
    await page.getByRole('button', { name: 'aspect', exact: true }).click();
    await page.getByRole('listbox').getByRole('option').first().waitFor();
    overflowing.push(...(await user.overflowingElements()));
    await press('Escape');
    await page.getByRole('button', { name: /^Workbench/ }).click();
    for (const tab of ['Jobs', 'Traffic', 'Ledger', 'Faults', 'Bot'] as const) {
      await user.openWorkbenchTab(tab);
      overflowing.push(...(await user.overflowingElements()));
    }
    await press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Servers and channels' }).click();
    await user.openChannel('thread');
    await page.getByText('Everyone who can see #studio can see this thread.').waitFor();
    overflowing.push(...(await user.overflowingElements()));
    expect(overflowing).toEqual([]);
  });
});
