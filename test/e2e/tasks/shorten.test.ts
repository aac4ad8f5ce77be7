import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { quickBot, says } from '../quick.ts';
import { orders } from './proof.ts';

describe.each(['spec', 'stock'] as const)('/shorten at a %s gateway', (profile) => {
  it('shows the shorter words', async () => {
    const { discord, gateway } = await quickBot({ gateway: { profile, speed: 20 } });
    const exchange = await discord.as('member').slash('shorten', { prompt: 'a very long description of a red fox' });
    const message = await exchange.message(says('Done in'));
    expect(orders(gateway)).toEqual([
      { path: '/imgx/submit/shorten', body: { prompt: 'a very long description of a red fox' } },
    ]);
    expect(text(message)).toContain('red fox');
  });
});
