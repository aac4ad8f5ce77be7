import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { BotState, Job } from '../../../sandbox/web/protocol.ts';
import { type PageServer, startPageServer } from './page-server.ts';

let server: PageServer;
let studio: string;
beforeAll(async () => {
  server = await startPageServer();
  studio = await server.channel('member', 'studio');
});
afterAll(() => server.close());

const memberInStudio = () => ({ as: 'member', in: studio });
const imagine = async (prompt: string): Promise<void> => {
  expect((await server.act({ ...memberInStudio(), do: 'slash', name: 'imagine', options: { prompt } })).status).toBe(
    200,
  );
};
const findJob = async (prompt: string): Promise<Job | undefined> =>
  (await server.workbench()).gateway.jobs.find((one) => one.prompt === prompt);
const waitForState = (prompt: string, ...states: Job['state'][]) =>
  server.waitFor(async () => {
    const job = await findJob(prompt);
    return job && states.includes(job.state) ? job : undefined;
  });
/** Waits until the message of a request meets a condition. */
const waitForMessage = (prompt: string, matches: (message: { text: string; files: number }) => boolean) =>
  server.waitFor(async () =>
    (await server.messages(studio, 'member')).find(
      (one) => text(one).includes(prompt) && matches({ text: text(one), files: one.attachments.length }),
    ),
  );
const waitForResult = (prompt: string) =>
  waitForMessage(prompt, ({ files, text: content }) => files > 0 && !content.includes('%'));
const waitForBot = (...states: BotState['state'][]) =>
  server.waitFor(async () => {
    const { bot } = await server.workbench();
    return states.includes(bot.state) ? bot : undefined;
  });

describe('Faults of the gateway', () => {
  it('The speed of the gateway can be changed within limits', async () => {
    expect((await server.trouble({ do: 'speed', factor: 20 })).body.said).toMatch(/20 times/);
    expect((await server.workbench()).gateway.speed).toBe(20);
    for (const factor of [0, 0.1, 51, '3', null])
      expect((await server.trouble({ do: 'speed', factor })).status).toBe(400);
    expect((await server.trouble({ do: 'explode' })).status).toBe(400);
    expect((await server.workbench()).gateway.speed).toBe(20);
    await server.trouble({ do: 'clear' });
    expect((await server.workbench()).gateway.speed).toBe(50);
  });

  it('Failures, lost responses and 429s can be injected and are shown while pending', async () => {
    const listener = await server.listen('member');
    await server.trouble({ do: 'fail-next', reason: 'The paint is dry' });
    const { faults } = (await server.workbench()).gateway;
    expect(faults.map(({ what }) => what)).toEqual(['The next job fails: The paint is dry.']);
    await imagine('a failing fox');
    expect(await waitForState('a failing fox', 'failed')).toMatchObject({ reason: 'The paint is dry', submits: 1 });
    await waitForMessage('a failing fox', (message) => message.text.includes('The paint is dry'));
    await server.waitFor(
      () => listener.events.some((one) => one.is === 'faults' && one.faults.length === 0) || undefined,
    );

    await server.trouble({ do: 'lose-next-answer' });
    await imagine('a lost fox');
    await waitForMessage('a lost fox', (message) => message.text.includes('couldn’t confirm'));
    // The gateway accepted the order, which must not be submitted again.
    expect(await waitForState('a lost fox', 'succeeded')).toMatchObject({ submits: 1 });
    const lostRequest = (await server.workbench()).traffic.find(
      (one) => one.side === 'gateway' && one.method === 'POST' && one.status === 0,
    );
    expect(JSON.stringify(lostRequest?.request)).toContain('a lost fox');
    expect((await server.workbench()).gateway.faults).toEqual([]);

    await server.trouble({ do: 'rate-limit-next', times: 2 });
    expect((await server.workbench()).gateway.faults[0]?.what).toBe(
      'Each of the next 2 requests fails with status 429.',
    );
    await imagine('a patient fox');
    await server.waitFor(async () => (await server.workbench()).traffic.find(({ status }) => status === 429));
    await server.trouble({ do: 'clear' });
    listener.close();
  });

  it('A result is delivered even if the gateway was down during the job', async () => {
    await server.trouble({ do: 'speed', factor: 1 });
    await imagine('a fox in the dark');
    await waitForState('a fox in the dark', 'queued', 'running');
    await server.trouble({ do: 'gateway-down', on: true });
    expect((await server.workbench()).gateway.down).toBe(true);
    const { gateway } = server.stage;
    await expect(fetch(gateway.kind === 'embedded' ? gateway.embedded.url : '')).rejects.toThrow();
    await server.trouble({ do: 'speed', factor: 50 });
    await waitForState('a fox in the dark', 'succeeded');
    await server.trouble({ do: 'gateway-down', on: true });
    await server.trouble({ do: 'gateway-down', on: false });
    expect((await server.workbench()).gateway.down).toBe(false);
    await waitForResult('a fox in the dark');
  });
});

describe('Faults of Discord', () => {
  it('The bot resumes after its connection was lost', async () => {
    const { gateway } = server.stage.discord;
    const [identifies, resumes] = [gateway.identifies, gateway.resumes];
    expect((await server.trouble({ do: 'cut-socket' })).body.said).toMatch(/resume/);
    await server.waitFor(() => (gateway.resumes > resumes && gateway.sessions === 1 ? true : undefined));
    expect(gateway.identifies).toBe(identifies);
    expect((await server.act({ ...memberInStudio(), do: 'slash', name: 'models' })).status).toBe(200);
    expect((await server.workbench()).bot.starts).toBe(1);
  });

  it('Results arrive even if tokens expire and messages age during the jobs', async () => {
    await server.trouble({ do: 'speed', factor: 1 });
    await imagine('a fox without a token');
    await waitForState('a fox without a token', 'running');
    expect((await server.trouble({ do: 'end-tokens' })).body.said).toMatch(/another way/);
    await imagine('an old fox');
    await waitForState('an old fox', 'running');
    const messageBefore = await waitForMessage('an old fox', () => true);
    await server.trouble({ do: 'age-messages' });
    const messageAfter = (await server.messages(studio, 'member')).find(({ id }) => id === messageBefore.id);
    expect(Date.parse(messageBefore.timestamp) - Date.parse(messageAfter?.timestamp ?? '')).toBe(60 * 60 * 1_000);
    await server.trouble({ do: 'speed', factor: 50 });
    await waitForResult('a fox without a token');
    await waitForResult('an old fox');
    const rejectedRequests = (await server.workbench()).traffic.filter(
      ({ path, status }) => path.startsWith('/webhooks/') && status === 401,
    );
    expect(rejectedRequests.length).toBeGreaterThan(0);
  });
});

describe('Faults of the bot', () => {
  it('A bot that is killed during a job restarts and delivers the result', async () => {
    await server.trouble({ do: 'speed', factor: 1 });
    await imagine('a fox that outlives its bot');
    await waitForState('a fox that outlives its bot', 'running');
    const { pid = 0, starts } = (await server.workbench()).bot;
    expect((await server.trouble({ do: 'kill-bot' })).body.said).toMatch(/three seconds/);
    expect((await server.workbench()).bot.state).toBe('killed');
    expect(() => process.kill(pid, 0)).toThrow();
    expect((await server.trouble({ do: 'kill-bot' })).status).toBe(400);
    expect((await waitForBot('running')).starts).toBe(starts + 1);
    await server.trouble({ do: 'speed', factor: 50 });
    await waitForResult('a fox that outlives its bot');
    expect((await findJob('a fox that outlives its bot'))?.submits).toBe(1);
  });

  it('A stopped bot stays stopped until it is started, and commands fail as they would on Discord', async () => {
    await server.trouble({ do: 'stop-bot' });
    const { bot } = await server.workbench();
    expect(bot).toMatchObject({ state: 'stopped', exitCode: 0 });
    expect(bot.log.at(-1)?.text).toContain('Atelier has stopped.');
    const commandResult = await server.act({ ...memberInStudio(), do: 'slash', name: 'models' });
    expect(commandResult).toMatchObject({ status: 400, body: { error: 'The application did not respond' } });
    expect((await server.trouble({ do: 'stop-bot' })).status).toBe(400);
    expect((await server.trouble({ do: 'cut-socket' })).body.error).toMatch(/not connected/);
    await server.trouble({ do: 'start-bot' });
    expect((await server.trouble({ do: 'start-bot' })).status).toBe(400);
    expect((await waitForBot('running')).readyMs).toBeGreaterThan(0);
  });

  it('A crashed bot is shown with the end of its log and is not restarted', async () => {
    const { starts } = (await server.workbench()).bot;
    server.stage.discord.gateway.closeSessions(4004);
    const bot = await waitForBot('crashed');
    expect(bot).toMatchObject({ exitCode: 77, starts });
    expect(bot.log.at(-1)).toMatchObject({ level: 'fatal', text: expect.stringContaining('DISCORD_TOKEN') });
    await server.trouble({ do: 'start-bot' });
    expect((await waitForBot('running', 'crashed')).starts).toBe(starts + 1);
    // The process is already running before it has connected to Discord.
    const status = async () => (await server.act({ ...memberInStudio(), do: 'slash', name: 'models' })).status;
    await expect.poll(status).toBe(200);
  });
});
