import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { type Clock, systemClock } from '../../../src/lib/clock.ts';
import { privateFilesPattern } from '../../../src/services/media/download/private-files.ts';
import { openMedia } from '../../../src/services/media/media.ts';
import { MediaProcess } from '../../../src/services/media/media-process.ts';
import type { Job } from '../../../src/services/media/process/jobs.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { interlacedPng } from './process/laced-png.ts';

const factsSchema = z.object({}).loose();
const mask: Job = { do: 'side-mask', side: 'left', size: { width: 64, height: 48 }, maxPixels: 1_000_000 };
const chart: Extract<Job, { do: 'chart' }> = {
  do: 'chart',
  chart: { title: 'T', language: 'en', facts: [], bars: 'upright', entries: [{ label: 'a', amount: '1', text: '1' }] },
};

function openMediaProcess(clock: Clock = systemClock, memoryBytes = 512 * 2 ** 20) {
  const warnings: string[] = [];
  const media = new MediaProcess({ clock, memoryBytes, log: { warn: (_, message) => warnings.push(message) } });
  onTestFinished(() => media.close());
  return { media, warnings };
}

function openHijackedProcess(clock: Clock): MediaProcess {
  const program = fileURLToPath(new URL('./process/hijacked.ts', import.meta.url));
  const media = new MediaProcess({ clock, log: { warn: () => undefined }, program });
  onTestFinished(() => media.close());
  return media;
}

function imagesOf(media: MediaProcess) {
  const images = openMedia(
    { gatewayOrigin: 'http://127.0.0.1:1', apiKey: 'sk-unused', allowPrivate: false },
    { log: { warn: () => undefined }, process: media },
  );
  onTestFinished(() => images.close());
  return images;
}

const formatOrError = (work: Promise<{ bytes: Buffer }>): Promise<string> =>
  work.then(({ bytes }) => bytes.toString('latin1', 1, 4), String);
const pidOf = (media: MediaProcess): number => {
  expect(media.pid).toBeDefined();
  return media.pid ?? 0;
};
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
/** Returns the pid of the replacement process, as soon as it exists. */
async function successorOf(pid: number, media: MediaProcess): Promise<number> {
  await expect.poll(() => media.pid ?? pid, { interval: 1 }).not.toBe(pid);
  return pidOf(media);
}
const peakMemoryMib = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024;

describe('The media process', () => {
  it('The media process starts with its first job, ends after a minute without one, and starts again', {
    tags: ['breadth'],
  }, async () => {
    const clock = new ManualClock();
    const { media } = openMediaProcess(clock);
    expect(media.pid).toBeUndefined();
    expect(await formatOrError(media.run(mask, factsSchema))).toBe('PNG');
    const first = pidOf(media);
    clock.advance(59_999);
    expect(await formatOrError(media.run(mask, factsSchema))).toBe('PNG');
    expect(media.pid).toBe(first);
    clock.advance(60_000);
    expect(media.pid).toBeUndefined();
    await expect.poll(() => isAlive(first)).toBe(false);
    expect(await formatOrError(media.run(mask, factsSchema))).toBe('PNG');
  });

  it('The media process is replaced when it dies, and its jobs run again', async () => {
    const { media } = openMediaProcess();
    const work = Promise.all([
      formatOrError(media.run(mask, factsSchema)),
      formatOrError(media.run(chart, factsSchema)),
    ]);
    process.kill(pidOf(media), 'SIGKILL');
    expect(await work).toEqual(['PNG', 'PNG']);
  });

  it('The media process refuses a job that crashed it twice, and continues with the others', {
    tags: ['breadth'],
  }, async () => {
    const { media } = openMediaProcess();
    const bad = formatOrError(media.run(mask, factsSchema));
    const good = formatOrError(media.run(chart, factsSchema));
    const first = pidOf(media);
    process.kill(first, 'SIGKILL');
    process.kill(await successorOf(first, media), 'SIGKILL');
    expect(await bad).toBe('JobLost: The process ended during the job.');
    expect(await good).toBe('PNG');
  });

  it('The media process is replaced when a job takes too long: that job fails and the others run again', {
    tags: ['breadth'],
  }, async () => {
    const clock = new ManualClock();
    const { media } = openMediaProcess(clock);
    const late = formatOrError(media.run(chart, factsSchema));
    const other = formatOrError(media.run(mask, factsSchema));
    clock.advance(30_000);
    expect(await late).toBe('JobLost: The job exceeded its time limit.');
    expect(await other).toBe('PNG');
  });

  it('The media process cannot extend the time of a job: its claims of memory are counted, and its work and its waits add up', {
    tags: ['breadth'],
  }, async () => {
    const clock = new ManualClock();
    const media = openHijackedProcess(clock);
    const outcomeOf = (job: Job) => media.run(job, factsSchema).then(() => 'done', String);
    const likeness: Job = { do: 'likeness', maxPixels: 1 };
    const timedOut = 'JobLost: The job exceeded its time limit.';
    expect(await outcomeOf({ do: 'drawn-mask', maxPixels: 1 })).toBe(timedOut);
    for (const [job, steps, ms] of [
      [{ do: 'measure', maxPixels: 1 }, 3, 20_000],
      [{ do: 'check', maxPixels: 1 }, 5, 60_000],
    ] as const) {
      let outcome: string | undefined;
      const work = outcomeOf(job).then((text) => (outcome = text));
      for (let step = 0; step < steps; step++) {
        // When this job has ended, the reports about the other one have arrived.
        await outcomeOf(likeness);
        expect(outcome).toBeUndefined();
        clock.advance(ms);
      }
      expect(await work).toBe(timedOut);
    }
  });

  it.runIf(process.platform === 'linux')(
    'The media process is replaced when it uses too much memory, and refuses only the job that needs too much',
    async () => {
      const clock = new ManualClock();
      // Less than the process itself uses, so any running job exceeds the limit.
      const { media, warnings } = openMediaProcess(clock, 1);
      const large = formatOrError(media.run({ do: 'drop-voice', voice: 1 }, factsSchema));
      const first = pidOf(media);
      clock.advance(100);
      await successorOf(first, media);
      clock.advance(100);
      expect(await large).toBe('JobLost: The job exceeded its memory limit.');
      expect(warnings).toEqual(Array(2).fill('The media process used too much memory; replacing it.'));
    },
  );

  it.runIf(process.platform === 'linux')(
    'The media process refuses a small file that would need 600 MB, before it is decoded',
    async () => {
      const { media } = openMediaProcess();
      const images = imagesOf(media);
      const bomb = interlacedPng(8_888, 8_888);
      expect(bomb.length).toBeLessThan(1_000);
      await expect(images.checkImage(bomb)).rejects.toMatchObject({ kind: 'too-large' });
      await expect(images.readDrawnMask(bomb)).rejects.toMatchObject({ kind: 'too-large' });
      expect(peakMemoryMib(pidOf(media))).toBeLessThan(200);
    },
  );

  it.runIf(process.platform === 'linux')(
    'The media process inherits neither the environment nor the open files of the bot',
    async () => {
      vi.stubEnv('DISCORD_TOKEN', 'the.secret.token');
      vi.stubEnv('GATEWAY_API_KEY', 'sk-secret');
      onTestFinished(() => void vi.unstubAllEnvs());
      const openFile = fileURLToPath(import.meta.url);
      const descriptor = openSync(openFile, 'r');
      onTestFinished(() => closeSync(descriptor));
      const { media } = openMediaProcess();
      await media.run(mask, factsSchema);
      expect(readlinkSync(`/proc/${process.pid}/fd/${descriptor}`)).toBe(openFile);
      const fds = `/proc/${pidOf(media)}/fd`;
      const targets = readdirSync(fds).map((one) => readlinkSync(join(fds, one)));
      expect(targets.filter((target) => target.startsWith('/') && !target.startsWith('/dev/'))).toEqual([]);
      const environment = readFileSync(`/proc/${pidOf(media)}/environ`, 'latin1').split('\0');
      expect(environment.filter(Boolean).map((one) => one.split('=')[0])).toEqual([
        'NODE_COMPILE_CACHE',
        'FONTCONFIG_FILE',
        'MALLOC_ARENA_MAX',
        'MALLOC_MMAP_THRESHOLD_',
      ]);
    },
  );

  it('The media process can read its own files and those of its jobs through JavaScript, but not the settings or the store, and starts nothing', {
    tags: ['breadth'],
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'atelier-test-'));
    const ownFolder = mkdtempSync(privateFilesPattern(tmpdir()).slice(0, -1));
    onTestFinished(() => [folder, ownFolder].forEach((path) => void rmSync(path, { recursive: true })));
    const store = join(folder, 'atelier.sqlite');
    const ownFile = join(ownFolder, '0');
    for (const path of [store, ownFile]) writeFileSync(path, 'content');
    const media = openHijackedProcess(systemClock);
    const attempts = async (title: string) =>
      (await media.run({ ...chart, chart: { ...chart.chart, title } }, factsSchema)).facts;
    const denied = 'ERR_ACCESS_DENIED';
    for (const path of [store, join(dirname(store), '..'), resolve('.env.example'), resolve('.'), '/proc/self/environ'])
      expect([path, await attempts(path)]).toEqual([
        path,
        { read: denied, inThread: { done: denied }, write: denied, spawn: denied },
      ]);
    expect(await attempts(ownFile)).toEqual({ read: 'done', inThread: { done: 'done' }, write: 'done', spawn: denied });
    expect(await attempts(resolve('src/index.ts'))).toMatchObject({ read: 'done', write: denied });
  });

  it('The media process loses no job when its memory limit changes: it is replaced once it is idle', {
    tags: ['breadth'],
  }, async () => {
    const { media, warnings } = openMediaProcess();
    const images = imagesOf(media);
    const image = interlacedPng(4_000, 4_000);
    const errorKind = (): Promise<unknown> =>
      images.checkImage(image).then(
        () => 'none',
        ({ kind }) => kind,
      );
    const work = formatOrError(media.run(mask, factsSchema));
    const first = pidOf(media);
    media.setMemoryBytes(192 * 2 ** 20);
    expect(media.pid).toBe(first);
    expect(await work).toBe('PNG');
    expect(media.pid).toBeUndefined();
    expect(await errorKind()).toBe('too-large');
    media.setMemoryBytes(512 * 2 ** 20);
    expect(await errorKind()).not.toBe('too-large');
    expect(warnings).toEqual([]);
  });

  it('The media process exits when it is closed, and all waiting jobs fail', async () => {
    const { media } = openMediaProcess();
    const work = formatOrError(media.run(mask, factsSchema));
    const pid = pidOf(media);
    await media.close();
    expect(isAlive(pid)).toBe(false);
    expect(await work).toBe('JobLost: The media process has been closed.');
    expect(await formatOrError(media.run(mask, factsSchema))).toBe('JobLost: The media process has been closed.');
  });

  it('The media process frees the reservation of a job that was aborted', { tags: ['breadth'] }, async () => {
    const { media } = openMediaProcess();
    const controller = new AbortController();
    const work = formatOrError(media.run(chart, factsSchema, { signal: controller.signal }));
    controller.abort(new Error('no longer wanted'));
    expect(await work).toBe('Error: no longer wanted');
    expect(await formatOrError(media.run(chart, factsSchema))).toBe('PNG');
  });

  it('The media process ends with the bot, however the bot ends', { tags: ['breadth'] }, async () => {
    const program = fileURLToPath(new URL('./process/orphan.ts', import.meta.url));
    const bot = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void bot.kill('SIGKILL'));
    const [output] = await once(bot.stdout, 'data');
    const pid = Number(String(output));
    expect(isAlive(pid)).toBe(true);
    bot.kill('SIGKILL');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});
