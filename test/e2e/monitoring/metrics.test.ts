import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { metricList } from '../../../src/monitoring/metric-list.ts';
import { noLimits } from '../../support/no-limits.ts';
import { FastClock } from '../../support/quick-clock.ts';
import type { FixtureOptions } from '../bot.ts';
import { says } from '../quick.ts';
import { TALK_MODEL, threadOf } from '../talk/fixture.ts';
import { type MonitoredBot, startMonitoredBot } from './served.ts';

const token = 'a-token-for-prometheus';
const prompt = 'a fox in a very red coat';
const specs = Object.values(metricList);

/** The sum of the values whose name and labels contain all `parts`. */
const sumOf = (values: ReadonlyMap<string, number>, ...parts: string[]): number =>
  [...values].reduce((sum, [name, value]) => (parts.every((part) => name.includes(part)) ? sum + value : sum), 0);

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

interface ClockedBot extends MonitoredBot {
  clock: FastClock;
}

/** Starts a bot on a clock that runs in real time, and can skip the seconds before a poll. */
async function startClockedBot(options: FixtureOptions = {}): Promise<ClockedBot> {
  const clock = new FastClock(1);
  const discord = { limits: { acknowledgeMs: 60_000 } };
  return { ...(await startMonitoredBot({ ...options, clock, discord })), clock };
}

async function imagine({ discord, gateway, clock }: ClockedBot): Promise<Message> {
  gateway.setSpeed(50);
  const exchange = await discord.as('member').slash('imagine', { prompt });
  await exchange.message(says('%'));
  await expect
    .poll(() => {
      clock.advance(1_000);
      return discord.messages('studio').some(says('Finished in'));
    })
    .toBe(true);
  return exchange.message(says('Finished in'));
}

describe('/metrics', () => {
  it('After the start, each documented metric has a description, and there are at most 400 series', async () => {
    const bot = await startMonitoredBot();
    await bot.readiness();
    const { text, headers } = await bot.request('/metrics');
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const describedMetrics = [...text.matchAll(/^# HELP (\S+) /gm)].map(([, name]) => name);
    expect(describedMetrics.toSorted()).toEqual(specs.map(({ name }) => name).toSorted());
    expect((await bot.metrics()).size).toBeLessThanOrEqual(400);
  });

  it('The metrics cover a request from its acknowledgement to its delivery, including the work that it causes', async () => {
    const startedAt = Date.now();
    const bot = await startClockedBot({ settings: { TOTAL_BUDGET: '$10 a day, 40 tasks a week' } });
    await imagine(bot);
    await expect.poll(async () => (await bot.metrics()).get('atelier_delivery_seconds_count{group="image"}')).toBe(1);
    const values = await bot.metrics();
    expect(values.get('atelier_orders_total{kind="imagine"}')).toBe(1);
    expect(values.get('atelier_tasks_ended_total{kind="imagine",state="ready"}')).toBe(1);
    expect(values.get('atelier_acknowledgement_seconds_count')).toBe(1);
    expect(values.get('atelier_acknowledgement_seconds_bucket{le="3"}')).toBe(1);
    expect(values.get('atelier_gateway_to_delivery_seconds_count{group="image"}')).toBe(1);
    const pollRequestCount = bot.gateway.requests.filter(({ path }) => path.endsWith('/fetch')).length;
    expect(pollRequestCount).toBeGreaterThan(0);
    expect(sumOf(values, 'atelier_polls_total', 'outcome="answered"')).toBe(pollRequestCount);
    expect(sumOf(values, 'atelier_lane_state', 'state="open"')).toBe(1);
    // The bot does not count the test’s own request that registers the commands.
    const requests = bot.discord.requests.filter(({ method }) => method !== 'PUT');
    expect(sumOf(values, 'atelier_discord_requests_total')).toBe(requests.length);
    expect(values.get('atelier_discord_requests_total{route="callback",status="204"}')).toBe(1);
    expect(sumOf(values, 'atelier_store_seconds_count', 'operation="write"')).toBeGreaterThan(5);
    expect(sumOf(values, 'atelier_store_failures_total')).toBe(0);
    expect(values.get('atelier_budget_limit{of="amount",period="day",kind="all"}')).toBe(10);
    expect(values.get('atelier_budget_limit{of="tasks",period="week",kind="all"}')).toBe(40);
    expect(values.get('atelier_budget_used{of="tasks",period="week",kind="all"}')).toBe(1);
    expect(values.get('atelier_gateway_answered_timestamp_seconds')).toBeGreaterThanOrEqual(startedAt / 1000 - 1);
    for (const part of ['bot', 'discord', 'store', 'gateway'])
      expect(values.get(`atelier_ready{part="${part}"}`)).toBe(1);
    expect(values.get('atelier_build_info{version="1.2.3"}')).toBe(1);
    const freeBytes = values.get('atelier_disk_available_bytes{disk="store"}') ?? 0;
    expect(freeBytes).toBeGreaterThan(0);
    expect(values.get('atelier_disk_size_bytes{disk="store"}')).toBeGreaterThan(freeBytes);
    // The media process has decoded the image.
    expect(values.get('atelier_media_process_resident_bytes')).toBeGreaterThan(1e6);
    // The process may still be ending its last job.
    await expect.poll(async () => (await bot.metrics()).get('atelier_media_jobs{state="running"}')).toBe(0);
    expect(values.get('atelier_heap_used_bytes')).toBeGreaterThan(1e6);
    expect(values.get('atelier_cpu_seconds_total')).toBeGreaterThan(0);
  });

  it('Live tasks, refusals and answers delayed by Discord are counted', { tags: ['breadth'] }, async () => {
    const bot = await startClockedBot({ settings: { DEFAULT_MEMBER_BUDGET: '1 at once' }, allowsRateLimits: true });
    const member = bot.discord.as('member');
    await (await member.slash('imagine', { prompt })).message(says('%'));
    const valuesWhileRunning = await bot.metrics();
    expect(sumOf(valuesWhileRunning, 'atelier_tasks{kind="imagine"')).toBe(1);
    await (await member.slash('imagine', { prompt: 'an owl' })).message();
    expect((await bot.metrics()).get('atelier_refusals_total{reason="concurrent.member"}')).toBe(1);
    bot.discord.faults.add({ on: { method: 'PATCH' }, do: { type: '429', scope: 'user', retryAfter: 0.05 }, times: 1 });
    await (await member.slash('models')).message();
    const valuesAfterWait = await bot.metrics();
    expect(sumOf(valuesAfterWait, 'atelier_discord_requests_total', 'status="429"')).toBe(1);
    expect(sumOf(valuesAfterWait, 'atelier_discord_rate_limit_wait_seconds_count')).toBe(1);
    bot.gateway.setSpeed(50);
    const isOver = async (): Promise<boolean> => {
      bot.clock.advance(1_000);
      return sumOf(await bot.metrics(), 'atelier_tasks{') === 0;
    };
    await expect.poll(isOver).toBe(true);
  });

  it('Requests that are refused when a confirmation runs are counted like any other', {
    tags: ['breadth'],
  }, async () => {
    const bot = await startClockedBot({ settings: noLimits });
    const member = bot.discord.as('member');
    const grid = await imagine(bot);
    const question = await (await member.click(grid, 'Upscale all')).message();
    await (await bot.discord.as('admin').slash('budget pause', {})).message();
    await (await member.click(question, 'Run all 4')).message(says('paused'));
    expect((await bot.metrics()).get('atelier_refusals_total{reason="paused.server"}')).toBe(4);
  });

  it('A gateway that refuses polls shows up in the state of their lane', async () => {
    const bot = await startMonitoredBot({ settings: { POLL_SCHEDULE: 'spec' } });
    bot.gateway.faults.add({ on: { path: '/imgx/task' }, do: { type: 'status', status: 401 }, times: 100 });
    await bot.discord.as('member').slash('imagine', { prompt });
    const isRefused = async () => sumOf(await bot.metrics(), 'atelier_lane_state', 'state="refused"');
    await expect.poll(isRefused).toBe(1);
    const values = await bot.metrics();
    expect(sumOf(values, 'atelier_lane_state', 'state="open"')).toBe(0);
    expect(sumOf(values, 'atelier_polls_total', 'outcome="refused"')).toBeGreaterThan(0);
  });

  it('An answer is counted while it is streamed', { tags: ['breadth'] }, async () => {
    const bot = await startMonitoredBot({
      settings: { DEFAULT_TEXT_MODEL: 'quill-5' },
      gatewayLimits: { silenceMs: 3_000 },
    });
    bot.gateway.faults.add({ do: { type: 'text', how: 'silence', after: 10 } });
    await bot.discord.as('member').slash('ask', { prompt: 'tell me of the snow' });
    const streamingAnswers = async () => (await bot.metrics()).get('atelier_answers_streaming');
    await expect.poll(streamingAnswers).toBe(1);
    await expect.poll(streamingAnswers).toBe(0);
  });

  it('A live conversation is counted until it ends', async () => {
    const bot = await startMonitoredBot({ settings: { DEFAULT_TALK_MODEL: TALK_MODEL } });
    const thread = await threadOf(await bot.discord.as('member').slash('talk start', {}));
    const openTalks = async () => (await bot.metrics()).get('atelier_talks_open');
    await expect.poll(openTalks).toBe(1);
    await (await bot.discord.as('member').in(thread).slash('talk end', {})).message();
    await expect.poll(openTalks).toBe(0);
  });

  it('If METRICS_TOKEN is set, only the metrics require it', async () => {
    const bot = await startMonitoredBot({}, token);
    const withToken = (authorization: string) => bot.request('/metrics', { headers: { authorization } });
    const refused = await bot.request('/metrics');
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    expect(refused.text).not.toContain('atelier_');
    for (const invalid of [token, `Basic ${token}`, `Bearer ${token}x`, `Bearer ${token.slice(1)}`, 'Bearer'])
      expect((await withToken(invalid)).status).toBe(401);
    expect((await withToken(`Bearer ${token}`)).text).toContain('atelier_ready');
    expect((await bot.readiness()).status).toBe(200);
    expect((await bot.request('/livez')).status).toBe(200);
  });
});

describe('The labels of /metrics', () => {
  it('No label contains a member, a server, a channel, a prompt, a model, a task or a token', async () => {
    const bot = await startClockedBot({ settings: noLimits });
    await imagine(bot);
    await (await bot.discord.as('member').slash('models')).message();
    await expect.poll(async () => (await bot.metrics()).get('atelier_delivery_seconds_count{group="image"}')).toBe(1);
    const { text } = await bot.request('/metrics');
    const values = [...text.matchAll(/="((?:[^"\\]|\\.)*)"/g)].map(([, value = '']) => value);
    expect(values.length).toBeGreaterThan(50);
    for (const value of values) {
      // Labels are kinds, states, lanes and histogram bounds: a few short words, and no number as long as an id.
      expect(value).toMatch(/^(?:\+Inf|[a-z0-9][a-z0-9 .-]{0,30}|[a-z][A-Za-z.-]{0,40})$/);
      expect(value).not.toMatch(/\d{6}/);
    }
    for (const secret of [prompt, 'fox', bot.config.discord.token, bot.config.gateway.apiKey, bot.gateway.url])
      expect(text).not.toContain(secret);
    const [task] = bot.logged().match(/[0-9a-hjkmnp-tv-z]{17}/) ?? [];
    if (task !== undefined) expect(text).not.toContain(task);
  });

  it.skipIf(!hasPromtool)(
    `promtool reports no problems with the metrics${hasPromtool ? '' : ' (skipped: promtool is not installed)'}`,
    { tags: ['breadth'] },
    async () => {
      const fixture = await startClockedBot();
      await imagine(fixture);
      const promtoolRun = spawnSync('promtool', ['check', 'metrics'], {
        input: (await fixture.request('/metrics')).text,
      });
      expect(`${promtoolRun.stdout}${promtoolRun.stderr}`).toBe('');
      expect(promtoolRun.status).toBe(0);
    },
  );
});
