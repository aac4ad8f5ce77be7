import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { type StageOptions, startStage } from '../../../sandbox/web/open-stage.ts';
import type { ActionResult, LiveEvent, VisibleMessage, Workbench, World } from '../../../sandbox/web/protocol.ts';
import { Resources } from '../../../sandbox/web/resources.ts';
import { createPageServer } from '../../../sandbox/web/server.ts';
import type { Stage } from '../../../sandbox/web/stage.ts';

export const token = 'the-token-of-this-run';
/** What is read describes the whole sandbox, so reading it more often would take most of the time. */
const POLL = { interval: 100 };

interface PageResponse<Body> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface PageServer {
  readonly url: string;
  readonly stage: Stage;
  get<Body>(path: string, headers?: Record<string, string>): Promise<PageResponse<Body>>;
  post<Body>(path: string, body: unknown, headers?: Record<string, string>): Promise<PageResponse<Body>>;
  act(action: Record<string, unknown>): Promise<PageResponse<ActionResult & { error?: string }>>;
  trouble(action: Record<string, unknown>): Promise<PageResponse<{ said?: string; error?: string }>>;
  world(as: string): Promise<World>;
  channel(as: string, name: string): Promise<string>;
  messages(channel: string, as: string): Promise<VisibleMessage[]>;
  workbench(): Promise<Workbench>;
  /** Calls a function repeatedly until it returns a value. */
  waitFor<Found>(find: () => Promise<Found | undefined> | Found | undefined): Promise<Found>;
  listen(as: string): Promise<{ readonly events: readonly LiveEvent[]; close(): void }>;
  close(): Promise<void>;
}

/** Starts the page server with the real bot as a child process, and with a one-line page instead of the built one. */
export async function startPageServer(options: Partial<StageOptions> = {}): Promise<PageServer> {
  const resources = new Resources();
  const defaults = { speed: 50, realGateway: false, environment: process.env, signal: new AbortController().signal };
  const { stage, ready } = await startStage({ ...defaults, ...options }, resources);
  const folder = mkdtempSync(join(tmpdir(), 'atelier-page-'));
  await resources.add(folder, () => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>The page</title>');
  writeFileSync(join(folder, 'assets/main-1234.js'), 'export {};');
  const server = await createPageServer({ stage, token, folder });
  await resources.add(server, () => server.close());
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  await ready;
  return { ...createPageClient(url), url, stage, close: () => resources.close() };
}

function createPageClient(url: string): Omit<PageServer, 'url' | 'stage' | 'close'> {
  const call = async <Body>(path: string, init: Parameters<typeof request>[1], headers: Record<string, string>) => {
    const response = await request(`${url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
    const text = await response.body.text();
    const body = (text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text) as Body;
    return { status: response.statusCode, body, headers: response.headers };
  };
  const get = <Body>(path: string, headers = {}) => call<Body>(path, {}, headers);
  const post = <Body>(path: string, body: unknown, headers = {}) =>
    call<Body>(
      path,
      { method: 'POST', body: JSON.stringify(body) },
      { 'content-type': 'application/json', ...headers },
    );
  const world = async (as: string) => (await get<World>(`/api/world?as=${as}`)).body;
  return {
    get,
    post,
    act: (action) => post('/api/act', action),
    trouble: (action) => post('/api/trouble', action),
    world,
    async channel(as, name) {
      const { guilds, direct } = await world(as);
      const found = [...guilds.flatMap(({ channels }) => channels), ...direct].find((one) => one.name === name);
      if (!found) throw new Error(`${as} cannot see the channel ${name}.`);
      return found.id;
    },
    messages: async (channel, as) => (await get<VisibleMessage[]>(`/api/messages/${channel}?as=${as}`)).body,
    workbench: async () => (await get<Workbench>('/api/workbench')).body,
    async waitFor(find) {
      let found: Awaited<ReturnType<typeof find>>;
      await expect
        .poll(async () => {
          found = await find();
          return found !== undefined;
        }, POLL)
        .toBe(true);
      return found as NonNullable<typeof found>;
    },
    async listen(as) {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/api/live?token=${token}&as=${as}`);
      const events: LiveEvent[] = [];
      socket.on('message', (data) => events.push(JSON.parse(String(data)) as LiveEvent));
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      return { events, close: () => socket.terminate() };
    },
  };
}
