import { randomInt } from 'node:crypto';
import { EX_USAGE, runScript, Stop } from '../../scripts/usage.ts';
import type { CalmPoint } from './calm-point.ts';
import { soak } from './soak.ts';
import { passedLimits, tableOf } from './verdict.ts';

const script = {
  usage: 'npm run soak [-- --jobs N --hours N --seed N]',
  does: 'Lets the bot work for hours of its own clock, with faults and restarts, and checks that it keeps nothing that it no longer needs.',
  options: {
    jobs: { type: 'string', help: 'how many jobs members order; 20000 by default' },
    hours: { type: 'string', help: 'how many hours pass for the bot; 6 by default' },
    seed: { type: 'string', help: 'repeats the orders, faults and restarts of an earlier run' },
  },
} as const;

await runScript(script, async ({ jobs = '20000', hours = '6', seed = String(randomInt(1, 1_000_000)) }) => {
  const [jobCount = 0, hourCount = 0, seedNumber = 0] = [jobs, hours, seed].map((value) => {
    if (!/^[1-9]\d{0,6}$/.test(value)) throw new Stop(EX_USAGE, `${value} is not a number. Usage: ${script.usage}`);
    return Number(value);
  });
  print(`To repeat this run: npm run soak -- --jobs ${jobs} --hours ${hours} --seed ${seed}`);
  const points: CalmPoint[] = [];
  for await (const point of soak({ jobs: jobCount, hours: hourCount, seed: seedNumber })) {
    points.push(point);
    print('', tableOf(points));
  }
  const failures = passedLimits(points);
  print('', ...(failures.length === 0 ? ['No limit was passed.'] : ['Limits passed:', ...failures]));
  return failures.length === 0 ? 0 : 1;
});

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
