import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { profiles } from '../../contract/both.ts';
import { type QuickStage, quickBot, says, submits } from '../quick.ts';
import { bytesOf, grid, jobs } from './proof.ts';

const list = async ({ discord }: QuickStage, who = 'member'): Promise<Message> =>
  (await discord.as(who).slash('tasks')).message();

/** Asked for, and both questions answered with yes. */
async function forgotten(stage: QuickStage, who = 'member'): Promise<Message> {
  const member = stage.discord.as(who);
  const first = await (await member.click(await list(stage, who), 'Delete my data')).message(says('deletes all your'));
  const second = await (await member.click(first, 'Delete everything')).message(says('Really?'));
  return (await member.click(second, 'Yes, delete it for good')).message(says('Deleted:'));
}

const usedBy = async ({ discord }: QuickStage, who: string): Promise<string> =>
  text(await (await discord.as(who).slash('usage', { by: 'model' })).message());

describe.each(profiles)('a member’s own data at a gateway of the %s profile', (profile) => {
  it('comes as a file with everything in it but what lets others act', async () => {
    const stage = await quickBot({ gateway: { profile, speed: 20 } });
    await grid(stage, { prompt: 'a fox in the snow', private: true });
    await grid(stage, { prompt: 'an owl of somebody else' }, stage.discord.as('other'));
    const exported = await (await stage.discord.as('member').click(await list(stage), 'Export my data')).message();
    expect(exported.ephemeral).toBe(true);
    const json = (await bytesOf(exported)).toString();
    const data = JSON.parse(json) as { tasks: { request: object; remoteId: string }[]; ledger: { kind: string }[] };
    expect(data.tasks).toHaveLength(1);
    expect(data.tasks[0]).toMatchObject({ kind: 'imagine', request: { typed: 'a fox in the snow' } });
    expect(data.ledger).toMatchObject([
      { kind: 'imagine', facts: [{ standing: 'reserved' }, { standing: 'settled' }] },
    ]);
    expect(json).not.toMatch(/"token"|idempotencyKey|owl/);
  });

  it('is deleted with its messages, and nobody else’s', async () => {
    const stage = await quickBot({ gateway: { profile, speed: 20 } });
    const mine = await grid(stage);
    const theirs = await grid(stage, { prompt: 'an owl' }, stage.discord.as('other'));
    const done = await forgotten(stage);
    expect(text(done)).toContain('Deleted: 1 tasks and 1 messages');
    expect(stage.discord.messages('studio').map(({ id }) => id)).not.toContain(mine.id);
    expect(stage.discord.messages('studio').map(({ id }) => id)).toContain(theirs.id);
    expect(text(await list(stage))).toContain('Nothing fits');
    expect(await usedBy(stage, 'member')).not.toContain('imagine');
  });

  it('of a job under way goes when that ends, and is shown nowhere', async () => {
    const stage = await quickBot({ gateway: { profile, speed: 20 } });
    stage.gateway.faults.add({ do: 'stick' });
    const exchange = await stage.discord.as('member').slash('imagine', { prompt: 'a fox' });
    await exchange.message(says('%'));
    expect(text(await forgotten(stage))).toContain('1 job is still under way');
    const before = stage.discord.messages('studio').length;
    stage.gateway.jobs.finish(jobs(stage.gateway).at(-1)?.id ?? '');
    await expect.poll(async () => text(await list(stage)), { timeout: 20_000 }).toContain('Nothing fits');
    expect(stage.discord.messages('studio').filter(({ ephemeral }) => !ephemeral).length).toBeLessThanOrEqual(before);
    expect(submits(stage.gateway)).toBe(1);
  });
});
