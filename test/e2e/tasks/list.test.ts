import { describe, expect, it } from 'vitest';
import { type EmbeddedDiscord, text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { profiles } from '../../contract/both.ts';
import { labels, type QuickStage, quickBot, says } from '../quick.ts';
import { bytesOf, grid, jobs } from './proof.ts';

const day = 24 * 3_600_000;

const list = async ({ discord }: QuickStage, who: string, options = {}): Promise<Message> =>
  (await discord.as(who).slash('tasks', options)).message();

/** Opens the newest task of a list. */
async function opened(discord: EmbeddedDiscord, who: string, shown: Message): Promise<Message> {
  const options = (shown.components ?? [])
    .flatMap((row): { options?: { value: string }[] }[] => ('components' in row ? row.components : []) as object[])
    .flatMap((one) => one.options ?? []);
  const exchange = await discord.as(who).choose(shown, 'Open one of these', [options[0]?.value ?? '']);
  return exchange.message(says('Asked for'));
}

describe.each(profiles)('/tasks at a gateway of the %s profile', (profile) => {
  it('lists a member’s own work, newest first, to nobody else', async () => {
    const stage = await quickBot({ gateway: { profile, speed: 20 } });
    await grid(stage, { prompt: 'a fox in the snow' });
    await grid(stage, { prompt: 'an owl at night', private: true });
    const shown = await list(stage, 'member');
    expect(shown.ephemeral).toBe(true);
    expect(text(shown)).toMatch(/🟢 Imagine · an owl at night 🔒 · .*\n🟢 Imagine · a fox in the snow · /);
    expect(text(await list(stage, 'member', { text: 'owl' }))).not.toContain('fox');
    expect(text(await list(stage, 'member', { state: 'failed' }))).toContain('Nothing fits');
    expect(text(await list(stage, 'other'))).toContain('Nothing fits');
    const managed = text(await list(stage, 'admin', { whose: 'server' }));
    expect(managed).toContain('a fox in the snow');
    expect(managed).not.toContain('an owl at night');
    expect(text(await list(stage, 'member', { whose: 'server' }))).toContain('Only members who manage this server');
  });

  it('brings a result of three months ago back, as Discord keeps it, with buttons that work', async () => {
    const stage = await quickBot({ gateway: { profile, speed: 20 } });
    const before = await bytesOf(await grid(stage));
    const [job] = jobs(stage.gateway);
    stage.gateway.jobs.expireFiles(job?.id ?? '');
    stage.clock.putForward(90 * day);
    const page = await opened(stage.discord, 'member', await list(stage, 'member'));
    expect(labels(page)).toContain('Show here');
    const shown = await (await stage.discord.as('member').click(page, 'Show here')).message(says('Done in'));
    expect(shown.ephemeral).toBe(false);
    expect((await bytesOf(shown)).equals(before)).toBe(true);
    const upscaled = await (await stage.discord.as('member').click(shown, 'U2')).message(says('Done in'));
    expect(upscaled.attachments).toHaveLength(1);
  });
});
