import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp, { type OverlayOptions } from 'sharp';
import { buildPage } from '../../sandbox/web/build.ts';
import { startStage } from '../../sandbox/web/open-stage.ts';
import { PSEUDO_LANGUAGE } from '../../sandbox/web/pseudo-strings.ts';
import { Resources } from '../../sandbox/web/resources.ts';
import { createPageServer } from '../../sandbox/web/server.ts';
import { languages } from '../../src/lib/languages.ts';
import { openBrowser } from './browser.ts';
import { type Seen, seeMessages } from './seen-messages.ts';

/** Draws what members see most, in each language that is named (`CONTACT_SHEETS=/tmp/sheets npx node test/support/contact-sheet.ts de fr`). */
const WIDTHS = { desktop: 1_100, phone: 390 };
/** So high that no form has to scroll. */
const HEIGHT = 2_600;
const COLUMNS = 4;
const GAP = 12;
const TOKEN = 'contact-sheet';

async function drawSheets(language: string, folder: string): Promise<void> {
  const known = ([...languages, PSEUDO_LANGUAGE] as const).find((one) => one === language);
  if (known === undefined) throw new Error(`There is no language ${language}.`);
  const resources = new Resources();
  const { signal } = new AbortController();
  const options = { speed: 50, realGateway: false, language: known, environment: process.env, signal };
  const { stage, ready } = await startStage(options, resources);
  const [built] = await Promise.all([buildPage(), ready]);
  const server = await createPageServer({ stage, token: TOKEN, folder: built.folder });
  await resources.add(server, () => server.close());
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  const seen = await seeMessages(stage.discord);
  const browser = await openBrowser();
  await resources.add(browser, () => browser.close());
  for (const [name, width] of Object.entries(WIDTHS)) {
    const page = await browser.context.newPage();
    await page.setViewportSize({ width, height: HEIGHT });
    const images = await photograph(page, `${url}/#${TOKEN}`, seen);
    await sheetOf(images, join(folder, `${language}-${name}.png`));
    await page.close();
  }
  await resources.close();
}

async function photograph(page: Page, address: string, seen: readonly Seen[]): Promise<Buffer[]> {
  const messages = seen.flatMap(({ shown }, index) =>
    'content' in shown ? [{ ...shown, id: String(index + 1) }] : [],
  );
  const forms = seen.flatMap(({ shown }) => ('content' in shown ? [] : [shown]));
  await page.route('**/api/messages/*', (route) => route.fulfill({ json: messages }));
  await page.goto(address);
  const images: Buffer[] = [];
  for (const { id } of messages) images.push(await page.locator(`#message-${id}`).screenshot());
  for (const modal of forms) {
    await page.route('**/api/act', (route) => route.fulfill({ json: { modal } }));
    await page.getByRole('button', { name: 'U1', exact: true }).first().click();
    const dialog = page.getByRole('dialog');
    images.push(await dialog.screenshot());
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.unroute('**/api/act');
  }
  return images;
}

/** One image of all, each below the shortest column so far. */
async function sheetOf(images: readonly Buffer[], file: string): Promise<void> {
  const heights = Array.from({ length: COLUMNS }, () => GAP);
  const sizes = await Promise.all(images.map((image) => sharp(image).metadata()));
  const columnWidth = Math.max(...sizes.map(({ width }) => width)) + GAP;
  const placed = images.map((input, index): OverlayOptions => {
    const column = heights.indexOf(Math.min(...heights));
    const top = heights[column] ?? 0;
    heights[column] = top + (sizes[index]?.height ?? 0) + GAP;
    return { input, top, left: GAP + column * columnWidth };
  });
  const size = { width: COLUMNS * columnWidth + GAP, height: Math.max(...heights) };
  await sharp({ create: { ...size, channels: 3, background: '#777' } })
    .composite(placed)
    .png()
    .toFile(file);
}

const folder = process.env.CONTACT_SHEETS ?? '';
if (folder === '') throw new Error('Set CONTACT_SHEETS to the folder for the images.');
mkdirSync(folder, { recursive: true });
for (const language of process.argv.slice(2)) await drawSheets(language, folder);
process.exit();
