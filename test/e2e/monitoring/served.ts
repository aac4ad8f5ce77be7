import type { App } from '../../../src/roles/app.ts';
import { createFixture, type Fixture, type FixtureOptions, startBot } from '../bot.ts';

interface HttpResponse {
  status: number;
  headers: Headers;
  text: string;
}

interface Readiness {
  ready: boolean;
  parts: Record<string, { ready: boolean; reason?: string }>;
}

export interface MonitoredBot extends Fixture {
  app: App;
  url: string;
  request(path: string, init?: RequestInit): Promise<HttpResponse>;
  /** The status of /readyz, and the reasons for the parts that are not ready. */
  readiness(): Promise<{ status: number; reasons: Record<string, string> }>;
  /** The values in /metrics, by name and labels exactly as /metrics writes them. */
  metrics(): Promise<Map<string, number>>;
}

/** Starts a bot that serves its state on a free port, with an embedded Discord and an embedded gateway. */
export async function startMonitoredBot(options: FixtureOptions = {}, metricsToken?: string): Promise<MonitoredBot> {
  return startMonitoredFixture(await createFixture(options), metricsToken);
}

export async function startMonitoredFixture(baseFixture: Fixture, metricsToken?: string): Promise<MonitoredBot> {
  const config = { ...baseFixture.config, http: { port: 0, host: '127.0.0.1', metricsToken } };
  const app = await startBot({ ...baseFixture, config });
  const ports = [...baseFixture.logged().matchAll(/"port":(\d+).*Serving \/livez/g)];
  const url = `http://127.0.0.1:${ports.at(-1)?.[1]}`;
  const request = async (path: string, init?: RequestInit): Promise<HttpResponse> => {
    const response = await fetch(url + path, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return {
    ...baseFixture,
    config,
    app,
    url,
    request,
    async readiness() {
      const { status, text } = await request('/readyz');
      const { parts } = JSON.parse(text) as Readiness;
      const reasons = Object.entries(parts).flatMap(([part, { reason }]) =>
        reason === undefined ? [] : [[part, reason]],
      );
      return { status, reasons: Object.fromEntries(reasons) };
    },
    async metrics() {
      return parseMetrics((await request('/metrics')).text);
    },
  };
}

export const parseMetrics = (text: string): Map<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
