import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import type { EmbeddedGateway } from '../../sandbox/gateway/gateway.ts';
import { type FixtureOptions, startBot } from './bot.ts';
import { createFastClockFixture, labels, says } from './quick.ts';

const ID = 'ft-sandbox-1';
const path = `/v1/fine-tunes/${ID}/events`;
const minute = 60_000;

/** Starts a bot whose admin server is `atelier`. The gateway returns only the events that the test sets. */
async function startFixture(options: FixtureOptions = {}) {
  const baseFixture = await createFastClockFixture(options);
  const { discord, config } = baseFixture;
  const adminGuildIds = [discord.world.guild('atelier').id];
  const fixture = { ...baseFixture, config: { ...config, discord: { ...config.discord, adminGuildIds } } };
  return { ...fixture, app: await startBot(fixture), restart: () => startBot(fixture) };
}

const event = (created_at: number, message: string, level = 'info') => ({
  object: 'fine-tune-event',
  created_at,
  level,
  message,
});

/** Sets the events that the gateway returns from now on. */
function setEvents({ faults }: EmbeddedGateway, events: readonly object[]): void {
  faults.clear();
  const body = { object: 'list', data: events } as never;
  faults.add({ on: { path }, do: { type: 'body', body }, times: 1_000_000 });
}

const pollCount = (gateway: EmbeddedGateway): number => gateway.requests.filter((one) => one.path === path).length;

/** The text as a reader sees it, without the zero-width spaces after backticks. */
const visibleText = (message: Message): string => text(message).replaceAll('`\u200b', '`');

async function attachmentText(message: Message): Promise<string> {
  return (await fetch(message.attachments[0]?.url ?? '')).text();
}

describe('/finetune', () => {
  it('/finetune shows the events to a manager ephemerally, in chronological order, with level and raw text', async () => {
    const { discord, gateway } = await startFixture();
    const raw =
      '**epoch** `1`_2_ ~~3~~ ||4|| <@1> @everyone # head\n> quote\n- [a](https://b.example/c_d) ```x``` \\ done';
    setEvents(gateway, [event(1_700_000_060, 'later', 'warn'), event(1_700_000_000, raw)]);
    const exchange = await discord.as('admin').slash('finetune', { id: ID });
    expect((await exchange.acknowledged()).ephemeral).toBe(true);
    const message = await exchange.message();
    expect(visibleText(message)).toContain(`11/14/2023, 22:13:20  info  ${raw}`);
    expect(visibleText(message).indexOf(raw)).toBeLessThan(visibleText(message).indexOf('later'));
    expect(visibleText(message)).toContain('11/14/2023, 22:14:20  warn  later');
    expect(text(message).split('```')).toHaveLength(3);
    expect(await attachmentText(message)).toContain(`\tinfo\t${raw}\n`);
  });

  it('/finetune pages through a long list, newest last, and offers all of it as a file', {
    tags: ['breadth'],
  }, async () => {
    const { discord, gateway } = await startFixture();
    const events = Array.from({ length: 300 }, (_, index) =>
      event(1_700_000_000 + index, `step ${index}: a *loss* of 0.${index}`),
    );
    setEvents(gateway, events);
    const admin = discord.as('admin');
    const newest = await (await admin.slash('finetune', { id: ID })).message();
    expect(visibleText(newest)).toMatch(/300 events, page (\d+) of \1 \(times in UTC\)$/m);
    expect(visibleText(newest)).toContain('step 299: a *loss* of 0.299');
    expect(newest.content.length).toBeLessThanOrEqual(2_000);
    expect((await attachmentText(newest)).split('\n')).toHaveLength(301);
    expect(await attachmentText(newest)).toContain('\tinfo\tstep 7: a *loss* of 0.7\n');
    const previousPage = await (await admin.click(newest, 'Previous')).message();
    expect(visibleText(previousPage)).not.toContain('step 299');
    const nextPage = await (await admin.click(previousPage, 'Next')).message(says('step 299'));
    expect(visibleText(nextPage)).toContain('step 299');
  });

  it('/finetune is refused to members who are neither operator nor manager, without a request to the gateway', async () => {
    const { discord, gateway } = await startFixture();
    expect(text(await (await discord.as('member').slash('finetune', { id: ID })).message())).toContain(
      'Only the operator and, on an admin server of the bot, its admins',
    );
    expect(pollCount(gateway)).toBe(0);
    setEvents(gateway, [event(1_700_000_000, 'begun')]);
    const owner = discord.as('owner').in('elsewhere/hall');
    expect(visibleText(await (await owner.slash('finetune', { id: ID })).message())).toContain('begun');
  });

  it('/finetune explains a missing endpoint, an unknown fine-tuning job and an invalid id', async () => {
    const { discord, gateway } = await startFixture({ gateway: { profile: 'stock' } });
    const admin = discord.as('admin');
    const replyFor = async (id: string) => text(await (await admin.slash('finetune', { id })).message());
    expect(await replyFor(ID)).toContain('This gateway does not support events of fine-tuning jobs');
    gateway.settings.quirks.fineTunesMissing = false;
    expect(await replyFor('ft-unknown')).toMatch(/does not know the fine-tuning job .*ft-unknown/);
    const requestCountBefore = gateway.requests.length;
    expect(text(await (await admin.slash('finetune', { id: 'ü'.repeat(50) })).message())).toContain(
      'not the ID of a fine-tuning job',
    );
    expect(gateway.requests).toHaveLength(requestCountBefore);
  });
});

describe('A followed fine-tuning job', () => {
  it('The message of a followed fine-tuning job is updated until the member stops following it, even if an event says that the job has ended', async () => {
    const { discord, gateway } = await startFixture();
    setEvents(gateway, [event(1_700_000_000, 'Fine-tune started')]);
    const admin = discord.as('admin');
    const exchange = await admin.slash('finetune', { id: ID, follow: true });
    const first = await exchange.message();
    expect(labels(first)).toEqual(['Stop following']);
    expect(text(first)).toMatch(/Updated automatically until <t:\d+:t>, or until nothing new arrives for 10 min/);
    setEvents(gateway, [event(1_700_000_000, 'Fine-tune started'), event(1_700_000_009, 'Fine-tune succeeded')]);
    const second = await exchange.message((message) => visibleText(message).includes('Fine-tune succeeded'));
    // An event that says that the job has succeeded does not end the updates.
    expect(labels(second)).toEqual(['Stop following']);
    const stopped = await (await admin.click(second, 'Stop following')).message(
      says('No longer updated: a member stopped that.'),
    );
    expect(visibleText(stopped)).toContain('Fine-tune succeeded');
    expect(labels(stopped)).toEqual(['Follow']);
    setEvents(gateway, [event(1_700_000_020, 'too late for you')]);
    const repeated = await (await admin.click(stopped, 'Follow')).message(says('Updated automatically'));
    expect(visibleText(repeated)).toContain('too late for you');
  });

  it('The message of a followed fine-tuning job stops updating, and says so, when no new event has arrived for the configured time', {
    tags: ['breadth'],
  }, async () => {
    const { discord, gateway, clock } = await startFixture({ settings: { FOLLOW_QUIET_SECONDS: '120' } });
    setEvents(gateway, [event(1_700_000_000, 'begun')]);
    const exchange = await discord.as('admin').slash('finetune', { id: ID, follow: true });
    await exchange.message();
    clock.advance(2 * minute);
    const lastMessage = await exchange.message(says('nothing new arrived'));
    expect(visibleText(lastMessage)).toContain('begun');
    const pollsBefore = pollCount(gateway);
    clock.advance(5 * minute);
    expect(pollCount(gateway)).toBe(pollsBefore);
  });

  it('The message of a followed fine-tuning job stops updating a minute before its interaction token expires, and its button resumes the updates', {
    tags: ['breadth'],
  }, async () => {
    const { discord, gateway, clock } = await startFixture();
    setEvents(gateway, [event(1_700_000_000, 'begun')]);
    const admin = discord.as('admin');
    const exchange = await admin.slash('finetune', { id: ID, follow: true });
    await exchange.message();
    clock.advance(8 * minute);
    setEvents(gateway, [event(1_700_000_000, 'begun'), event(1_700_000_300, 'still at it')]);
    await exchange.message((message) => visibleText(message).includes('still at it'));
    clock.advance(5.7 * minute);
    const lastMessage = await exchange.message(says('for only 15 minutes'));
    const renewed = await (await admin.click(lastMessage, 'Follow')).message(says('Updated automatically'));
    expect(visibleText(renewed)).toContain('still at it');
  });

  it('A followed fine-tuning job is still followed after a restart', async () => {
    const { discord, gateway, app, restart } = await startFixture();
    setEvents(gateway, [event(1_700_000_000, 'begun')]);
    const exchange = await discord.as('admin').slash('finetune', { id: ID, follow: true });
    await exchange.message();
    await app.stop();
    setEvents(gateway, [event(1_700_000_000, 'begun'), event(1_700_000_060, 'during the downtime')]);
    await restart();
    const updated = await exchange.message((message) => visibleText(message).includes('during the downtime'));
    expect(labels(updated)).toEqual(['Stop following']);
  });

  it('The message of a followed fine-tuning job survives an outage of the gateway and stops updating when the gateway no longer has the job', {
    tags: ['breadth'],
  }, async () => {
    const { discord, gateway } = await startFixture();
    setEvents(gateway, [event(1_700_000_000, 'begun')]);
    const exchange = await discord.as('admin').slash('finetune', { id: ID, follow: true });
    await exchange.message();
    gateway.faults.clear();
    gateway.faults.add({ on: { path }, do: 'bad-gateway', times: 2 });
    gateway.faults.add({
      on: { path },
      do: { type: 'body', body: { data: [event(1_700_000_000, 'begun'), event(1_700_000_001, 'back again')] } },
    });
    gateway.faults.add({ on: { path }, do: { type: 'status', status: 404 }, times: 9 });
    const lastMessage = await exchange.message(says('the gateway no longer lists the events of this job'));
    expect(visibleText(lastMessage)).toContain('back again');
  });
});
