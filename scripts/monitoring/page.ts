import type { MetricSpec } from '../../src/monitoring/metric-list.ts';

const HEAD = `# Metrics

Made by \`npm run monitoring\` from \`src/monitoring/metric-list.ts\`. [Operating](operating.md#health-and-metrics) says how to read them.
No label holds a member, a server, a channel, a prompt, a model or an id.
`;

/** The content of docs/metrics.md. */
export function pageOf(metrics: readonly MetricSpec[]): string {
  const sections = [...Map.groupBy(metrics, ({ section }) => section)].map(([section, specs]) => {
    const rows = specs.map((spec) => `| \`${spec.name}\` | ${spec.type} | ${labelsOf(spec)} | ${spec.help} |`);
    return `## ${section}\n\n| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  return [HEAD, ...sections].join('\n');
}

const labelsOf = ({ labels = {} }: MetricSpec): string =>
  Object.entries(labels)
    .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
    .join('<br>');
