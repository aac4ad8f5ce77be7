import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { startBot } from '../bot.ts';
import { describeProfiles } from '../profiles.ts';
import { createFastClockFixture, type FastClockFixture, labels, says, startFastClockBot } from '../quick.ts';
import { hasEnded, latestAnswer, modelRequests, models } from './fixture.ts';

type Item = { type?: string; output?: string };

const outputs = (body: Record<string, unknown> | undefined): string[] =>
  ((body?.input ?? []) as Item[]).flatMap(({ type, output }) =>
    type === 'function_call_output' ? [output ?? ''] : [],
  );

const approvalId = (message: Message): string | undefined =>
  /"custom_id":"([^"]+)","label":"Approve"/.exec(JSON.stringify(message.components))?.[1];

describeProfiles('The tools of /ask', (profile) => {
  /** Tools depend on the list of models, and the bot waits only a second for it, which passes almost at once on the fast clock. */
  const waitForModels = async ({ discord }: FastClockFixture): Promise<void> =>
    void (await (await discord.as('member').slash('models')).message());
  const startFixture = async () => {
    const fixture = await startFastClockBot({ settings: models, gateway: { profile, speed: 20 } });
    await waitForModels(fixture);
    return fixture;
  };

  it('An approved tool call creates an image in a separate message, and the answer continues', async () => {
    const { discord, gateway } = await startFixture();
    const member = discord.as('member');
    const exchange = await member.slash('ask', { prompt: 'make an image of a fox' });
    const approvalRequest = await exchange.message((message) => labels(message).includes('Approve'));
    expect(text(approvalRequest)).toContain('Image: make an image of a fox');
    expect(gateway.requests.filter(({ path }) => path.includes('/images/'))).toEqual([]);
    const image = await (await member.click(approvalRequest, 'Approve')).message(says('Finished in'));
    expect(text(image)).toContain('Suggested in [this answer](https://discord.com/channels/');
    expect(image.attachments).toHaveLength(1);
    const final = await exchange.message(hasEnded);
    expect(text(final)).toContain('Submitted an image task');
    expect(text(final)).toContain(latestAnswer(gateway));
    expect(modelRequests(gateway)).toHaveLength(2);
    expect(outputs(modelRequests(gateway).at(-1))).toEqual([expect.stringContaining('said yes')]);
  });

  it('A tool call that waits for approval shows what it would cost', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atelier-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const prices = join(folder, 'prices.json');
    await writeFile(prices, JSON.stringify({ image: '0.123' }));
    const fixture = await startFastClockBot({
      settings: { ...models, PRICES: prices },
      gateway: { profile, speed: 20 },
    });
    await waitForModels(fixture);
    const { discord } = fixture;
    const exchange = await discord.as('member').slash('ask', { prompt: 'make an image of a fox' });
    const approvalRequest = await exchange.message((message) => labels(message).includes('Approve'));
    expect(text(approvalRequest)).toContain('\nImage (≈ $0.123): make an image of a fox');
  });

  it('A declined tool call creates nothing, and the model is informed', async () => {
    const { discord, gateway } = await startFixture();
    const member = discord.as('member');
    const exchange = await member.slash('ask', { prompt: 'make an image of a fox' });
    const approvalRequest = await exchange.message((message) => labels(message).includes('Decline'));
    const refusal = await (await discord.as('other').click(approvalRequest, 'Approve')).message();
    expect(text(refusal)).toContain('Only the member who requested');
    await member.click(approvalRequest, 'Decline');
    const final = await exchange.message(hasEnded);
    expect(text(final)).toContain('You declined an image');
    expect(outputs(modelRequests(gateway).at(-1))).toEqual([expect.stringContaining('said no')]);
    expect(gateway.requests.filter(({ path }) => path.includes('/images/'))).toEqual([]);
  });

  it('A tool call is submitted only once, however often it is approved, and not at all after its answer was stopped', async () => {
    const { discord, gateway, clock } = await startFixture();
    const member = discord.as('member');
    const imageSubmits = () =>
      gateway.requests.filter(({ method, path }) => method === 'POST' && path.includes('/images/'));
    const exchange = await member.slash('ask', { prompt: 'make an image of a fox' });
    const approvalRequest = await exchange.message((message) => labels(message).includes('Approve'));
    await Promise.all([member.click(approvalRequest, 'Approve'), member.click(approvalRequest, 'Approve')]);
    await exchange.message(hasEnded);
    expect(imageSubmits()).toHaveLength(1);
    clock.advance(10_000);
    const secondExchange = await member.slash('ask', { prompt: 'make an image of a hare' });
    const secondRequest = await secondExchange.message(
      (message) => labels(message).includes('Stop') && labels(message).includes('Decline'),
    );
    await member.click(secondRequest, 'Stop');
    expect(text(await secondExchange.message(hasEnded))).toContain('Stopped.');
    expect(imageSubmits()).toHaveLength(1);
  });

  it('The buttons of a response never stand for a call of a later one', async () => {
    const { discord, gateway } = await startFixture();
    const member = discord.as('member');
    gateway.faults.add({ on: { path: '/v1/responses' }, times: Number.POSITIVE_INFINITY, do: 'text-calls-tools' });
    const exchange = await member.slash('ask', { prompt: 'make an image of a fox' });
    const isAsking = (message: Message): boolean => labels(message).includes('Approve');
    const asked = await exchange.message(isAsking);
    await member.click(asked, 'Decline');
    const askedAgain = await exchange.message((one) => isAsking(one) && says('You declined an image')(one));
    expect(approvalId(askedAgain)).toMatch(/^allow\./);
    expect(approvalId(askedAgain)).not.toBe(approvalId(asked));
  });

  it('A tool call can be approved again after the gateway refused its order', { tags: ['breadth'] }, async () => {
    const { discord, gateway, clock } = await startFixture();
    const member = discord.as('member');
    gateway.faults.add({ on: { path: /\/images\// }, do: 'quota' });
    const exchange = await member.slash('ask', { prompt: 'make an image of a fox' });
    const approvalRequest = await exchange.message((message) => labels(message).includes('Approve'));
    const refused = await (await member.click(approvalRequest, 'Approve')).message(says('used up'));
    expect(labels(refused)).toEqual([]);
    const secondRequest = await exchange.message((message) => labels(message).includes('Approve'));
    expect(modelRequests(gateway)).toHaveLength(1);
    // New images are refused for two minutes.
    clock.advance(180_000);
    await (await member.click(secondRequest, 'Approve')).message(says('Finished in'));
    const final = await exchange.message(hasEnded);
    expect(text(final)).toContain('Submitted an image task');
    expect(modelRequests(gateway)).toHaveLength(2);
  });

  it('Tools that read models and public tasks need no approval, and their outputs are sent together in one request', {
    tags: ['breadth'],
  }, async () => {
    const { discord, gateway } = await startFixture();
    const member = discord.as('member');
    await (await member.slash('imagine', { prompt: 'a public fox' })).message(says('Finished in'));
    await (await member.slash('imagine', { prompt: 'a hidden hare', private: true })).message(says('Finished in'));
    const exchange = await member.slash('ask', { prompt: 'find models and list my tasks' });
    const final = await exchange.message(hasEnded);
    expect(text(final)).toContain('Searched for models');
    expect(text(final)).toContain('Looked up your public tasks');
    expect(modelRequests(gateway)).toHaveLength(2);
    const toolOutputs = outputs(modelRequests(gateway).at(-1));
    expect(toolOutputs).toHaveLength(2);
    expect(toolOutputs.join()).toContain('a public fox');
    expect(toolOutputs.join()).not.toContain('hare');
  });

  it('A tool call still waits for approval after a restart', async () => {
    const fixture = await createFastClockFixture({ settings: models, gateway: { profile, speed: 20 } });
    const { discord, gateway } = fixture;
    const app = await startBot(fixture);
    await waitForModels(fixture);
    const member = discord.as('member');
    const exchange = await member.slash('ask', { prompt: 'make an image of a fox' });
    const approvalRequest = await exchange.message((message) => labels(message).includes('Approve'));
    await app.stop();
    await startBot(fixture);
    await waitForModels(fixture);
    await (await member.click(approvalRequest, 'Approve')).message(says('Finished in'));
    expect(text(await exchange.message(hasEnded))).toContain(latestAnswer(gateway));
  });
});
