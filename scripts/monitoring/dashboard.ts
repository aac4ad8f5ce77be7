import type { MetricSpec } from '../../src/monitoring/metric-list.ts';

/** Grafana's grid has 24 columns. */
const COLUMNS = 24;
const PANEL_WIDTH = 8;
const PANEL_HEIGHT = 8;

const UNITS: Readonly<Record<MetricSpec['unit'], string>> = {
  count: 'short',
  seconds: 's',
  bytes: 'bytes',
  time: 'dateTimeAsIso',
  'dollars or tasks': 'short',
};

const DATASOURCE = { type: 'prometheus', uid: '$datasource' };
/** Selects one of several bots. */
const BOT_FILTER = 'job=~"$job", instance=~"$instance"';

/** A Grafana dashboard with one panel per metric, in the order of the list. */
export function dashboardOf(metrics: readonly MetricSpec[]): object {
  const perRow = COLUMNS / PANEL_WIDTH;
  let y = 0;
  const panels = [...Map.groupBy(metrics, ({ section }) => section)].flatMap(([title, specs]) => {
    const top = y + 1;
    const row = { type: 'row', title, gridPos: { x: 0, y, w: COLUMNS, h: 1 }, panels: [] };
    y = top + PANEL_HEIGHT * Math.ceil(specs.length / perRow);
    const own = specs.map((spec, index) =>
      panelOf(spec, (index % perRow) * PANEL_WIDTH, top + PANEL_HEIGHT * Math.floor(index / perRow)),
    );
    return [row, ...own];
  });
  return {
    uid: 'atelier',
    title: 'Atelier',
    tags: ['atelier'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' },
        variableOf('job', 'label_values(atelier_build_info, job)'),
        variableOf('instance', 'label_values(atelier_build_info{job=~"$job"}, instance)'),
      ],
    },
    panels: panels.map((panel, index) => ({ id: index + 1, ...panel })),
  };
}

const variableOf = (name: string, query: string) => ({
  name,
  label: name,
  type: 'query',
  datasource: DATASOURCE,
  query: { query, refId: name },
  refresh: 2,
  includeAll: true,
  multi: true,
  allValue: '.*',
  current: { text: 'All', value: '$__all' },
});

function panelOf(spec: MetricSpec, x: number, y: number): object {
  const isRate = spec.type === 'counter';
  const unit = isRate ? (spec.unit === 'seconds' ? 'percentunit' : 'cps') : UNITS[spec.unit];
  return {
    type: spec.unit === 'time' ? 'stat' : 'timeseries',
    title: titleOf(spec),
    description: `${spec.help}.`,
    datasource: DATASOURCE,
    gridPos: { x, y, w: PANEL_WIDTH, h: PANEL_HEIGHT },
    fieldConfig: { defaults: { unit, ...(spec.unit !== 'time' && { min: 0 }) }, overrides: [] },
    targets: targetsOf(spec).map((target, index) => ({
      ...target,
      refId: 'AB'[index],
      datasource: DATASOURCE,
    })),
  };
}

/** The name of the metric as a title, without the prefix that all names share. */
function titleOf({ name, type, unit }: MetricSpec): string {
  const words = name.replace(/^atelier_/, '').replace(/_(?:total|seconds|bytes|info)(?=_|$)/g, '');
  const text = words.replace(/_timestamp/, '').replaceAll('_', ' ');
  const title = text === 'cpu' ? 'CPU' : text.charAt(0).toUpperCase() + text.slice(1);
  return type === 'counter' && unit === 'count' ? `${title} per second` : title;
}

function targetsOf({ name, type, unit, labels = {} }: MetricSpec): { expr: string; legendFormat: string }[] {
  const names = Object.keys(labels);
  const legend = names.map((label) => `{{${label}}}`).join(' ');
  const sumBy = (expression: string, extraLabels: readonly string[] = []): string =>
    `sum by (${[...extraLabels, ...names].join(', ')}) (${expression})`;
  if (type === 'histogram')
    return ['0.5', '0.95'].map((quantile) => ({
      expr: `histogram_quantile(${quantile}, ${sumBy(`rate(${name}_bucket{${BOT_FILTER}}[$__rate_interval])`, ['le'])})`,
      legendFormat: `p${Number(quantile) * 100}${legend && ` ${legend}`}`,
    }));
  if (type === 'counter')
    return [{ expr: sumBy(`rate(${name}{${BOT_FILTER}}[$__rate_interval])`), legendFormat: legend || 'all' }];
  // Grafana expects dates in milliseconds.
  const expr = `${name}{${BOT_FILTER}}${unit === 'time' ? ' * 1000' : ''}`;
  return [{ expr, legendFormat: [legend, '{{instance}}'].filter(Boolean).join(' ') }];
}
