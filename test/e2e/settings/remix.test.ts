import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Exchange } from '../../../sandbox/discord/exchange.ts';
import { noLimits } from '../../support/no-limits.ts';
import { startBot } from '../bot.ts';
import { createFastClockFixture, says, startFastClockBot } from '../quick.ts';
import { buttonIdOf, errorsIn, jobs, orderGrid, orders, pressAndWait } from '../tasks/fixture.ts';
import { changeSettings } from './fixture.ts';

const isDone = says('Finished in');
const promptIn = ({ components }: Awaited<ReturnType<Exchange['modal']>>) =>
  /"value":"([^"]*)"/.exec(JSON.stringify(components))?.[1];

describe('Remix', () => {
  it('With the setting, rerolls and zooms open the prompt first, after a restart too, and the edited prompt is submitted; others press the same buttons by their own settings', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await createFastClockFixture({ gateway: { speed: 20 }, settings: noLimits });
    const first = await startBot(fixture);
    const { discord, gateway } = fixture;
    const member = discord.as('member');
    await changeSettings(member, 'settings', 'Change replies', { remix: 'on' });
    await first.stop();
    await startBot(fixture);
    const grid = await orderGrid(fixture, { aspect: '3:2' });
    const rerollForm = await (await member.click(grid, '🔄')).modal();
    expect(orders(gateway)).toHaveLength(1);
    expect(promptIn(rerollForm)).toBe('a fox in the snow --ar 3:2');
    const rerolled = await (await member.fill(rerollForm, { words: 'a blue fox' })).message(isDone);
    expect(text(rerolled)).toContain('a blue fox');
    expect(orders(gateway).slice(1)).toMatchObject([{ path: '/imgx/submit/imagine', body: { prompt: 'a blue fox' } }]);

    await (await discord.as('other').click(grid, '🔄')).message(isDone);
    expect(orders(gateway).slice(2)).toMatchObject([{ path: '/imgx/submit/action' }]);

    const image = await pressAndWait(fixture, grid, 'U1');
    const upscale = jobs(gateway).at(-1);
    const zoomForm = await (await member.click(image, 'Zoom Out 1.5x')).modal();
    expect([zoomForm.title, promptIn(zoomForm)]).toEqual(['Zoom Out 1.5x', 'a fox in the snow --ar 3:2 --zoom 1.5']);
    const words = 'a fox in a wood --zoom 1.5';
    await (await member.fill(zoomForm, { words })).message(isDone);
    expect(orders(gateway).slice(4)).toMatchObject([
      { path: '/imgx/submit/action', body: { customId: upscale && buttonIdOf(upscale, 'Custom Zoom') } },
      { path: '/imgx/submit/modal', body: { prompt: words } },
    ]);
    // The gateway takes no prompt for these, so they are submitted at once.
    await pressAndWait(fixture, image, 'Vary (Subtle)');
    await pressAndWait(fixture, image, 'Make Square');
    expect(orders(gateway)).toHaveLength(8);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('On an account in remix mode, a member without the setting edits the prompt, and one whose setting is off submits it unchanged', async () => {
    const fixture = await startFastClockBot({
      gateway: { speed: 20, quirks: { remix: true } },
      settings: { ...noLimits, GATEWAY_REMIX: 'on' },
    });
    const { discord, gateway } = fixture;
    const other = discord.as('other');
    await changeSettings(other, 'settings', 'Change replies', { remix: 'off' });
    const grid = await orderGrid(fixture);
    for (const button of ['V2', '🔄']) {
      const form = await (await discord.as('member').click(grid, button)).modal();
      expect(promptIn(form)).toBe('a fox in the snow');
      const before = orders(gateway).length;
      const child = await (await other.click(grid, button)).message(isDone);
      expect(text(child)).toContain('a fox in the snow');
      expect(orders(gateway).slice(before)).toMatchObject([
        { path: '/imgx/submit/action' },
        { path: '/imgx/submit/modal', body: { prompt: 'a fox in the snow' } },
      ]);
    }
    expect(errorsIn(fixture)).toEqual([]);
  });
});
