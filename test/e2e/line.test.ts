import { describe, expect, it } from 'vitest';
import { text } from '../../sandbox/discord/discord.ts';
import { itVariants } from '../support/variants.ts';
import { startBot } from './bot.ts';
import { labels, says, startFastClockBot, submitCount } from './quick.ts';

describe('The queue', () => {
  it('A member sees their position in the queue, and Cancel removes their task from the queue at no cost', async () => {
    const { discord, gateway } = await startFastClockBot({
      gateway: { speed: 0.2 },
      settings: { GATEWAY_JOBS_AT_ONCE: '1' },
    });
    await (await discord.as('member').slash('imagine', { prompt: 'a fox' })).message(says('Queued'));
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a hare' });
    const waiting = await exchange.message(says('Position in the queue: **1**'));
    expect(text(waiting)).toContain('Waiting in the bot’s queue until the gateway can accept this task.');
    expect(labels(waiting)).toEqual(['Cancel']);
    const otherPress = await discord.as('other').click(waiting, 'Cancel');
    expect(text(await otherPress.ephemeral())).toMatch(/not yours|only/i);
    await discord.as('member').click(waiting, 'Cancel');
    const cancelled = await exchange.message(says('Canceled before it was sent. It cost nothing.'));
    expect(labels(cancelled)).toContain('Retry');
    expect(submitCount(gateway)).toBe(1);
  });

  it('A waiting task starts automatically, even after a restart, and its result appears in its message', async () => {
    const fixture = await startFastClockBot({ settings: { GATEWAY_JOBS_AT_ONCE: '1' } });
    const { discord, gateway, app } = fixture;
    await discord.as('member').slash('imagine', { prompt: 'a fox' });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a hare' });
    await exchange.message(says('Position in the queue'));
    await app.stop();
    await startBot(fixture);
    const result = await exchange.message(says('Finished in'));
    expect(result.attachments).not.toHaveLength(0);
    expect(submitCount(gateway)).toBe(2);
  });

  it('A private task in the queue says where its result will be posted if the wait is long', async () => {
    const { discord } = await startFastClockBot({
      gateway: { speed: 0.2 },
      settings: { GATEWAY_JOBS_AT_ONCE: '1' },
    });
    await discord.as('member').slash('imagine', { prompt: 'a fox' });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a hare', private: true });
    expect(text(await exchange.ephemeral(says('Position in the queue')))).toContain('as a direct message');
  });

  itVariants(['rate-limited', 'rate-limited-until', 'rate-limited-silent', 'saturated'] as const)(
    'A task waits instead of being refused if the gateway is full (%s)',
    async (fault) => {
      const { discord, gateway } = await startFastClockBot({ gateway: { speed: 20 } });
      gateway.faults.add({ on: { path: '/imgx/submit' }, do: fault, times: 1 });
      const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
      await exchange.message(says('the gateway cannot accept this task right now'));
      await exchange.message(says('Finished in'));
      expect(submitCount(gateway)).toBe(2);
    },
  );

  it('An exhausted account is reported to the operator, and later requests of the kind are refused immediately', async () => {
    const { discord, gateway } = await startFastClockBot();
    gateway.faults.add({ on: { path: '/imgx/submit' }, do: 'quota' });
    await (await discord.as('member').slash('imagine', { prompt: 'a fox' })).ephemeral(says('quota'));
    const refused = await discord.as('other').slash('imagine', { prompt: 'a hare' });
    expect(text(await refused.ephemeral())).toContain('no credit left');
    expect(submitCount(gateway)).toBe(1);
    await expect
      .poll(() => discord.messages(discord.openDirectMessage('owner').id).some(says('has no credit left')))
      .toBe(true);
    const about = await discord.as('owner').slash('about');
    expect(text(await about.ephemeral())).toContain('has no credit left');
  });

  it('The limit on waiting tasks is enforced, its reply explains the queue, and weights can be set only for members', async () => {
    const { discord, gateway } = await startFastClockBot({
      gateway: { speed: 0.2 },
      settings: { GATEWAY_JOBS_AT_ONCE: '1', DEFAULT_MEMBER_BUDGET: '1 waiting' },
    });
    const imagine = (prompt: string) => discord.as('member').slash('imagine', { prompt });
    await (await imagine('a fox')).message(says('Queued'));
    await (await imagine('a hare')).message(says('Position in the queue'));
    expect(text(await (await imagine('an owl')).ephemeral())).toContain('You can have at most 1 task in the queue.');
    const admin = discord.as('admin');
    const rejected = await admin.slash('budget set', { limits: 'weight 3' });
    expect(text(await rejected.ephemeral())).toContain('Weights apply only to members');
    const accepted = await admin.slash('budget set', { limits: '5 waiting, weight 3', for: 'members' });
    expect(text(await accepted.ephemeral())).toMatch(
      /5 waiting, weight 3\n.* beyond `at once` are refused, not queued/,
    );
    await (await imagine('an owl')).message(says('Position in the queue: **2**'));
    const usage = await discord.as('member').slash('usage');
    expect(text(await usage.message())).toContain(
      'Your remaining limit on this server: **3** of 5 places in the queue',
    );
    expect(submitCount(gateway)).toBe(1);
  });
});
