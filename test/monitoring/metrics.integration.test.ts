import { describe, expect, it, onTestFinished } from 'vitest';
import { PortError } from '../../src/lib/listen.ts';
import { Metrics } from '../../src/monitoring/metrics.ts';
import { startServer } from '../../src/monitoring/server.ts';
import { refusalCounter } from '../../src/monitoring/tasks.ts';
import { ReadinessCheck } from '../../src/services/operations/readiness.ts';
import { soleOwnership } from '../../src/services/store/lease.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { plainLog } from '../support/plain-log.ts';

function createMetrics() {
  const warnings: object[] = [];
  const log = plainLog({ warn: (facts) => void warnings.push(facts) });
  return { warnings, log, metrics: new Metrics(log) };
}

describe('The metrics', () => {
  it('A value that is not a number is omitted without an error', async () => {
    const { metrics } = createMetrics();
    for (const seconds of [Number.NaN, Number.POSITIVE_INFINITY, 2]) metrics.observe('acknowledgement', {}, seconds);
    // A duration is negative if the clock was set back in the meantime.
    metrics.observe('acknowledgement', {}, -5);
    const text = await metrics.text();
    expect(text).toContain('atelier_acknowledgement_seconds_count 2');
    expect(text).toContain('atelier_acknowledgement_seconds_sum 2');
  });

  it('A gauge reports only the labels of its last reading', async () => {
    const { metrics } = createMetrics();
    let kinds = ['imagine', 'video'];
    metrics.registerGauge('tasks', () => kinds.map((kind) => ({ labels: { kind, state: 'running' }, value: 1 })));
    expect(await metrics.text()).toContain('kind="video"');
    kinds = ['imagine'];
    const text = await metrics.text();
    expect(text).toContain('atelier_tasks{kind="imagine",state="running"} 1');
    expect(text).not.toContain('kind="video"');
  });

  it('A refusal reason that is not a known key is counted without its text, and the number of reasons is limited', async () => {
    const { metrics } = createMetrics();
    const count = refusalCounter(metrics);
    for (const reason of [
      'overBudget.member',
      'gateway.rate-limited',
      'private words',
      'a"b',
      '123456789012345678',
      '',
    ])
      count(reason);
    const keyOf = (number: number): string =>
      `key.${[...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`;
    for (let number = 0; number < 1_000; number += 1) count(keyOf(number));
    const text = await metrics.text();
    const reasonCounts = [...text.matchAll(/atelier_refusals_total\{reason="([^"]*)"\} (\d+)/g)].map(
      ([, ...groups]) => groups,
    );
    expect(reasonCounts).toHaveLength(401);
    expect(reasonCounts).toEqual(
      expect.arrayContaining([
        ['overBudget.member', '1'],
        ['gateway.rate-limited', '1'],
      ]),
    );
    // Four reasons that are not keys, and those beyond the limit.
    expect(reasonCounts).toContainEqual(['other', String(4 + 1_000 - 398)]);
    expect(text).not.toMatch(/private words|123456789012345678/);
  });

  it('A gauge that cannot be read is logged, and the others are reported', async () => {
    const { metrics, warnings } = createMetrics();
    metrics.registerGauge('unsaved', () => Promise.reject(new Error('The reading failed.')));
    metrics.registerGauge('heap', () => [{ labels: {}, value: 7 }]);
    expect(await metrics.text()).toContain('atelier_heap_used_bytes 7');
    expect(warnings).toEqual([{ metric: 'atelier_tasks_unsaved', err: expect.any(Error) }]);
  });
});

describe('The monitoring server', () => {
  const settings = { port: 0, host: '127.0.0.1', metricsToken: undefined };

  it('An internal error is logged, and its message is not sent', async () => {
    const { metrics, log, warnings } = createMetrics();
    const readiness = new ReadinessCheck(new ManualClock());
    const fail = (): never => {
      throw new Error('private words');
    };
    readiness.watch({
      hasStarted: fail,
      isDiscordReady: fail,
      ownership: { ...soleOwnership, assertOwned: fail, trouble: fail },
      isStoreFailing: fail,
      gateways: fail,
    });
    const server = await startServer(settings, { readiness, metrics, log });
    onTestFinished(() => server.close());
    const response = await fetch(`http://127.0.0.1:${server.port}/readyz`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('private words');
    expect(warnings).toEqual([{ err: expect.any(Error) }]);
  });

  it('A port that is in use and an address that does not belong to the machine are distinguished', async () => {
    const { metrics, log } = createMetrics();
    const parts = { readiness: new ReadinessCheck(new ManualClock()), metrics, log };
    const server = await startServer(settings, parts);
    onTestFinished(() => server.close());
    const secondAttempt = await startServer({ ...settings, port: server.port }, parts).catch((error: unknown) => error);
    expect(secondAttempt).toMatchObject({ name: 'PortError', isInUse: true });
    // An address reserved for documentation, which no machine has.
    const foreignHostAttempt = await startServer({ ...settings, host: '192.0.2.1' }, parts).catch(
      (error: unknown) => error,
    );
    expect(foreignHostAttempt).toBeInstanceOf(PortError);
    expect(foreignHostAttempt).toMatchObject({ isInUse: false });
  });
});
