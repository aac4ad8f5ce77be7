import axe from 'axe-core';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Workbench } from '../../../sandbox/web/protocol.ts';
import type { Sandbox } from '../../../sandbox/web/sandbox.ts';
import { sampleMessages } from './everything.ts';

/** Long enough for a job on a machine that is busy with other tests. */
const WAIT_LIMIT_MS = 40_000;

export interface VisitOptions {
  readonly colours?: 'dark' | 'light';
  readonly width?: number;
  readonly height?: number;
  /** Fills every channel with the sample messages. */
  readonly hasSampleMessages?: boolean;
}

/** A user of the page, who uses the keyboard where possible. */
export interface Visitor {
  readonly page: Page;
  /** Console errors and warnings, except for refusals that the page displays. */
  readonly consoleProblems: readonly string[];
  openChannel(channel: string): Promise<void>;
  switchUser(person: string): Promise<void>;
  /** Types a command's name, selects it and focuses its first option. */
  startCommand(command: string): Promise<void>;
  press(...keys: string[]): Promise<void>;
  type(words: string): Promise<void>;
  latestMessage(): Locator;
  openWorkbenchTab(tab: 'Jobs' | 'Traffic' | 'Ledger' | 'Faults' | 'Bot'): Promise<Locator>;
  workbench(): Promise<Workbench>;
  /** Serious and critical accessibility issues. */
  accessibilityIssues(within?: string): Promise<string[]>;
  /** Elements whose content is wider than they are. */
  overflowingElements(): Promise<string[]>;
  close(): Promise<void>;
}

export async function openVisitor(
  context: BrowserContext,
  { url, token }: Sandbox,
  options: VisitOptions = {},
): Promise<Visitor> {
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_LIMIT_MS);
  await page.setViewportSize({ width: options.width ?? 1_440, height: options.height ?? 900 });
  await page.emulateMedia({ colorScheme: options.colours ?? 'dark', reducedMotion: 'reduce' });
  const consoleProblems: string[] = [];
  page.on('console', (message) => {
    const isRefusal = message.location().url.startsWith(`${url}/api/`) && message.text().includes('400');
    if (['error', 'warning'].includes(message.type()) && !isRefusal) consoleProblems.push(message.text());
  });
  page.on('pageerror', ({ message }) => consoleProblems.push(message));
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && hostname !== '127.0.0.1')
      consoleProblems.push(`The page requested ${hostname}.`);
  });
  if (options.hasSampleMessages) {
    await page.route('**/api/messages/*', async (route) => {
      const channel = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
      await route.fulfill({
        json: sampleMessages(channel, { id: '1', username: 'bot' }, { id: '2', username: 'guest' }),
      });
    });
  }
  await page.goto(`${url}/#${token}`);
  await page.locator('.composer').waitFor();
  const composer = page.locator('#composer');
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  return {
    page,
    consoleProblems,
    press,
    type: (words) => page.keyboard.type(words),
    async openChannel(channel) {
      await page.getByRole('button', { name: channel, exact: true }).click();
      await page.getByRole('main', { name: `#${channel}` }).waitFor();
      await page.locator('ol.messages[aria-busy="false"]').waitFor({ state: 'attached' });
    },
    async switchUser(person) {
      await page.getByRole('button', { name: /Switch user/ }).click();
      await page.getByRole('menuitemradio', { name: new RegExp(`^${person}`) }).click();
      await page.getByRole('button', { name: `${person} Switch user` }).waitFor();
    },
    async startCommand(command) {
      await composer.focus();
      await composer.fill('');
      await page.keyboard.type(`/${command}`);
      await page.getByRole('option', { name: `/${command}` }).waitFor();
      await press('Enter');
      await page.getByRole('group', { name: `Command /${command}` }).waitFor();
    },
    latestMessage: () => page.locator('li.message').last(),
    async openWorkbenchTab(tab) {
      await page.getByRole('tab', { name: tab }).click();
      return page.getByRole('tabpanel');
    },
    async workbench() {
      const response = await fetch(`${url}/api/workbench`, { headers: { authorization: `Bearer ${token}` } });
      return (await response.json()) as Workbench;
    },
    async accessibilityIssues(within = 'html') {
      await page.evaluate(axe.source);
      return await page.evaluate<string[]>(accessibilityScript(within));
    },
    overflowingElements: () => page.evaluate<string[]>(OVERFLOW_SCRIPT),
    async close() {
      await page.close();
      expect(consoleProblems).toEqual([]);
    },
  };
}

// Both scripts run in the browser, whose types are not available here.
const accessibilityScript = (
  selector: string,
) => `axe.run('${selector}', { resultTypes: ['violations'] }).then(({ violations }) =>
  violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target, any }) => id + ' at ' + target.join(' ') + ': ' + (any[0]?.message ?? ''))))`;

const OVERFLOW_SCRIPT = `[...document.querySelectorAll('body, .middle, .top, .scroller, .composer-area, .panel, .workbench, .bench-panel, .dialog')]
  .filter((place) => place.scrollWidth > place.clientWidth + 1)
  .map((place) => place.className + ': ' + place.scrollWidth + ' in ' + place.clientWidth)`;
