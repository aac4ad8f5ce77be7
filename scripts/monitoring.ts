import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { metricList } from '../src/monitoring/metric-list.ts';
import { dashboardOf } from './monitoring/dashboard.ts';
import { pageOf } from './monitoring/page.ts';
import { reportWrongArguments } from './usage.ts';

const USAGE = 'npm run monitoring';

const HELP = `Generates deploy/monitoring/dashboard.json and docs/metrics.md from the list of metrics.

Usage: ${USAGE}

  --help  shows this help`;

function writeMonitoring(): number {
  if (parseArgs({ options: { help: { type: 'boolean' } } }).values.help) {
    console.log(HELP);
    return 0;
  }
  const metrics = Object.values(metricList);
  writeFileSync('deploy/monitoring/dashboard.json', `${JSON.stringify(dashboardOf(metrics), undefined, 2)}\n`);
  writeFileSync('docs/metrics.md', pageOf(metrics));
  return 0;
}

try {
  process.exitCode = writeMonitoring();
} catch (error) {
  process.exitCode = reportWrongArguments(error, USAGE);
}
