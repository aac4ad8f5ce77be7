import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { BotState, Job } from '../../../sandbox/web/protocol.ts';
import { openPageServer, type PageServer } from './page-server.ts';

let at: PageServer;
let studio: string;
beforeAll(async () => {
  at = await openPageServer();
  studio = await at.channel('member', 'studio');
});
afterAll(() => at.close());

const who = () => ({ as: 'member', in: studio });
const begin = async (prompt: string): Promise<void> => {
  expect((await at.act({ ...who(), do: 'slash', name: 'imagine', options: { prompt } })).status).toBe(200);
};
const job = async (prompt: string): Promise<Job | undefined> =>
  (await at.workbench()).gateway.jobs.find((one) => one.prompt === prompt);
const inState = (prompt: string, ...states: Job['state'][]) =>
  at.until(async () => {
    const found = await job(prompt);
    return found && states.includes(found.state) ? found : undefined;
  });
/** Waits for the message of a request to match. */
const waitForMessage = (prompt: string, wanted: (message: { text: string; files: number }) => boolean) =>
  at.until(async () =>
    (await at.messages(studio, 'member')).find(
      (one) => text(one).includes(prompt) && wanted({ text: text(one), files: one.attachments.length }),
    ),
  );
const waitForResult = (prompt: string) =>
  waitForMessage(prompt, ({ files, text: words }) => files > 0 && !words.includes('%'));
const botIs = (...states: BotState['state'][]) =>
  at.until(async () => {
    const { bot } = await at.workbench();
    return states.includes(bot.state) ? bot : undefined;
  });

describe('Faults of the gateway', () => {
  it('The speed of the gateway can be changed within limits', async () => {
    expect((await at.trouble({ do: 'speed', factor: 20 })).body.said).toMatch(/20 times/);
    expect((await at.workbench()).gateway.speed).toBe(20);
    for (const factor of [0, 0.1, 51, '3', null]) expect((await at.trouble({ do: 'speed', factor })).status).toBe(400);
    expect((await at.trouble({ do: 'explode' })).status).toBe(400);
    expect((await at.workbench()).gateway.speed).toBe(20);
    await at.trouble({ do: 'clear' });
    expect((await at.workbench()).gateway.speed).toBe(50);
  });

  it('Failures, lost responses and 429s can be injected and are shown while pending', async () => {
    const live = await at.listen('member');
    await at.trouble({ do: 'fail-next', reason: 'The paint is dry' });
    const { faults } = (await at.workbench()).gateway;
    expect(faults.map(({ what }) => what)).toEqual(['The next job fails: The paint is dry.']);
    await begin('a failing fox');
    expect(await inState('a failing fox', 'failed')).toMatchObject({ reason: 'The paint is dry', submits: 1 });
    await waitForMessage('a failing fox', (message) => message.text.includes('The paint is dry'));
    await at.until(() => live.events.some((one) => one.is === 'faults' && one.faults.length === 0) || undefined);

    await at.trouble({ do: 'lose-next-answer' });
    await begin('a lost fox');
    await waitForMessage('a lost fox', (message) => message.text.includes('couldn’t confirm'));
    // The gateway accepted it, and it is not submitted again.
    expect(await inState('a lost fox', 'succeeded')).toMatchObject({ submits: 1 });
    const lost = (await at.workbench()).traffic.find(
      (one) => one.side === 'gateway' && one.method === 'POST' && one.status === 0,
    );
    expect(JSON.stringify(lost?.request)).toContain('a lost fox');
    expect((await at.workbench()).gateway.faults).toEqual([]);

    await at.trouble({ do: 'rate-limit-next', times: 2 });
    expect((await at.workbench()).gateway.faults[0]?.what).toBe('Each of the next 2 requests fails with status 429.');
    await begin('a patient fox');
    await at.until(async () => (await at.workbench()).traffic.find(({ status }) => status === 429));
    await at.trouble({ do: 'clear' });
    live.close();
  });

  it('A result arrives after the gateway was down during the job', async () => {
    await at.trouble({ do: 'speed', factor: 1 });
    await begin('a fox in the dark');
    await inState('a fox in the dark', 'queued', 'running');
    await at.trouble({ do: 'gateway-down', on: true });
    expect((await at.workbench()).gateway.down).toBe(true);
    const { gateway } = at.stage;
    await expect(fetch(gateway.kind === 'embedded' ? gateway.embedded.url : '')).rejects.toThrow();
    await at.trouble({ do: 'speed', factor: 50 });
    await inState('a fox in the dark', 'succeeded');
    await at.trouble({ do: 'gateway-down', on: true });
    await at.trouble({ do: 'gateway-down', on: false });
    expect((await at.workbench()).gateway.down).toBe(false);
    await waitForResult('a fox in the dark');
  });
});

describe('Faults of Discord', () => {
  it('The bot resumes after its connection was lost', async () => {
    const { gateway } = at.stage.discord;
    const [identifies, resumes] = [gateway.identifies, gateway.resumes];
    expect((await at.trouble({ do: 'cut-socket' })).body.said).toMatch(/resume/);
    await at.until(() => (gateway.resumes > resumes && gateway.sessions === 1 ? true : undefined));
    expect(gateway.identifies).toBe(identifies);
    expect((await at.act({ ...who(), do: 'slash', name: 'models' })).status).toBe(200);
    expect((await at.workbench()).bot.starts).toBe(1);
  });

  it('Results arrive even if tokens expire and messages age during the jobs', async () => {
    await at.trouble({ do: 'speed', factor: 1 });
    await begin('a fox without a token');
    await inState('a fox without a token', 'running');
    expect((await at.trouble({ do: 'end-tokens' })).body.said).toMatch(/another way/);
    await begin('an old fox');
    await inState('an old fox', 'running');
    const before = await waitForMessage('an old fox', () => true);
    await at.trouble({ do: 'age-messages' });
    const after = (await at.messages(studio, 'member')).find(({ id }) => id === before.id);
    expect(Date.parse(before.timestamp) - Date.parse(after?.timestamp ?? '')).toBe(60 * 60 * 1_000);
    await at.trouble({ do: 'speed', factor: 50 });
    await waitForResult('a fox without a token');
    await waitForResult('an old fox');
    const refused = (await at.workbench()).traffic.filter(
      ({ path, status }) => path.startsWith('/webhooks/') && status === 401,
    );
    expect(refused.length).toBeGreaterThan(0);
  });
});

describe('Faults of the bot', () => {
  it('A bot that is killed during a job restarts, and the result arrives', async () => {
    await at.trouble({ do: 'speed', factor: 1 });
    await begin('a fox that outlives its bot');
    await inState('a fox that outlives its bot', 'running');
    const { pid = 0, starts } = (await at.workbench()).bot;
    expect((await at.trouble({ do: 'kill-bot' })).body.said).toMatch(/three seconds/);
    expect((await at.workbench()).bot.state).toBe('killed');
    expect(() => process.kill(pid, 0)).toThrow();
    expect((await at.trouble({ do: 'kill-bot' })).status).toBe(400);
    expect((await botIs('running')).starts).toBe(starts + 1);
    await at.trouble({ do: 'speed', factor: 50 });
    await waitForResult('a fox that outlives its bot');
    expect((await job('a fox that outlives its bot'))?.submits).toBe(1);
  });

  it('A stopped bot stays stopped until it is started, and commands fail as they would on Discord', async () => {
    await at.trouble({ do: 'stop-bot' });
    const { bot } = await at.workbench();
    expect(bot).toMatchObject({ state: 'stopped', exitCode: 0 });
    expect(bot.log.at(-1)?.text).toContain('Atelier has stopped.');
    const asked = await at.act({ ...who(), do: 'slash', name: 'models' });
    expect(asked).toMatchObject({ status: 400, body: { error: 'The application did not respond' } });
    expect((await at.trouble({ do: 'stop-bot' })).status).toBe(400);
    expect((await at.trouble({ do: 'cut-socket' })).body.error).toMatch(/not connected/);
    await at.trouble({ do: 'start-bot' });
    expect((await at.trouble({ do: 'start-bot' })).status).toBe(400);
    expect((await botIs('running')).readyMs).toBeGreaterThan(0);
  });

  it('A crashed bot is shown with the end of its log and is not restarted', async () => {
    const { starts } = (await at.workbench()).bot;
    at.stage.discord.gateway.closeSessions(4004);
    const bot = await botIs('crashed');
    expect(bot).toMatchObject({ exitCode: 77, starts });
    expect(bot.log.at(-1)).toMatchObject({ level: 'fatal', text: expect.stringContaining('DISCORD_TOKEN') });
    await at.trouble({ do: 'start-bot' });
    expect((await botIs('running', 'crashed')).starts).toBe(starts + 1);
    // The process runs before it is connected to Discord.
    const status = async () => (await at.act({ ...who(), do: 'slash', name: 'models' })).status;
    await expect.poll(status, { timeout: 20_000 }).toBe(200);
  });
});
