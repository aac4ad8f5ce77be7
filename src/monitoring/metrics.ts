import { Counter, Gauge, Histogram, Registry } from 'prom-client';
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

interface Reading<Key extends MetricKey> {
  readonly labels: LabelsOf<Key>;
  readonly value: number;
}

type Readings<Key extends MetricKey> = readonly Reading<Key>[];

/** The values of all metrics in the list. Gauges are read only when the metrics are scraped, so they cost nothing in between. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #counters = new Map<MetricKey, Counter>();
  readonly #gauges = new Map<MetricKey, Gauge>();
  readonly #histograms = new Map<MetricKey, Histogram>();
  readonly #updates: (() => Promise<void>)[] = [];
  readonly #log: Pick<PlainLog, 'warn'>;
  readonly contentType = this.#registry.contentType;

  constructor(log: Pick<PlainLog, 'warn'>) {
    this.#log = log;
    const registers = [this.#registry];
    for (const [key, spec] of entries(metricList)) {
      const { name, help, type, labels = {}, buckets = [] } = spec;
      const options = { name, help, labelNames: Object.keys(labels), registers };
      if (type === 'counter') this.#counters.set(key, new Counter(options));
      else if (type === 'gauge') this.#gauges.set(key, new Gauge(options));
      else this.#histograms.set(key, new Histogram({ ...options, buckets: [...buckets] }));
    }
  }

  count<Key extends CounterKey>(key: Key, labels: LabelsOf<Key>, amount = 1): void {
    this.#counters.get(key)?.inc({ ...labels }, amount);
  }

  observe<Key extends HistogramKey>(key: Key, labels: LabelsOf<Key>, value: number): void {
    // prom-client throws for a value that is not finite, and metrics must not make the measured work fail.
    if (Number.isFinite(value)) this.#histograms.get(key)?.observe({ ...labels }, Math.max(0, value));
  }

  /** Calls `read` at each scrape; values that it leaves out are no longer reported. */
  registerGauge<Key extends GaugeKey>(key: Key, read: () => Readings<Key> | Promise<Readings<Key>>): void {
    this.#onScrape(key, async () => {
      const readings = await read();
      const gauge = this.#gauges.get(key);
      gauge?.reset();
      for (const { labels, value } of readings) gauge?.set({ ...labels }, value);
    });
  }

  /** Like `registerGauge`, for a counter whose value is kept elsewhere: `read` returns its total so far. */
  registerCounter(key: CounterKey, read: () => number): void {
    this.#onScrape(key, async () => {
      const counter = this.#counters.get(key);
      counter?.reset();
      counter?.inc(read());
    });
  }

  /** The metrics in Prometheus's text format. */
  async text(): Promise<string> {
    await Promise.all(this.#updates.map((update) => update()));
    return this.#registry.metrics();
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

const entries = (list: Readonly<Record<MetricKey, MetricSpec>>): [MetricKey, MetricSpec][] =>
  Object.entries(list).map(([key, spec]) => [parseKey(key), spec]);

function parseKey(key: string): MetricKey {
  if (!isKey(key)) throw new Error(`${key} is not a metric.`);
  return key;
}

const isKey = (key: string): key is MetricKey => Object.hasOwn(metricList, key);
