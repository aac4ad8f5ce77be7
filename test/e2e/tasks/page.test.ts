import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { labels, says, spoilersOf, startFastClockBot, submitCount } from '../quick.ts';
import { bytesOf, errorsIn, jobs, orderGrid } from './fixture.ts';
import { openDetails, openTask, openTaskList, publicMessages } from './pages.ts';

const DAY_MS = 24 * 3_600_000;

/** Writes a file with the operator's prices, and returns the setting for it. */
function priceSettings(): { PRICES: string } {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-prices-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'prices.json'), '{"imagine":"0.05"}');
  return { PRICES: join(folder, 'prices.json') };
}

const submitRoute = { path: /\/submit\// };

describe('The page of a task', () => {
  it('The page of a task shows the image, the prompt and the cost, has details in a second view, deletes the message of the task, and stays open afterwards', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 }, settings: priceSettings() });
    const result = await orderGrid(fixture);
    const page = await openTask(fixture, await openTaskList(fixture));
    expect(text(page)).toContain('Cost: ≈ $0.05\nEstimated from the operator’s prices.');
    expect(text(page)).toMatch(/^\*\*a fox in the snow\*\*\n🟢 Imagine · Finished\nCost: /);
    expect(page.attachments).toHaveLength(1);
    expect(JSON.stringify(page.components)).toContain(`/${result.id}"`);
    expect(text(page)).not.toMatch(/Requested|Reference|http/);
    const details = await openDetails(fixture, page);
    expect(text(details)).toMatch(/Status checks: \d+\nReference: `.+`\nGateway task ID: `.+`\nOriginal: <http/);
    expect(details.attachments).toEqual([]);
    const member = fixture.discord.as('member');
    await (await member.click(details, 'Back')).message((message) => message.attachments.length === 1);
    const otherPage = await openTask(fixture, await openTaskList(fixture));
    const isDeleted = says('been deleted. The task itself is kept.');
    expect(labels(await (await member.click(page, 'Delete message')).message(isDeleted))).not.toContain(
      'Delete message',
    );
    expect(publicMessages(fixture)).toEqual([]);
    const again = await (await member.click(otherPage, 'Delete message')).message(says('already'));
    expect(text(again)).toContain('was already deleted');
    expect(labels(again)).not.toContain('Delete message');
    const list = await (await member.click(page, 'Back')).message(says('Your tasks'));
    expect(list.attachments).toEqual([]);
    const second = await openTask(fixture, list);
    expect(second.attachments).toEqual([]);
    expect(labels(second)).not.toContain('Delete message');
    // Discord's copy has been deleted, so the file comes from the gateway.
    const copy = await (await member.click(second, 'Show here')).message(says('Finished in'));
    expect(copy.attachments).toHaveLength(1);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('Once the message of a task is deleted, its page leads to a copy that is left in another channel', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const member = fixture.discord.as('member');
    await orderGrid(fixture);
    const there = member.in('hall');
    const list = await (await there.slash('tasks')).message();
    const page = await openTask(fixture, list);
    const copy = await (await there.click(page, 'Show here')).message(says('Finished in'));
    const isDeleted = says('been deleted. The task itself is kept.');
    const left = await (await there.click(page, 'Delete message')).message(isDeleted);
    expect([publicMessages(fixture).length, publicMessages(fixture, 'hall').length]).toEqual([0, 1]);
    expect(JSON.stringify(left.components)).toContain(`/${copy.channel_id}/${copy.id}"`);
    await (await there.click(left, 'Delete message')).message((message) => !labels(message).includes('Delete message'));
    expect(publicMessages(fixture, 'hall')).toEqual([]);
  });

  it('The page of a task shows the cost that the gateway stated instead of the operator’s price', async () => {
    const fixture = await startFastClockBot({ gateway: { profile: 'stock', speed: 20 }, settings: priceSettings() });
    await orderGrid(fixture);
    expect(text(await openTask(fixture, await openTaskList(fixture)))).toContain('Cost: $0.0372');
  });

  it('The page of a failed task says that its price was not charged, and where the price is from', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 }, settings: priceSettings() });
    fixture.gateway.faults.add({ do: 'fail' });
    await (await fixture.discord.as('member').slash('imagine', { prompt: 'a fox' })).message(says('This task failed'));
    const page = await openTask(fixture, await openTaskList(fixture));
    expect(text(page)).toContain(
      'Not charged: ≈ $0.05. The task had no result.\nEstimated from the operator’s prices.\n',
    );
  });

  it('The details of a task list its options by the names they have in the command', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    await orderGrid(fixture, { aspect: '16:9', stylize: 200, spoiler: true });
    const page = await openTask(fixture, await openTaskList(fixture));
    expect(text(await openDetails(fixture, page))).toContain('Options: `--ar 16:9 --stylize 200` `spoiler: true`');
    const member = fixture.discord.as('member');
    await (await member.slash('video', { prompt: 'waves', size: '16:9' })).message(says('Finished in'));
    const videoPage = await openTask(fixture, await openTaskList(fixture), 'member', 'waves');
    expect(text(await openDetails(fixture, videoPage))).toContain('Options: `size: 16:9`\n');
    const options = { prompt: 'clouds', face_check: true, negative: 'birds', seed: 5 };
    await (await member.slash('video', options)).message(says('Not sent: `face_check`'));
    const cloudsPage = await openTask(fixture, await openTaskList(fixture), 'member', 'clouds');
    expect(text(await openDetails(fixture, cloudsPage))).toContain('Options: `negative: birds` `seed: 5`\n');
  });

  it('A retry from the page of a task is public for a public task and ephemeral for a private one', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const member = fixture.discord.as('member');
    fixture.gateway.faults.add({ do: 'fail', times: 2 });
    await (await member.slash('imagine', { prompt: 'a fox' })).message(says('This task failed'));
    await (await member.slash('imagine', { prompt: 'an owl', private: true })).message(says('This task failed'));
    const failedTasks = await openTaskList(fixture, 'member', { state: 'failed' });
    const foxPage = await openTask(fixture, failedTasks, 'member', 'fox');
    expect(text(foxPage)).toContain('🔴');
    // An identical request within three seconds counts as a duplicate.
    fixture.clock.advance(5_000);
    const retryResult = await (await member.click(foxPage, 'Retry')).message(says('Finished in'));
    expect(retryResult.ephemeral).toBe(false);
    const modal = await (await member.click(foxPage, 'Edit and retry')).modal();
    const edited = await (await member.fill(modal, { words: 'a hare' })).message(says('Finished in'));
    expect([edited.ephemeral, text(edited).includes('a hare')]).toEqual([false, true]);
    const owlPage = await openTask(
      fixture,
      await openTaskList(fixture, 'member', { state: 'failed' }),
      'member',
      'owl',
    );
    expect((await (await member.click(owlPage, 'Retry')).message(says('Finished in'))).ephemeral).toBe(true);
    expect(JSON.stringify(publicMessages(fixture))).not.toContain('owl');
    expect(submitCount(fixture.gateway)).toBe(5);
  });

  it('A task with an unknown outcome can be retried from its page in public, but only once', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const member = fixture.discord.as('member');
    fixture.gateway.faults.add({ on: submitRoute, do: 'accepted-then-reset' });
    await (await member.slash('imagine', { prompt: 'a fox' })).message(says('couldn’t confirm'));
    const page = await openTask(fixture, await openTaskList(fixture, 'member', { state: 'unknown' }));
    const tryAgain = 'Try again (may be charged twice)';
    const newer = await (await member.click(page, tryAgain)).message(says('Finished in'));
    expect(newer.ephemeral).toBe(false);
    await (await member.click(page, tryAgain)).message(says('already been resubmitted'));
    const taskList = await openTaskList(fixture, 'member', { state: 'unknown' });
    expect(JSON.stringify(taskList.components)).toContain('Imagine · Unconfirmed, then tried again with a newer task');
    const laterPage = await openTask(fixture, taskList);
    expect(text(laterPage)).toContain('Unconfirmed, then tried again with a newer task');
    expect(JSON.stringify(laterPage.components)).toContain(`/${newer.channel_id}/${newer.id}"`);
    expect([labels(laterPage).includes(tryAgain), labels(laterPage).includes('Dismiss')]).toEqual([false, true]);
    expect(submitCount(fixture.gateway)).toBe(2);
  });

  it('The details of a task with an unknown outcome name no end and no delivery', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    fixture.gateway.faults.add({ on: submitRoute, do: 'accepted-then-reset' });
    const exchange = await fixture.discord.as('member').slash('imagine', { prompt: 'a fox' });
    await exchange.message(says('couldn’t confirm'));
    const page = await openTask(fixture, await openTaskList(fixture, 'member', { state: 'unknown' }));
    expect(text(await openDetails(fixture, page))).not.toMatch(/Ended|Delivered/);
  });

  it('The page of a task asks for confirmation before it shows a private result to others, and stays open with its Back button', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    await orderGrid(fixture, { private: true, spoiler: true });
    const member = fixture.discord.as('member');
    const page = await openTask(fixture, await openTaskList(fixture, 'member', { text: 'fox' }));
    expect(spoilersOf(page)).toEqual([true]);
    // The bot cannot delete a private message.
    expect(labels(page)).not.toContain('Delete message');
    const privateCopy = await (await member.click(page, 'Show only to me')).message(says('Finished in'));
    expect([privateCopy.ephemeral, spoilersOf(privateCopy), privateCopy.attachments[0]?.filename]).toEqual([
      true,
      [true],
      'image-1.png',
    ]);
    const question = await (await member.click(page, 'Show here')).message(says('everyone in this channel sees'));
    expect(question.ephemeral).toBe(true);
    expect(publicMessages(fixture)).toEqual([]);
    const publicCopy = await (await member.click(question, 'Show to everyone')).message(says('Finished in'));
    expect(publicCopy.ephemeral).toBe(false);
    expect(text(publicCopy)).toMatch(/^-# Private, shown by <@\d+>\. Only they can use its buttons\.\n\*\*a fox/);
    expect(text(privateCopy)).not.toContain('shown by');
    const deletion = async (who: string) =>
      text(await (await fixture.discord.as(who).click(publicCopy, 'Delete')).ephemeral());
    const pageOfShown = await openTask(fixture, await openTaskList(fixture, 'member', { text: 'fox' }));
    expect(labels(pageOfShown)).toContain('Delete message');
    expect(await deletion('admin')).toContain('use **Delete Message** in its Discord menu');
    expect(await deletion('other')).toBe('Only the member who requested this can do that.');
    expect(text(page)).toContain('Visibility: private (only you can see it, unless you show it to others)');
    expect(text(await (await member.click(page, 'Back')).message(says('Your tasks')))).toContain('fox');
  });

  it('A result made from a shown private one links to the copy that everyone can open, and one made in private to the private one', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const privateGrid = await orderGrid(fixture, { private: true });
    const member = fixture.discord.as('member');
    const page = await openTask(fixture, await openTaskList(fixture));
    const privateUpscale = await (await member.click(privateGrid, 'U1')).message(says('Finished in'));
    expect(text(privateUpscale)).toContain(`/${privateGrid.id})`);
    const question = await (await member.click(page, 'Show here')).message(says('everyone in this channel sees'));
    const copy = await (await member.click(question, 'Show to everyone')).message(says('Finished in'));
    const upscale = await (await member.click(copy, 'U2')).message(says('Finished in'));
    expect(text(upscale)).toMatch(new RegExp(`-# Upscale of image 2 · \\[source\\]\\(\\S+/${copy.id}\\)`));
  });

  it('Deleting the message of a task says how many messages with its result are gone', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const member = fixture.discord.as('member');
    await orderGrid(fixture);
    const page = await openTask(fixture, await openTaskList(fixture));
    await (await member.click(page, 'Show here')).message(says('Finished in'));
    await (await member.click(page, 'Delete message')).message(says('2 messages with this result have been deleted'));
  });

  it('The page of a task says that a result is no longer available only if neither Discord nor the gateway has it', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const member = fixture.discord.as('member');
    await orderGrid(fixture);
    const [job] = jobs(fixture.gateway);
    fixture.gateway.jobs.expireFiles(job?.id ?? '');
    fixture.clock.advance(90 * DAY_MS);
    const page = await openTask(fixture, await openTaskList(fixture));
    await (await member.click(page, 'Delete message')).message(says('has been deleted'));
    fixture.gateway.faults.add({ on: { path: /\/fetch$/ }, do: 'bad-gateway', times: 100 });
    await (await member.click(page, 'Show only to me')).message(says('could not be downloaded'));
    fixture.gateway.faults.clear();
    await (await member.click(page, 'Show only to me')).message(
      says('no longer available on Discord or on the gateway'),
    );
  });

  it('The page of a task shows the prompt unchanged', { tags: ['breadth'] }, async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const member = fixture.discord.as('member');
    const original = await (await member.slash('shorten', { prompt: 'a very long red fox' })).message(
      says('Finished in'),
    );
    fixture.clock.advance(90 * DAY_MS);
    const page = await openTask(fixture, await openTaskList(fixture));
    expect(text(page)).toContain('a very long red fox');
    const copy = await (await member.click(page, 'Show here')).message(says('Finished in'));
    expect(text(copy).split('\n').slice(1)).toEqual(text(original).split('\n').slice(1));
  });
});

it('The page of a task shows no image once a moderator has deleted the message of the result', async () => {
  const fixture = await startFastClockBot({ gateway: { speed: 20 } });
  const { apiUrl, token } = fixture.discord;
  const result = await orderGrid(fixture);
  expect((await openTask(fixture, await openTaskList(fixture))).attachments).toHaveLength(1);
  const options = { method: 'DELETE', headers: { authorization: `Bot ${token}` } };
  await fetch(`${apiUrl}/v10/channels/${result.channel_id}/messages/${result.id}`, options);
  expect((await openTask(fixture, await openTaskList(fixture))).attachments).toEqual([]);
});

describe('A result that could not be delivered', () => {
  it('A result that could not be delivered is announced above the list until its owner has viewed it', async () => {
    const fixture = await startFastClockBot({ gateway: { speed: 20 } });
    const { discord, gateway } = fixture;
    const member = discord.as('member');
    gateway.faults.add({ do: 'stick' });
    const exchange = await member.slash('imagine', { prompt: 'a fox' });
    const progressMessage = await exchange.message(says('%'));
    await fetch(`${discord.apiUrl}/v10/channels/${progressMessage.channel_id}/messages/${progressMessage.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bot ${discord.token}` },
    });
    gateway.jobs.finish(jobs(gateway).at(-1)?.id ?? '');
    await expect
      .poll(async () => text(await openTaskList(fixture)))
      .toContain('1 result could not be delivered. Press **Show undelivered** to see it.');
    const undeliveredList = await (await member.click(await openTaskList(fixture), 'Show undelivered')).message(
      says('📬'),
    );
    // A manager can view it too, but it still counts as undelivered for its owner.
    const managerPage = await openTask(fixture, await openTaskList(fixture, 'admin', { whose: 'server' }), 'admin');
    await (await discord.as('admin').click(managerPage, 'Show only to me')).message(says('Finished in'));
    expect(text(await openTaskList(fixture))).toContain('1 result could not be delivered');
    const page = await openTask(fixture, undeliveredList);
    expect(page.attachments).toEqual([]);
    const copy = await (await member.click(page, 'Show here')).message(says('Finished in'));
    expect((await bytesOf(copy)).length).toBeGreaterThan(100);
    expect(text(await openTaskList(fixture))).not.toContain('could not be delivered');
    expect(errorsIn(fixture)).toEqual([]);
  });
});
