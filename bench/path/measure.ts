import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startApp } from '../../src/app.ts';
import { ruleTargets } from '../../src/commands/index.ts';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/lib/log.ts';
import { table } from '../table.ts';
import { Recorder, type RunFunction } from './functions.ts';

const SOURCE = new URL('../../src/', import.meta.url).href;

/** Counts the files and functions of `src` that run from the interaction of one `/image` to its finished message. `--list` names them. */
export async function measurePath(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { list: { type: 'boolean', default: false } } });
  const recorder = new Recorder(SOURCE);
  await recorder.start();
  const sides = fork(new URL('./sides.ts', import.meta.url));
  const [environment] = await once(sides, 'message');
  const folder = mkdtempSync(join(tmpdir(), 'atelier-path-'));
  const config = readConfig({ ...environment, STORE_URL: `sqlite://${join(folder, 'atelier.sqlite')}` }, ruleTargets);
  const log = createLogger({
    level: 'error',
    secrets: [],
    isPretty: false,
    write: (line) => process.stderr.write(line),
  });
  const app = await startApp(config, { log, version: '1.0.0' });
  // The first order also runs what a process does once.
  await finishOne('a fox');
  await recorder.take();
  await finishOne('a hare');
  const functions = await recorder.take();
  await app.stop();
  sides.disconnect();
  rmSync(folder, { recursive: true });
  report(functions, values.list);

  async function finishOne(prompt: string): Promise<void> {
    sides.send(prompt);
    await once(sides, 'message');
  }
}

function report(functions: readonly RunFunction[], isList: boolean): void {
  const forwarders = functions.filter(({ isForwarder }) => isForwarder);
  const fileCount = new Set(functions.map(({ path }) => path)).size;
  const counts = [fileCount, functions.length, forwarders.length].map(String);
  console.log(table(['one /image', 'files', 'functions', 'forwarders'], [['interaction to message', ...counts]]));
  if (!isList) return;
  for (const { path, name, isForwarder } of functions) console.log(`${isForwarder ? '> ' : '  '}${path}: ${name}`);
}
