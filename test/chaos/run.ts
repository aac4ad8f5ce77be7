import { randomInt } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chaos } from './chaos.ts';
import { money } from './money/money.ts';

/** sysexits.h: the command was used wrongly. */
const EX_USAGE = 64;
const USAGE =
  'npm run chaos [-- --seed N --jobs N --kills N]\n     npm run chaos -- --money [--seed N --orders N --members N --kills N --store URL]';

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
    options: {
      ...{ seed: { type: 'string' }, jobs: { type: 'string' }, kills: { type: 'string' } },
      ...{
        money: { type: 'boolean' },
        orders: { type: 'string' },
        members: { type: 'string' },
        store: { type: 'string' },
      },
    },
  });
  const seed = Number(values.seed ?? randomInt(1_000_000));
  if (values.money) return runMoney(seed, values);
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

async function runMoney(seed: number, values: Partial<Record<'orders' | 'members' | 'kills' | 'store', string>>) {
  const orders = Number(values.orders ?? 5_000);
  const members = Number(values.members ?? 500);
  const kills = Number(values.kills ?? 10);
  if (![seed, orders, members, kills].every((value) => Number.isInteger(value) && value >= 0)) return wrong();
  const { broken, figures } = await money({ seed, orders, members, kills, storeUrl: values.store });
  print(...figures);
  if (broken.length > 0) print('', 'Broken promises:', ...broken.slice(0, 50).map((promise) => `  ${promise}`));
  return broken.length === 0 ? 0 : 1;
}

function wrong(): number {
  process.stderr.write(`Use: ${USAGE}\n`);
  return EX_USAGE;
}

process.exitCode = await run().catch((error: unknown) => {
  if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) return wrong();
  throw error;
});
