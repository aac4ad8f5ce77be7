import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/web/sandbox.ts';
import { browserPath, openBrowser } from '../support/browser.ts';
import { openVisitor, type VisitOptions, type Visitor } from './page/visitor.ts';

describe.skipIf(browserPath === undefined)('Messages to the bot on the page in a real Chromium', () => {
  let sandbox: Sandbox;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let user: Visitor;

  beforeAll(async () => {
    const signal = new AbortController().signal;
    sandbox = await startSandbox({ port: 0, speed: 50, realGateway: false, environment: process.env, signal });
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await sandbox.close();
  });
  afterEach(() => user.close());

  const visit = async (options?: VisitOptions): Promise<Visitor> => {
    user = await openVisitor(browser.context, sandbox, options);
    return user;
  };
  const names = () => user.page.getByRole('listbox', { name: 'Members and apps' });
  /** Types a message that mentions the bot, whose name is chosen from the list. */
  const mention = async (words: string): Promise<void> => {
    await user.page.locator('#composer').focus();
    await user.type('@ate');
    await names().getByRole('option', { name: 'Atelier' }).waitFor();
    await user.press('Enter');
    await user.type(words);
    await user.press('Enter');
  };
  const messageWith = (words: string) => user.page.locator('li.message', { hasText: words });
  /** An answer to the message with these words, once it has ended. */
  const answerTo = async (words: string) => {
    const answer = user.page.locator('li.message', { has: user.page.locator('.quoted', { hasText: words }) }).last();
    await answer.getByRole('button', { name: 'Continue' }).waitFor();
    return answer;
  };
  const chooseInMenu = async (message: ReturnType<Visitor['latestMessage']>, entry: string): Promise<void> => {
    await message.getByRole('button', { name: 'More', exact: true }).focus();
    await user.press('Enter');
    const menu = user.page.getByRole('menu', { name: 'Message actions' });
    const entries = await menu.getByRole('menuitem').allTextContents();
    expect(entries).toContain(entry);
    for (let index = 0; index < entries.indexOf(entry); index++) await user.press('ArrowDown');
    await user.press('Enter');
    await menu.waitFor({ state: 'detached' });
  };

  it('The bot is mentioned, and its answer replied to with and without a ping, by keyboard', async () => {
    const { page, press, type } = await visit();
    await mention('what is snow?');
    await messageWith('@Atelier what is snow?').first().waitFor();
    await chooseInMenu(await answerTo('what is snow?'), 'Reply');
    await page.getByText('Replying to atelier-bot').waitFor();
    expect(await page.locator('#composer:focus').count()).toBe(1);
    await type('and ice?');
    await press('Enter');
    const continued = await answerTo('and ice?');
    expect(await continued.textContent()).toContain('Continues this answer');

    await chooseInMenu(continued, 'Reply');
    await press('Shift+Tab', 'Shift+Tab', 'Shift+Tab');
    const ping = page.getByRole('switch', { name: 'Notify the author' });
    await page.locator('.ping-switch:focus').waitFor();
    await press('Space');
    expect(await ping.getAttribute('aria-checked')).toBe('false');
    await page.locator('#composer').focus();
    await type('just a remark');
    await press('Enter');
    await messageWith('just a remark').waitFor();
    await chooseInMenu(user.latestMessage(), 'Reply');
    await press('Escape');
    await expect.poll(() => page.getByText(/Replying to/).count()).toBe(0);
    // The remark was not for the bot, so the next message in the channel is that of the next mention.
    await mention('what is hail?');
    await answerTo('what is hail?');
    expect(await page.locator('.quoted', { hasText: 'just a remark' }).count()).toBe(0);
  });

  it('A message is edited and deleted by its author only, in a thread', async () => {
    const { page, press } = await visit();
    await user.openChannel('thread');
    await mention('');
    await page.locator('li.message', { hasText: 'Write a question after the mention' }).waitFor();
    const message = page.locator(`#${await messageWith('@Atelier').first().getAttribute('id')}`);
    await chooseInMenu(message, 'Edit message');
    await page.getByText('Editing your message').waitFor();
    const field = page.locator('#composer');
    expect(await field.inputValue()).toBe('@Atelier');
    await press('Escape');
    await expect.poll(() => field.inputValue()).toBe('');
    await chooseInMenu(message, 'Edit message');
    await press('End');
    await user.type(' thank you');
    await press('Enter');
    await message.getByText('(edited)').waitFor();
    // It is a question now.
    await answerTo('thank you');
    await user.switchUser('other');
    await user.openChannel('thread');
    await message.getByRole('button', { name: 'More', exact: true }).click();
    expect(await page.getByRole('menuitem', { name: /^(Edit|Delete) message$/ }).count()).toBe(0);
    await press('Escape');
    await user.switchUser('member');
    await user.openChannel('thread');
    await chooseInMenu(message, 'Delete message');
    await message.waitFor({ state: 'detached' });
    await page.locator('.quoted', { hasText: 'Original message was deleted' }).waitFor();
  });

  it('A direct message needs no mention', async () => {
    const { page, press } = await visit();
    await page.getByRole('button', { name: 'Direct messages' }).click();
    await page.getByRole('textbox', { name: 'Message @Atelier' }).fill('what is rain?');
    await press('Enter');
    await answerTo('what is rain?');
  });

  it('The form of Ask about this sends the message with the question', async () => {
    const { page, press } = await visit();
    await page.getByRole('textbox', { name: 'Message #studio' }).fill('a message for people');
    await press('Enter');
    await chooseInMenu(messageWith('a message for people').last(), 'Ask about this');
    const form = page.getByRole('dialog', { name: 'Ask about this message' });
    await form.getByText('a message for people').waitFor();
    await user.type('what does it mean?');
    await form.getByRole('button', { name: 'Submit' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByText('About this message', { exact: true }).waitFor();
    const { traffic } = await user.workbench();
    expect(JSON.stringify(traffic)).toContain('a message for people');
  });

  it.each([
    { colours: 'dark', width: 360 },
    { colours: 'light', width: 1_280 },
  ] as const)('The names and the bar of a reply are accessible and fit ($colours, $width pixels)', async (options) => {
    const { page, press } = await visit({ ...options, height: 740, hasSampleMessages: true });
    await page.getByText('An answer').waitFor();
    await page.locator('#composer').focus();
    await user.type('@');
    await names().waitFor();
    const issues = await user.accessibilityIssues('.composer-area');
    await press('Escape');
    await names().waitFor({ state: 'detached' });
    await page.locator('li.message').first().getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Reply' }).click();
    await page.getByText('Replying to').waitFor();
    issues.push(...(await user.accessibilityIssues('.composer-area')));
    expect([issues, await user.overflowingElements()]).toEqual([[], []]);
  });
});
