import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { profiles } from '../../contract/both.ts';
import { labels, quickBot, says, submits } from '../quick.ts';
import { list, openTask, publicMessages } from './pages.ts';
import { bytesOf, errorsIn, grid, jobs } from './proof.ts';

const DAY_MS = 24 * 3_600_000;

/** The operator's prices in a configured file. */
function prices(): { PRICES: string } {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-prices-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'prices.json'), '{"imagine":"0.05"}');
  return { PRICES: join(folder, 'prices.json') };
}

const onSubmit = { path: /\/submit\// };

describe.each(profiles)('The page of a task with the %s gateway profile', (profile) => {
  it('The page of a task shows its cost, can delete its message and stays open', async () => {
    const stage = await quickBot({ gateway: { profile, speed: 20 }, settings: prices() });
    const shown = await grid(stage);
    const page = await openTask(stage, await list(stage));
    expect(text(page)).toContain(
      profile === 'stock' ? 'Cost: $0.0371428571428572' : 'Cost: ≈ $0.05 (from the operator’s prices)',
    );
    expect(text(page)).toContain(`/${shown.id}`);
    const member = stage.discord.as('member');
    expect(text(await (await member.click(page, 'Delete message')).message(says('has been deleted')))).toContain(
      'kept',
    );
    expect(publicMessages(stage)).toEqual([]);
    const second = await openTask(stage, await (await member.click(page, 'Back')).message(says('Your tasks')));
    expect(labels(second)).not.toContain('Delete message');
    // Discord's copy has been deleted, so the file comes from the gateway.
    const back = await (await member.click(second, 'Show here')).message(says('Finished in'));
    expect(back.attachments).toHaveLength(1);
    expect(errorsIn(stage)).toEqual([]);
  });

  it('The page of a task shows a public result in public again and a private one ephemerally', async () => {
    const stage = await quickBot({ gateway: { profile, speed: 20 } });
    const member = stage.discord.as('member');
    stage.gateway.faults.add({ do: 'fail', times: 2 });
    await (await member.slash('imagine', { prompt: 'a fox' })).message(says('This task failed'));
    await (await member.slash('imagine', { prompt: 'an owl', private: true })).message(says('This task failed'));
    const found = await list(stage, 'member', { state: 'failed' });
    const fox = await openTask(stage, found, 'member', 'fox');
    expect(text(fox)).toContain('🔴');
    // An identical request within three seconds counts as a duplicate.
    stage.clock.advance(5_000);
    const retried = await (await member.click(fox, 'Retry')).message(says('Finished in'));
    expect(retried.ephemeral).toBe(false);
    const modal = await (await member.click(fox, 'Edit and retry')).modal();
    const edited = await (await member.fill(modal, { words: 'a hare' })).message(says('Finished in'));
    expect([edited.ephemeral, text(edited).includes('a hare')]).toEqual([false, true]);
    const owl = await openTask(stage, await list(stage, 'member', { state: 'failed' }), 'member', 'owl');
    expect((await (await member.click(owl, 'Retry')).message(says('Finished in'))).ephemeral).toBe(true);
    expect(JSON.stringify(publicMessages(stage))).not.toContain('owl');
    expect(submits(stage.gateway)).toBe(5);
  });

  it('The page of a task with an unknown outcome can order it again in public, once', async () => {
    const stage = await quickBot({ gateway: { profile, speed: 20 } });
    const member = stage.discord.as('member');
    stage.gateway.faults.add({ on: onSubmit, do: 'accepted-then-reset' });
    await (await member.slash('imagine', { prompt: 'a fox' })).message(says('couldn’t confirm'));
    const page = await openTask(stage, await list(stage, 'member', { state: 'unknown' }));
    const again = 'Try again (may be charged twice)';
    expect((await (await member.click(page, again)).message(says('Finished in'))).ephemeral).toBe(false);
    await (await member.click(page, again)).message(says('already been resubmitted'));
    expect(submits(stage.gateway)).toBe(2);
  });

  it('The page of a task asks for confirmation before it shows a private result to others, and stays open with its Back button', async () => {
    const stage = await quickBot({ gateway: { profile, speed: 20 } });
    await grid(stage, { private: true });
    const member = stage.discord.as('member');
    const page = await openTask(stage, await list(stage, 'member', { text: 'fox' }));
    const mine = await (await member.click(page, 'Show only to me')).message(says('Finished in'));
    expect([mine.ephemeral, mine.attachments.length]).toEqual([true, 1]);
    const question = await (await member.click(page, 'Show here')).message(says('everyone in this channel sees'));
    expect(question.ephemeral).toBe(true);
    expect(publicMessages(stage)).toEqual([]);
    const shown = await (await member.click(question, 'Show to everyone')).message(says('Finished in'));
    expect(shown.ephemeral).toBe(false);
    expect(text(await (await member.click(page, 'Back')).message(says('Your tasks')))).toContain('fox');
  });

  it('The page of a task says that a result is gone only if neither Discord nor the gateway has it', async () => {
    const stage = await quickBot({ gateway: { profile, speed: 20 } });
    const member = stage.discord.as('member');
    await grid(stage);
    const [job] = jobs(stage.gateway);
    stage.gateway.jobs.expireFiles(job?.id ?? '');
    stage.clock.advance(90 * DAY_MS);
    const page = await openTask(stage, await list(stage));
    await (await member.click(page, 'Delete message')).message(says('has been deleted'));
    stage.gateway.faults.add({ on: { path: /\/fetch$/ }, do: 'bad-gateway', times: 100 });
    await (await member.click(page, 'Show only to me')).message(says('could not be downloaded'));
    stage.gateway.faults.clear();
    await (await member.click(page, 'Show only to me')).message(
      says('no longer available on Discord or on the gateway'),
    );
  });

  it('The page of a task shows the prompt unchanged', async () => {
    const stage = await quickBot({ gateway: { profile, speed: 20 } });
    const member = stage.discord.as('member');
    const before = await (await member.slash('shorten', { prompt: 'a very long red fox' })).message(
      says('Finished in'),
    );
    stage.clock.advance(90 * DAY_MS);
    const page = await openTask(stage, await list(stage));
    expect(text(page)).toContain('a very long red fox');
    const shown = await (await member.click(page, 'Show here')).message(says('Finished in'));
    expect(text(shown).split('\n').slice(1)).toEqual(text(before).split('\n').slice(1));
  });
});

describe('A result that could not be delivered', () => {
  it('A result that could not be delivered is at the top of the list until its owner has had it shown once', async () => {
    const stage = await quickBot({ gateway: { speed: 20 } });
    const { discord, gateway } = stage;
    const member = discord.as('member');
    gateway.faults.add({ do: 'stick' });
    const exchange = await member.slash('imagine', { prompt: 'a fox' });
    const moving = await exchange.message(says('%'));
    await member.click(moving, 'Cancel');
    await fetch(`${discord.apiUrl}/v10/channels/${moving.channel_id}/messages/${moving.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bot ${discord.token}` },
    });
    gateway.jobs.finish(jobs(gateway).at(-1)?.id ?? '');
    await expect
      .poll(async () => text(await list(stage)), { timeout: 20_000 })
      .toContain('1 result could not be delivered. Press **Show undelivered** to see it.');
    const waiting = await (await member.click(await list(stage), 'Show undelivered')).message(says('📬'));
    // A manager sees it too, which does not make it unavailable to its owner.
    const managed = await openTask(stage, await list(stage, 'admin', { whose: 'server' }), 'admin');
    await (await discord.as('admin').click(managed, 'Show only to me')).message(says('Finished in'));
    expect(text(await list(stage))).toContain('1 result could not be delivered');
    const page = await openTask(stage, waiting);
    const shown = await (await member.click(page, 'Show here')).message(says('Finished in'));
    expect((await bytesOf(shown)).length).toBeGreaterThan(100);
    expect(text(await list(stage))).not.toContain('could not be delivered');
    expect(errorsIn(stage)).toEqual([]);
  });
});
