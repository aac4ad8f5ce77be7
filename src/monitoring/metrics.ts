import { keysOf } from '../lib/entries.ts';
import type { PlainLog } from '../lib/log.ts';
import {
  type CounterKey,
  type GaugeKey,
  type HistogramKey,
  type LabelsOf,
  type MetricKey,
  type MetricSpec,
  metricList,
} from './metric-list.ts';

type Readings<Key extends MetricKey> = readonly { readonly labels: LabelsOf<Key>; readonly value: number }[];

/** The values of all metrics in the list. Gauges are read only when the metrics are scraped, so they cost nothing in between. */
export class Metrics {
  /** By metric and the text of its labels: the value of a counter or gauge; the sum of a histogram and the count of each bucket. */
  readonly #series = new Map<string, Map<string, number[]>>();
  readonly #updates: (() => Promise<void>)[] = [];
  readonly #log: PlainLog;
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';

  constructor(log: PlainLog) {
    this.#log = log;
    for (const key of keysOf(metricList)) this.#reset(key);
  }

  count<Key extends CounterKey>(key: Key, labels: LabelsOf<Key>, amount = 1): void {
    this.#add(key, labels, 0, amount);
  }

  observe<Key extends HistogramKey>(key: Key, labels: LabelsOf<Key>, value: number): void {
    // The sum would never be finite again.
    if (!Number.isFinite(value)) return;
    const { buckets } = metricList[key];
    const bucket = buckets.findIndex((limit) => value <= limit);
    this.#add(key, labels, 0, Math.max(0, value));
    this.#add(key, labels, 1 + (bucket === -1 ? buckets.length : bucket), 1);
  }

  /** Calls `read` at each scrape, also for a counter that is kept elsewhere. Adds up values with the same labels; those that are left out are no longer reported. */
  registerGauge<Key extends GaugeKey | CounterKey>(key: Key, read: () => Readings<Key> | Promise<Readings<Key>>): void {
    this.#onScrape(key, async () => {
      const readings = await read();
      this.#reset(key);
      for (const { labels, value } of readings) this.#add(key, labels, 0, value);
    });
  }

  /** The metrics in Prometheus's text format. */
  async text(): Promise<string> {
    await Promise.all(this.#updates.map((update) => update()));
    return Object.entries(metricList)
      .map(([key, spec]) => metricText(spec, [...(this.#series.get(key) ?? [])]))
      .join('\n');
  }

  /** What has no labels is always reported. */
  #reset(key: MetricKey): void {
    this.#series.set(key, new Map('labels' in metricList[key] ? [] : [['', [0]]]));
  }

  #add(key: MetricKey, labels: object, index: number, amount: number): void {
    const series = this.#series.get(key);
    const text = textOf(labels);
    const numbers = series?.get(text) ?? [];
    numbers[index] = (numbers[index] ?? 0) + amount;
    series?.set(text, numbers);
  }

  /** A metric that cannot be read must not hide the others. */
  #onScrape(key: MetricKey, update: () => Promise<void>): void {
    this.#updates.push(() =>
      update().catch((error: unknown) => {
        this.#log.warn({ metric: metricList[key].name, err: error }, 'A metric could not be read.');
      }),
    );
  }
}

/** In JSON, quotes and backslashes are escaped as Prometheus expects. */
const textOf = (labels: object): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',');

function metricText({ name, help, type, buckets = [] }: MetricSpec, series: readonly [string, number[]][]): string {
  const lines = series.flatMap(([labels, numbers]) =>
    type === 'histogram' ? histogramLines(name, labels, buckets, numbers) : [line(name, labels, numbers[0])],
  );
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

/** The count of a bucket in the text includes the counts of all lower ones. */
function histogramLines(name: string, labels: string, buckets: readonly number[], numbers: number[]): string[] {
  const [sum, ...counts] = numbers;
  let count = 0;
  const bucketLines = [...buckets, '+Inf'].map((limit, index) => {
    count += counts[index] ?? 0;
    return line(`${name}_bucket`, `le="${limit}"${labels && `,${labels}`}`, count);
  });
  return [...bucketLines, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, count)];
}

const line = (name: string, labels: string, value = 0): string => `${name}${labels && `{${labels}}`} ${value}`;
