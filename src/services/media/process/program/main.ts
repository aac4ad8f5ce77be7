import { readFile, writeFile } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { Socket } from 'node:net';
import { Refusal } from '../../../../lib/refusal.ts';
import { MemoryPool } from '../../capacity.ts';
import { MediaError } from '../../errors.ts';
import type { JobFailure, ProcessCommand, ProcessReport } from '../child.ts';
import { type Frame, FrameReader, writeFrame } from '../frames.ts';
import type { Job, JobInput, JobOutput } from '../jobs.ts';

/** The memory for Node itself, the libraries, and waiting files. */
const BASE_BYTES = 128 * 2 ** 20;
/** The memory for the libraries and the image of a chart. */
const CHART_BYTES = 32 * 2 ** 20;
const REPORT_INTERVAL_MS = 100;
/** A larger result is written to a file, to keep it out of the bot's memory. */
const MAX_PIPED_BYTES = 4 * 2 ** 20;

const memoryBytes = Number(process.argv[2]);
const memoryPool = new MemoryPool(Math.max(0, memoryBytes - BASE_BYTES));
const runningJobs = new Map<number, AbortController>();

const pipe = new Socket({ fd: 3 });
const reader = new FrameReader(Number.POSITIVE_INFINITY, receive);
pipe.on('data', (chunk: Buffer) => reader.read(chunk));
// The bot has exited, so do not wait for libraries that are still working.
for (const end of ['end', 'close', 'error']) pipe.on(end, () => process.kill(process.pid, 'SIGKILL'));
// Ctrl-C in a terminal also reaches this process, but the bot needs it until it has stopped.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
// On Linux, the bot measures the memory itself.
if (process.platform !== 'linux')
  setInterval(() => sendReport({ residentBytes: process.memoryUsage.rss() }), REPORT_INTERVAL_MS);

const sendReport = (report: ProcessReport, body?: Uint8Array): void => writeFrame(pipe, report, body);

function receive({ metadata, body }: Frame): void {
  const command: ProcessCommand = JSON.parse(metadata);
  if ('cancelled' in command) runningJobs.get(command.id)?.abort(new Error('The job was cancelled.'));
  else void runCommand(command, body);
}

async function runCommand(command: Extract<ProcessCommand, { job: Job }>, body: Buffer<ArrayBuffer>): Promise<void> {
  const { id, job, path, into } = command;
  const controller = new AbortController();
  runningJobs.set(id, controller);
  const claim = async (bytes: number): Promise<() => void> => {
    // Most claims do not wait, so the bot need not stop the job's clock and start it again.
    if (memoryPool.hasRoomFor(bytes)) return memoryPool.claim(bytes, controller.signal);
    sendReport({ id, now: 'waiting' });
    const release = await memoryPool.claim(bytes, controller.signal);
    sendReport({ id, now: 'working' });
    return release;
  };
  try {
    const bytes = path === undefined ? body : await readFile(path);
    const { facts, body: output } = await runJob(job, { bytes, claim });
    const isUnchanged = output === undefined;
    if (into !== undefined && output && output.length > MAX_PIPED_BYTES) {
      await writeFile(into, output);
      sendReport({ id, facts: { ...facts, isUnchanged, fileBytes: output.length } });
    } else sendReport({ id, facts: { ...facts, isUnchanged } }, output);
  } catch (error) {
    sendReport({ id, failure: failureOf(error) });
  } finally {
    runningJobs.delete(id);
    // The process is always killed, so it never writes its cache at an exit.
    flushCompileCache();
  }
}

/** Modules are loaded by the first job that needs them. */
async function runJob(job: Job, input: JobInput): Promise<JobOutput> {
  if ('maxPixels' in job) return await (await import('./images.ts')).runImageJob(job, input);
  switch (job.do) {
    case 'chart': {
      const release = await input.claim(CHART_BYTES);
      try {
        const { drawChart } = await import('../../chart.ts');
        return { facts: {}, body: await drawChart(job.chart) };
      } finally {
        release();
      }
    }
    case 'read-sound':
      return await (await import('./audio.ts')).runAudioReadJob(job, input);
    case 'write-voice':
    case 'drop-voice':
      return await (await import('./audio.ts')).runVoiceAudioJob(job, input);
  }
}

function failureOf(error: unknown): JobFailure {
  if (error instanceof Refusal) return { kind: 'refusal', key: error.key, variables: { ...error.variables } };
  if (error instanceof MediaError) return { kind: 'media', error: error.kind, message: error.message };
  return { kind: 'bug', message: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
}
