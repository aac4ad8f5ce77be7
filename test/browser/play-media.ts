import type { BrowserContext } from 'playwright-core';

interface Playback {
  width: number;
  height: number;
  seconds: number;
  moved: boolean;
}

/** Plays a file until its time advances, in a page of the same origin. */
export async function playMedia(context: BrowserContext, kind: 'video' | 'audio', url = ''): Promise<Playback> {
  const page = await context.newPage();
  try {
    await page.goto(new URL('/', url).href);
    return await page.evaluate<Playback>(`(${PLAY_SCRIPT})(${JSON.stringify({ kind, address: url })})`);
  } finally {
    await page.close();
  }
}

/** Runs in the browser, whose types are not available here. */
const PLAY_SCRIPT = `({ kind, address }) => new Promise((resolve, reject) => {
  const element = document.createElement(kind);
  element.muted = true;
  element.src = address;
  element.addEventListener('error', () => reject(new Error(element.error?.message ?? 'the file cannot be played')));
  element.addEventListener('timeupdate', () => {
    if (element.currentTime < 0.2) return;
    resolve({ width: element.videoWidth, height: element.videoHeight, seconds: element.duration, moved: true });
  });
  document.body.append(element);
  element.play().catch(reject);
})`;
