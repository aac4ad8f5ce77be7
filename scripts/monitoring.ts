import { writeFileSync } from 'node:fs';
import { metricList } from '../src/monitoring/metric-list.ts';
import { dashboardOf } from './monitoring/dashboard.ts';
import { pageOf } from './monitoring/page.ts';
import { runWithoutOptions } from './usage.ts';

await runWithoutOptions(
  'npm run monitoring',
  'Generates deploy/monitoring/dashboard.json and docs/metrics.md from the list of metrics.',
  () => {
    const metrics = Object.values(metricList);
    writeFileSync('deploy/monitoring/dashboard.json', `${JSON.stringify(dashboardOf(metrics), undefined, 2)}\n`);
    writeFileSync('docs/metrics.md', pageOf(metrics));
  },
);
