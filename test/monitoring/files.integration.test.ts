import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dashboardOf, pageOf } from '../../scripts/monitoring.ts';
import { metricList } from '../../src/monitoring/metric-list.ts';

const metrics = Object.values(metricList);
const dashboard = readFileSync('deploy/monitoring/dashboard.json', 'utf8');
const rulesFile = 'deploy/monitoring/alerts.yaml';
const rules = readFileSync(rulesFile, 'utf8');
const alerts = rules.split(/^ {6}- alert: /m).slice(1);

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const skipNote = hasPromtool ? '' : ' (skipped: promtool is not installed; it is part of the package prometheus)';

/** The metric names in a text, without the suffixes of histograms. The bare label value `atelier` is no metric name. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/\batelier_\w+/g)].map(([name]) => name.replace(/_(?:bucket|count|sum)$/, ''));

/** Runs promtool on a file with this content; JSON is also valid YAML. */
function promtool(args: readonly string[], content: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-rules-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'file.yaml');
  writeFileSync(file, JSON.stringify(content));
  const { status, stdout, stderr } = spawnSync('promtool', [...args, file], { encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

describe('The files generated from the list of metrics', () => {
  it('The dashboard and docs/metrics.md are up to date: run `npm run monitoring`', () => {
    expect(dashboard).toBe(`${JSON.stringify(dashboardOf(metrics), undefined, 2)}\n`);
    expect(readFileSync('docs/metrics.md', 'utf8')).toBe(pageOf(metrics));
  });

  it('The dashboard shows every metric and nothing else', () => {
    const { panels } = JSON.parse(dashboard) as { panels: { id: number; targets?: { expr: string }[] }[] };
    const shownMetrics = panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => namesIn(expr)));
    expect([...new Set(shownMetrics)].toSorted()).toEqual(metrics.map(({ name }) => name).toSorted());
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  it.skipIf(!hasPromtool)(`Prometheus can parse every query of the dashboard${skipNote}`, () => {
    const { panels } = JSON.parse(dashboard) as { panels: { targets?: { expr: string }[] }[] };
    const queries = panels
      .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
      .map((expr) => expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$(?:job|instance)/g, '.*'));
    const group = { name: 'panels', rules: queries.map((expr, index) => ({ record: `panel:${index}`, expr })) };
    expect(queries.length).toBeGreaterThan(metrics.length);
    expect(promtool(['check', 'rules'], { groups: [group] })).toBe('');
  });
});

describe('deploy/monitoring/alerts.yaml', () => {
  it('Every alert uses only documented metrics and says in a sentence what to do', () => {
    const documentedNames: ReadonlySet<string> = new Set(metrics.map(({ name }) => name));
    expect(namesIn(rules).filter((name) => !documentedNames.has(name))).toEqual([]);
    expect(alerts.length).toBeGreaterThanOrEqual(7);
    for (const alert of alerts) expect(alert).toMatch(/\n {10}description: [A-Z].{30,}\.\n/);
  });

  it.skipIf(!hasPromtool)(`promtool reports no problems with the alerts${skipNote}`, () => {
    const { status, stdout } = spawnSync('promtool', ['check', 'rules', rulesFile], { encoding: 'utf8' });
    expect(stdout).toContain(`${alerts.length} rules found`);
    expect(status).toBe(0);
  });

  /** Series with one sample a minute, and the alerts that fire after twenty samples. */
  const cases: [string, Record<string, string>, string[]][] = [
    ['a healthy bot', {}, []],
    ['a bot that is down', { 'up{job="atelier"}': '0x20' }, ['AtelierAway']],
    ['a bot without Discord', { 'atelier_ready{part="discord"}': '0x20' }, ['AtelierDisconnected']],
    ['a bot that has just reconnected', { 'atelier_ready{part="discord"}': '0x18 1x2' }, []],
    ['a gateway that is down', { 'atelier_ready{part="gateway"}': '0x20' }, ['AtelierGatewayAway']],
    ['a paused lane', { 'atelier_lane_state{lane="videos",state="busy"}': '1x20' }, ['AtelierLanePaused']],
    ['a lane that was paused for a moment', { 'atelier_lane_state{lane="videos",state="busy"}': '0x16 1x4' }, []],
    ['a store that is down', { 'atelier_ready{part="store"}': '0x20' }, ['AtelierStoreTrouble']],
    [
      'a store with failing writes',
      { 'atelier_store_failures_total{operation="write"}': '0+1x20' },
      ['AtelierStoreTrouble'],
    ],
    [
      'slow deliveries',
      {
        'atelier_delivery_seconds_bucket{group="image",le="10"}': '0+1x20',
        'atelier_delivery_seconds_bucket{group="image",le="30"}': '0+10x20',
        'atelier_delivery_seconds_bucket{group="image",le="+Inf"}': '0+10x20',
      },
      ['AtelierDeliverySlow'],
    ],
    [
      'quick deliveries',
      {
        'atelier_delivery_seconds_bucket{group="image",le="10"}': '0+10x20',
        'atelier_delivery_seconds_bucket{group="image",le="+Inf"}': '0+10x20',
      },
      [],
    ],
    [
      'a budget that is used up',
      { 'atelier_budget_used{of="tasks",period="day",kind="all"}': '20x20' },
      ['AtelierBudgetUsedUp'],
    ],
    ['a limit of zero', { 'atelier_budget_limit{of="tasks",period="day",kind="all"}': '0x20' }, []],
    ['a full disk', { 'atelier_disk_available_bytes{disk="store"}': '9x20' }, ['AtelierDiskFull']],
    ['a partition without a worker', { atelier_partitions_unowned: '1x20' }, ['AtelierPartitionsUnowned']],
    ['a partition that changes hands', { atelier_partitions_unowned: '0x19 1' }, []],
    [
      'a connection that is lost',
      { atelier_shards: '3x20', 'atelier_shards_connected{instance="one"}': '1x20' },
      ['AtelierShardsDisconnected'],
    ],
    [
      'a cluster whose connections are all up',
      {
        atelier_shards: '3x20',
        'atelier_shards_connected{instance="one"}': '1x20',
        'atelier_shards_connected{instance="other"}': '2x20',
      },
      [],
    ],
    [
      'interactions that no worker picks up',
      { atelier_interactions_untaken_total: '0+3x20' },
      ['AtelierInteractionsUntaken'],
    ],
    ['a bot that runs as a single process', { atelier_partitions_unowned: '0x20', atelier_shards: '0x20' }, []],
    ['repeated restarts', { atelier_start_timestamp_seconds: '0+1x20' }, ['AtelierRestarts']],
    ['a single restart', { atelier_start_timestamp_seconds: '1x10 2x9' }, []],
  ];
  const healthySeries: Record<string, string> = {
    'up{job="atelier"}': '1x20',
    'atelier_ready{part="discord"}': '1x20',
    'atelier_ready{part="store"}': '1x20',
    'atelier_ready{part="gateway"}': '1x20',
    'atelier_lane_state{lane="videos",state="open"}': '1x20',
    'atelier_lane_state{lane="videos",state="busy"}': '0x20',
    'atelier_store_failures_total{operation="write"}': '0x20',
    'atelier_budget_limit{of="tasks",period="day",kind="all"}': '20x20',
    'atelier_budget_used{of="tasks",period="day",kind="all"}': '19x20',
    'atelier_disk_available_bytes{disk="store"}': '11x20',
    'atelier_disk_size_bytes{disk="store"}': '100x20',
    atelier_start_timestamp_seconds: '1x20',
  };

  it.skipIf(!hasPromtool).each(cases)(
    `The expected alerts fire for %s${skipNote}`,
    { tags: ['breadth'] },
    (_, series, expectedAlerts) => {
      const names = alerts.map((alert) => alert.slice(0, alert.indexOf('\n')));
      expect(names).toEqual(expect.arrayContaining(expectedAlerts));
      const input = Object.entries({ ...healthySeries, ...series }).map(([name, values]) => ({ series: name, values }));
      // `ALERTS` counts the firing alerts, whatever their labels and annotations.
      const samples = expectedAlerts.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 }));
      const expr = 'count by (alertname) (ALERTS{alertstate="firing"})';
      const content = {
        rule_files: [resolve(rulesFile)],
        evaluation_interval: '1m',
        tests: [
          {
            interval: '1m',
            input_series: input,
            promql_expr_test: [{ expr, eval_time: '20m', exp_samples: samples }],
          },
        ],
      };
      expect(promtool(['test', 'rules'], content)).toBe('');
    },
  );
});
