import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { shippedArgs } from '../../support/shipped.ts';
import { createFixture, type Fixture, GATEWAY_API_KEY } from '../bot.ts';
import { labels } from '../quick.ts';
import { hasEnded, modelRequests, models } from './fixture.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const runningProcesses: ChildProcess[] = [];

afterEach(async () => {
  for (const child of runningProcesses.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const exitEvent = once(child, 'exit');
    child.kill('SIGKILL');
    await exitEvent;
  }
});

/** Starts the shipped bot as a separate process. */
function spawnBot({ discord, gateway, config }: Fixture) {
  const child = spawn(process.execPath, shippedArgs('src/index.ts'), {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? '',
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      GATEWAY_BASE_URL: gateway.url,
      GATEWAY_API_KEY,
      STORE_URL: config.store.url,
      ...models,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  runningProcesses.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { child, log: () => output, exitCode: once(child, 'exit') };
}

async function startBot(fixture: Fixture) {
  const bot = spawnBot(fixture);
  await expect.poll(bot.log).toContain('Atelier is ready.');
  return bot;
}

/** Waits for a further message of the answer that is longer than this. */
const waitForFurtherMessage = ({ discord }: Fixture, minLength: number) =>
  discord.until(() => discord.messages('studio').find((one, index) => index > 0 && text(one).length > minLength));

it('A bot that is killed during a stream edits the message after the restart and keeps what had arrived', {
  tags: ['breadth'],
}, async () => {
  const fixture = await createFixture({ gateway: { seed: 1 } });
  const first = await startBot(fixture);
  const exchange = await fixture.discord.as('member').slash('ask', { prompt: 'tell me of the snow, 2000 words' });
  // By then, the text has been stored at least once.
  await waitForFurtherMessage(fixture, 300);
  first.child.kill('SIGKILL');
  await first.exitCode;
  const second = await startBot(fixture);
  const brokenAnswer = await exchange.message(hasEnded);
  expect(text(brokenAnswer)).toContain('was stopped before');
  expect(text(brokenAnswer)).toContain('This is the sandbox speaking');
  expect(modelRequests(fixture.gateway)).toHaveLength(1);
  expect(second.log()).not.toContain('of the snow');
});

it('A bot that is killed while it posts a further message finds it again and shows its text once', {
  tags: ['breadth'],
}, async () => {
  const fixture = await createFixture({ gateway: { seed: 1 } });
  const first = await startBot(fixture);
  // Each start is reported to the operator in another channel.
  const studioPosts = { method: 'POST', route: `/channels/${fixture.discord.world.channel('studio').id}/messages` };
  fixture.discord.faults.add({ on: studioPosts, do: { type: 'hang', done: true } });
  const exchange = await fixture.discord.as('member').slash('ask', { prompt: 'tell me of the snow, 2000 words' });
  await waitForFurtherMessage(fixture, 0);
  first.child.kill('SIGKILL');
  await first.exitCode;
  await startBot(fixture);
  await exchange.message(hasEnded);
  const postRequests = fixture.discord.requests.filter(
    ({ method, path }) => method === studioPosts.method && path === studioPosts.route,
  );
  const furtherMessages = fixture.discord.messages('studio').slice(1);
  expect(new Set(furtherMessages.map(text)).size).toBe(furtherMessages.length);
  expect(postRequests).toHaveLength(furtherMessages.length);
});

it('An approved tool call cannot be approved again if the bot is killed while submitting its order', {
  tags: ['breadth'],
}, async () => {
  const fixture = await createFixture({ gateway: { seed: 1, speed: 20 } });
  const orders = () => fixture.gateway.requests.filter(({ path }) => path.includes('/images/'));
  fixture.gateway.faults.add({ on: { path: /\/images\// }, do: 'accepted-then-hang' });
  const first = await startBot(fixture);
  const member = fixture.discord.as('member');
  const exchange = await member.slash('ask', { prompt: 'make an image of a fox' });
  const approvalRequest = await exchange.message((message) => labels(message).includes('Approve'));
  const approval = await member.click(approvalRequest, 'Approve');
  await expect.poll(orders).toHaveLength(1);
  first.child.kill('SIGKILL');
  await first.exitCode;
  await startBot(fixture);
  const brokenAnswer = await exchange.message(hasEnded);
  expect(text(brokenAnswer)).toContain('was stopped before');
  expect(text(brokenAnswer)).toContain('You approved an image');
  expect(labels(brokenAnswer)).not.toContain('Approve');
  // The task of the first approval shows its own outcome.
  await approval.message((message) => labels(message).includes('Dismiss'));
  expect(orders()).toHaveLength(1);
  expect(modelRequests(fixture.gateway)).toHaveLength(1);
});
