import { randomInt } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chaos } from './chaos.ts';

/** sysexits.h: the command was used wrongly. */
const EX_USAGE = 64;
const USAGE = 'npm run chaos [-- --seed N --jobs N --kills N]';

const MS_PER_JOB = 500;
const MS_PER_KILL = 10_000;
/** At this speed an image takes about ten seconds. */
const SPEED = 4;
const CALM_MS = 4 * 60_000;

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function run(): Promise<number> {
  const { values } = parseArgs({
    options: { seed: { type: 'string' }, jobs: { type: 'string' }, kills: { type: 'string' } },
  });
  const seed = Number(values.seed ?? randomInt(1_000_000));
  const jobs = Number(values.jobs ?? 200);
  const kills = Number(values.kills ?? 10);
  if (![seed, jobs, kills].every((value) => Number.isInteger(value) && value >= 0)) return wrong();
  print(`To have the same again: npm run chaos -- --seed ${seed} --jobs ${jobs} --kills ${kills}`);
  const stormMs = Math.max(jobs * MS_PER_JOB, kills * MS_PER_KILL);
  const { broken, figures, log } = await chaos({
    seed,
    jobs,
    kills,
    stormMs,
    lasting: true,
    speed: SPEED,
    calmMs: CALM_MS,
  });
  print(...figures);
  if (broken.length === 0) return 0;
  const kept = join(mkdtempSync(join(tmpdir(), 'atelier-chaos-')), 'bot.log');
  writeFileSync(kept, log);
  print('', 'Broken promises:', ...broken.map((promise) => `  ${promise}`), `What the bot wrote down: ${kept}`);
  return 1;
}

function wrong(): number {
  process.stderr.write(`Use: ${USAGE}\n`);
  return EX_USAGE;
}

process.exitCode = await run().catch((error: unknown) => {
  if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) return wrong();
  throw error;
});
