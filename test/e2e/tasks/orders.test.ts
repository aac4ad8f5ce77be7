import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Fault } from '../../../sandbox/gateway/fault.ts';
import { faultPresets, type PresetName } from '../../../sandbox/gateway/fault-presets.ts';
import { noLimits } from '../../support/no-limits.ts';
import { labels, says, startFastClockBot, submitCount } from '../quick.ts';
import { openTask, openTaskList } from './pages.ts';

/** Responses with which the gateway refuses a request, each with the text that a member reads. */
const refusals = {
  quota: 'used up',
  unauthorized: 'rejected this bot’s API key',
  'too-large': 'The gateway refused this',
} satisfies Partial<Record<PresetName, string>>;

/** Failures after which it is unknown whether the request was accepted. */
const ambiguousFaults = [
  'server-error',
  'bad-gateway',
  'gateway-timeout',
  'empty',
  'half',
  'lying',
  'cut',
  'hang',
  'reset',
  'accepted-then-500',
  'accepted-then-hang',
  'accepted-then-reset',
] satisfies PresetName[];

const submitRoute = { path: /\/submit\// };

describe('A request', () => {
  it.each(Object.entries(refusals))(
    'A refused order (%s) shows the reason and leaves nothing behind',
    async (name, words) => {
      const { discord, gateway, app } = await startFastClockBot({ gateway: { speed: 20 } });
      gateway.faults.add({ on: submitRoute, do: name as PresetName });
      const member = discord.as('member');
      const exchange = await member.slash('imagine', { prompt: 'a fox' });
      expect(text(await exchange.message())).toContain(words);
      expect(submitCount(gateway)).toBe(1);
      expect(text(await (await member.slash('about')).message())).toContain('Tasks in progress: 0');
      await app.stop();
    },
  );

  it('A request with an unknown outcome is left for its owner to decide and never resubmitted automatically', async () => {
    const { discord, gateway, clock } = await startFastClockBot({
      gateway: { speed: 20 },
      gatewayLimits: { submitMs: 1_500 },
      settings: noLimits,
    });
    const member = discord.as('member');
    for (const [index, name] of ambiguousFaults.entries()) {
      gateway.faults.add({ on: submitRoute, do: name });
      const message = await (await member.slash('imagine', { prompt: `a fox and ${name}` })).message();
      expect(text(message), name).toContain('couldn’t confirm whether the gateway accepted this');
      expect(text(message), name).not.toContain('127.0.0.1');
      expect(labels(message), name).toEqual(['Try again (may be charged twice)', 'Dismiss']);
      clock.advance(120_000);
      expect(text(await (await member.slash('about')).message()), name).toContain('Tasks in progress: 0');
      expect(submitCount(gateway), name).toBe(index + 1);
    }
  });

  it('A request whose response arrives slowly is delivered', async () => {
    const { discord, gateway } = await startFastClockBot({ gateway: { speed: 20 } });
    gateway.faults.add({ on: submitRoute, do: { type: 'drip', bytes: 20, everyMs: 5 } });
    await (await discord.as('member').slash('imagine', { prompt: 'a fox' })).message(says('Finished in'));
    expect(submitCount(gateway)).toBe(1);
  });

  it('A redirected order is refused, and the redirect is not followed', async () => {
    const { discord, gateway } = await startFastClockBot();
    const redirect: Fault = { type: 'redirect', to: 'https://elsewhere.example/submit' };
    gateway.faults.add({ on: submitRoute, do: redirect });
    const message = await (await discord.as('member').slash('imagine', { prompt: 'a fox' })).message();
    expect(text(message)).toContain('does not support this feature');
    expect(submitCount(gateway)).toBe(1);
  });

  it('A request with an ambiguous response is refused or left for its owner to decide, and not resubmitted', async () => {
    const { discord, gateway } = await startFastClockBot({ gateway: { speed: 20 }, settings: noLimits });
    for (const [index, name] of (['error-in-200', 'success-false', 'unavailable'] as const).entries()) {
      gateway.faults.add({ on: submitRoute, do: name });
      const exchange = await discord.as('member').slash('imagine', { prompt: `a fox and ${name}` });
      expect(text(await exchange.message())).toMatch(
        /couldn’t confirm|The gateway (refused this|is temporarily unavailable)/,
      );
      expect(submitCount(gateway), name).toBe(index + 1);
    }
  });
});

it('The submit tests cover every fault that a response can have', () => {
  const jobFaults = ['stick', 'fail', 'slow', 'lose-files', 'huge-file', 'no-media', 'imposter', 'no-buttons'];
  const responseFaults = Object.entries(faultPresets)
    // Faults of text streams, live sessions and callbacks have their own tests.
    .filter(([, { type }]) => !['text', 'realtime', 'callbacks'].includes(type) && !jobFaults.includes(type))
    .map(([name]) => name)
    .filter((name) => name !== 'answer-after-callbacks');
  const rateLimitFaults = ['rate-limited', 'rate-limited-silent', 'rate-limited-until', 'saturated'];
  const testedFaults = [
    ...Object.keys(refusals),
    ...rateLimitFaults,
    ...ambiguousFaults,
    'drip',
    'error-in-200',
    'success-false',
    'unavailable',
  ];
  expect(responseFaults.toSorted()).toEqual(testedFaults.toSorted());
});

describe('A request with an unknown outcome', () => {
  async function botWithUnknownOutcome() {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    fixture.gateway.faults.add({ on: submitRoute, do: 'accepted-then-reset' });
    const message = await (await fixture.discord.as('member').slash('imagine', { prompt: 'a fox' })).message();
    return { ...fixture, message };
  }

  it('The owner of a request with an unknown outcome can retry it in the same message, and only once, however often the button is pressed', async () => {
    const { discord, gateway, message } = await botWithUnknownOutcome();
    const member = discord.as('member');
    const presses = await Promise.all([1, 2].map(() => member.click(message, 'Try again (may be charged twice)')));
    await discord.until(() =>
      discord.messages('studio').find((one) => one.id === message.id && says('Finished in')(one)),
    );
    expect(submitCount(gateway)).toBe(2);
    const replies = presses.flatMap((press) => press.followUps());
    expect(replies.map(text)).toEqual([expect.stringContaining('already been resubmitted')]);
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toHaveLength(1);
  });

  it('A request that was retried from its page can no longer be retried from its message', async () => {
    const fixture = await botWithUnknownOutcome();
    const { discord, message } = fixture;
    const page = await openTask(fixture, await openTaskList(fixture));
    await (await discord.as('member').click(page, 'Try again (may be charged twice)')).message(says('Finished in'));
    const buttons = () =>
      discord
        .messages('studio')
        .filter(({ id }) => id === message.id)
        .map(labels);
    await expect.poll(buttons).toEqual([['Dismiss']]);
  });

  it('A request with an unknown outcome can be retried again after a refused retry', async () => {
    const { discord, gateway, message } = await botWithUnknownOutcome();
    const member = discord.as('member');
    gateway.faults.add({ on: submitRoute, do: 'unauthorized' });
    const refused = await member.click(message, 'Try again (may be charged twice)');
    expect(text(await refused.followUp())).toContain('rejected this bot’s API key');
    await member.click(message, 'Try again (may be charged twice)');
    await discord.until(() =>
      discord.messages('studio').find((one) => one.id === message.id && says('Finished in')(one)),
    );
    expect(submitCount(gateway)).toBe(3);
  });

  it('Only the owner of a request with an unknown outcome can dismiss it', async () => {
    const { message, ...fixture } = await botWithUnknownOutcome();
    const { discord, gateway } = fixture;
    const refused = await discord.as('other').click(message, 'Dismiss');
    expect(text(await refused.followUp())).toContain('Only the member who requested');
    const dismissed = await (await discord.as('member').click(message, 'Dismiss')).message();
    expect(text(dismissed)).toContain('Dismissed');
    expect(labels(dismissed)).toEqual(['Delete']);
    expect(submitCount(gateway)).toBe(1);
    const list = await openTaskList(fixture);
    expect(JSON.stringify(list.components)).toContain('Imagine · Dismissed, outcome unknown');
    expect(text(await openTask(fixture, list))).toContain('Dismissed, outcome unknown');
  });
});
