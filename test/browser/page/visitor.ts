import axe from 'axe-core';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Workbench } from '../../../sandbox/web/protocol.ts';
import type { Sandbox } from '../../../sandbox/web/sandbox.ts';
import { everything } from './everything.ts';

/** Long enough for a job on a machine that is busy with other tests. */
const WAIT_LIMIT_MS = 40_000;

export interface Look {
  readonly colours?: 'dark' | 'light';
  readonly width?: number;
  readonly height?: number;
  /** Fills every channel with the sample messages. */
  readonly furnished?: boolean;
}

/** A user of the page, who uses the keyboard where possible. */
export interface Visitor {
  readonly page: Page;
  /** Console errors and warnings, except for refusals that the page displays. */
  readonly complaints: readonly string[];
  enter(channel: string): Promise<void>;
  become(person: string): Promise<void>;
  /** Types a command's name, selects it and focuses its first option. */
  begin(command: string): Promise<void>;
  press(...keys: string[]): Promise<void>;
  type(words: string): Promise<void>;
  latest(): Locator;
  bench(tab: 'Jobs' | 'Traffic' | 'Ledger' | 'Faults' | 'Bot'): Promise<Locator>;
  workbench(): Promise<Workbench>;
  /** Serious and critical accessibility issues. */
  faults(within?: string): Promise<string[]>;
  /** Elements whose content is wider than they are. */
  overflowing(): Promise<string[]>;
  leave(): Promise<void>;
}

export async function visitor(context: BrowserContext, { url, token }: Sandbox, look: Look = {}): Promise<Visitor> {
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_LIMIT_MS);
  await page.setViewportSize({ width: look.width ?? 1_440, height: look.height ?? 900 });
  await page.emulateMedia({ colorScheme: look.colours ?? 'dark', reducedMotion: 'reduce' });
  const complaints: string[] = [];
  page.on('console', (message) => {
    const isRefusal = message.location().url.startsWith(`${url}/api/`) && message.text().includes('400');
    if (['error', 'warning'].includes(message.type()) && !isRefusal) complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && hostname !== '127.0.0.1') complaints.push(`The page requested ${hostname}.`);
  });
  if (look.furnished) {
    await page.route('**/api/messages/*', async (route) => {
      const channel = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
      await route.fulfill({ json: everything(channel, { id: '1', username: 'bot' }, { id: '2', username: 'guest' }) });
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
    complaints,
    press,
    type: (words) => page.keyboard.type(words),
    async enter(channel) {
      await page.getByRole('button', { name: channel, exact: true }).click();
      await page.getByRole('main', { name: `#${channel}` }).waitFor();
      await page.locator('ol.messages[aria-busy="false"]').waitFor({ state: 'attached' });
    },
    async become(person) {
      await page.getByRole('button', { name: /Switch user/ }).click();
      await page.getByRole('menuitemradio', { name: new RegExp(`^${person}`) }).click();
      await page.getByRole('button', { name: `${person} Switch user` }).waitFor();
    },
    async begin(command) {
      await composer.focus();
      await composer.fill('');
      await page.keyboard.type(`/${command}`);
      await page.getByRole('option', { name: `/${command}` }).waitFor();
      await press('Enter');
      await page.getByRole('group', { name: `Command /${command}` }).waitFor();
    },
    latest: () => page.locator('li.message').last(),
    async bench(tab) {
      await page.getByRole('tab', { name: tab }).click();
      return page.getByRole('tabpanel');
    },
    async workbench() {
      const answer = await fetch(`${url}/api/workbench`, { headers: { authorization: `Bearer ${token}` } });
      return (await answer.json()) as Workbench;
    },
    async faults(within = 'html') {
      await page.evaluate(axe.source);
      return await page.evaluate<string[]>(faultsWithin(within));
    },
    overflowing: () => page.evaluate<string[]>(OVERFLOWING),
    async leave() {
      await page.close();
      expect(complaints).toEqual([]);
    },
  };
}

// Both run in the browser, whose types this program does not have.
const faultsWithin = (place: string) => `axe.run('${place}', { resultTypes: ['violations'] }).then(({ violations }) =>
  violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target, any }) => id + ' at ' + target.join(' ') + ': ' + (any[0]?.message ?? ''))))`;

const OVERFLOWING = `[...document.querySelectorAll('body, .middle, .top, .scroller, .composer-area, .panel, .workbench, .bench-panel, .dialog')]
  .filter((place) => place.scrollWidth > place.clientWidth + 1)
  .map((place) => place.className + ': ' + place.scrollWidth + ' in ' + place.clientWidth)`;
