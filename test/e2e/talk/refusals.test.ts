import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { RealtimeFaultKind } from '../../../sandbox/gateway/realtime/fault.ts';
import { standingOf } from '../../../src/services/money/entry.ts';
import { itVariants } from '../../support/variants.ts';
import { GATEWAY_API_KEY } from '../bot.ts';
import { describeDialects } from '../profiles.ts';
import { labels, messagesWith } from '../quick.ts';
import { errorsIn } from '../tasks/fixture.ts';
import { hasEnded, sendUtterance, startTalk, startTalkBot, type TalkFixture, upgradeCount } from './fixture.ts';
import { chargedReplyCount, recordSessions, storedEntries, storedTasks } from './wire.ts';

const fastGateway = { seed: 1, speed: 10 };
const gatewayLimits = { readMs: 2_000, submitMs: 4_000, silenceMs: 4_000 };
const UPGRADE = { path: '/v1/realtime' } as const;

const threadsIn = ({ discord }: TalkFixture) =>
  [...discord.world.channels.values()].filter(({ name }) => name.startsWith('Live:'));

const refusals = [
  ['status 400', { type: 'status', status: 400, code: 'invalid_request' }, /live conversations/],
  ['status 401', { type: 'status', status: 401, code: 'invalid_api_key' }, /rejected this bot’s API key/],
  ['an exhausted quota', { type: 'status', status: 403, code: 'insufficient_user_quota' }, /gateway/],
  ['status 429', { type: 'status', status: 429, as: 'empty' }, /is busy/],
  ['an HTML page', { type: 'status', status: 502, as: 'html' }, /gateway/i],
  ['no response', { type: 'hang' }, /gateway/i],
  ['a closed connection', { type: 'reset' }, /gateway/i],
] as const;

describe('A live conversation with a failing gateway', () => {
  itVariants(refusals)(
    'A live conversation is refused with an explanation and leaves no thread, task or charge if the gateway fails with: %s',
    async (_, fault, expectedText) => {
      const fixture = await startTalkBot({
        gateway: fastGateway,
        gatewayLimits: { ...gatewayLimits, connectMs: 2_000 },
      });
      const { discord, gateway } = fixture;
      gateway.faults.add({ on: UPGRADE, do: fault, times: 20 });
      const reply = text(await (await discord.as('member').slash('talk start', {})).message());
      expect(reply).toMatch(expectedText);
      expect(reply).not.toMatch(new RegExp(`<html|${GATEWAY_API_KEY}`));
      expect(threadsIn(fixture)).toEqual([]);
      expect(storedTasks(fixture)).toEqual([]);
      expect(
        storedEntries(fixture)
          .map(standingOf)
          .filter((one) => one !== 'refunded'),
      ).toEqual([]);
      expect(errorsIn(fixture)).toEqual([]);
      gateway.faults.clear();
      // After a quota error, new live conversations are refused for two minutes.
      fixture.clock.advance(180_000);
      await startTalk(fixture);
    },
  );

  it('If the gateway fails while a session is reopened, the speaker is notified and the live conversation continues afterwards', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startTalkBot({ gateway: fastGateway, gatewayLimits });
    const { discord, gateway } = fixture;
    const sessionLog = recordSessions(gateway);
    const { opening } = await startTalk(fixture);
    await sendUtterance(fixture, opening, 'my name is Wren');
    gateway.faults.add({ on: UPGRADE, do: 'bad-gateway', times: 50 });
    gateway.realtime.dropAll();
    const speaker = discord.as('member');
    const modal = await (await speaker.click(opening, 'Speak')).modal();
    const refused = await (await speaker.fill(modal, { words: 'are you there?' })).message();
    expect([text(refused), labels(refused)]).toEqual([expect.stringContaining('gateway'), ['Correct it']]);
    expect(sessionLog.requestCount()).toBe(1);
    gateway.faults.clear();
    expect(text(await sendUtterance(fixture, opening, 'and now?'))).toContain(
      'The first of 2 things was: “my name is Wren”',
    );
    expect([sessionLog.requestCount(), chargedReplyCount(gateway)]).toEqual([2, 2]);
  });

  it('A live conversation ends with one notice if the gateway no longer accepts it', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startTalkBot({ gateway: fastGateway, gatewayLimits });
    const { discord, gateway } = fixture;
    const { thread, opening } = await startTalk(fixture);
    await sendUtterance(fixture, opening, 'hello');
    gateway.faults.add({ on: UPGRADE, do: { type: 'status', status: 404, code: 'model_not_found' }, times: 50 });
    gateway.realtime.dropAll();
    const speaker = discord.as('member');
    // The first refusal could be caused by the text; the second one ends the talk.
    for (const words of ['are you there?', 'are you still there?']) {
      const modal = await (await speaker.click(opening, 'Speak')).modal();
      expect(hasEnded(await (await speaker.fill(modal, { words })).message())).toBe(false);
    }
    const endNotices = () => messagesWith(discord, thread, 'ended unexpectedly');
    await discord.until(() => endNotices().length === 2 || undefined, 'its message and a notice');
    const requestCount = upgradeCount(gateway);
    expect(text(await (await speaker.in(thread).slash('talk end', {})).message())).toContain('no live conversation');
    expect(upgradeCount(gateway)).toBe(requestCount);
    expect(endNotices()).toHaveLength(2);
    await expect.poll(() => storedTasks(fixture).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
  });
});

describeDialects('A session that opens', (realtimeDialect) => {
  it('Members do not notice faults that occur while a session opens', { tags: ['breadth'] }, async () => {
    const fixture = await startTalkBot({ gateway: { ...fastGateway, quirks: { realtimeDialect } }, gatewayLimits });
    const { gateway } = fixture;
    const injectFault = (fault: RealtimeFaultKind) =>
      gateway.faults.add({ on: { kind: 'realtime' }, do: { type: 'realtime', how: fault } });
    injectFault('drop-updated');
    const { opening } = await startTalk(fixture);
    await sendUtterance(fixture, opening, 'my name is Wren');
    for (const fault of ['drop-open', 'hang-open', 'refuse-transcriber'] as const) {
      injectFault(fault);
      gateway.realtime.dropAll();
      expect(text(await sendUtterance(fixture, opening, `what of ${fault}?`))).toContain('was: “my name is Wren”');
    }
    expect(chargedReplyCount(gateway)).toBe(4);
    expect(errorsIn(fixture)).toEqual([]);
  });
});
