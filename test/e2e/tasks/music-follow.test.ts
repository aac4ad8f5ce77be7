import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { startBot } from '../bot.ts';
import { createFastClockFixture, labels, says, startFastClockBot } from '../quick.ts';
import { bytesOf, errorsIn, shortSongs } from './fixture.ts';
import { batchPolls, orderSongs, singlePolls } from './songs.ts';

const fastGateway = () => ({ speed: 60, studio: shortSongs() });
const fileNames = (message: Message) => message.attachments.map(({ filename }) => filename);
const isComplete = (message: Message): boolean => /All finished|^Finished\.$/m.test(text(message));

describe('/music follow', () => {
  it('/music follow shows several songs in one message and polls them in batches, and a failed one does not hide the others', async () => {
    const fixture = await startFastClockBot({ gateway: { ...fastGateway(), quirks: { looseBatches: true } } });
    const { discord, gateway } = fixture;
    const [lightId, harbourId] = await orderSongs(gateway, 'Light', 'Harbour');
    gateway.faults.add({ do: { type: 'fail', reason: 'too loud' } });
    const [stormId] = await orderSongs(gateway, 'Storm');
    const exchange = await discord.as('owner').slash('music follow', {
      ids: `${lightId}, ${gateway.url}/music/fetch/${stormId}\n["${harbourId}"] ${lightId}`,
    });
    const message = await exchange.message(isComplete);
    expect(text(message)).toContain('**3 songs** · <@');
    expect(text(message)).toContain('All finished. Failed: 1.');
    expect(text(message)).toMatch(
      /1\. 🟢 \*\*Light\*\* · 2 tracks · 0:20 \+ 0:20 · folk\n> Words of Light\n2\. 🔴 \*\*Storm\*\* · Failed: too loud\n3\. 🟢 \*\*Harbour\*\*/,
    );
    expect(fileNames(message)).toEqual([
      ...['light-1.wav', 'light-2.wav', 'harbour-3.wav', 'harbour-4.wav'],
      ...['light-cover1.png', 'light-cover2.png', 'harbour-cover3.png', 'harbour-cover4.png'],
    ]);
    expect(message.attachments[0]?.description).toBe('AI-generated song: Light');
    expect((await bytesOf(message)).subarray(0, 4).toString()).toBe('RIFF');
    expect(labels(message)).toEqual(['Delete']);
    const requestCount = batchPolls(gateway).length + singlePolls(gateway).length;
    await (await discord.as('owner').slash('about')).message();
    expect(batchPolls(gateway).length + singlePolls(gateway).length).toBe(requestCount);
    expect(discord.messages('studio').filter(({ ephemeral }) => !ephemeral)).toHaveLength(1);
    expect(errorsIn(fixture)).toEqual([]);
  });

  it('/music follow attaches finished tracks while other songs are still running', { tags: ['breadth'] }, async () => {
    const { discord, gateway } = await startFastClockBot({ gateway: fastGateway() });
    const [lightId] = await orderSongs(gateway, 'Light');
    gateway.faults.add({ do: { type: 'stick' } });
    const [stormId] = await orderSongs(gateway, 'Storm');
    const exchange = await discord.as('owner').slash('music follow', { ids: `${lightId} ${stormId}` });
    const partial = await exchange.message((message) => fileNames(message).includes('light-1.wav'));
    expect(text(partial)).toContain('1 of 2 finished.');
  });

  it('/music follow continues in the same message after a restart', async () => {
    const fixture = await createFastClockFixture({ gateway: fastGateway() });
    const { discord, gateway } = fixture;
    const app = await startBot(fixture);
    const [lightId, stormId] = await orderSongs(gateway, 'Light', 'Storm');
    const exchange = await discord.as('owner').slash('music follow', { ids: `${lightId} ${stormId}` });
    const first = await exchange.message(says('0 of 2'));
    await app.stop();
    await startBot(fixture);
    const message = await exchange.message(isComplete);
    expect(message.id).toBe(first.id);
    expect(fileNames(message)).toHaveLength(8);
  });

  it('/music follow uses pages if one message is too small, and attaches the tracks of the selected song', {
    tags: ['breadth'],
  }, async () => {
    const { discord, gateway } = await startFastClockBot({ gateway: fastGateway() });
    const titles = Array.from({ length: 17 }, (_, index) => `Song ${index + 1}`);
    const ids = await orderSongs(gateway, ...titles);
    const owner = discord.as('owner');
    const exchange = await owner.slash('music follow', { ids: ids.join(','), private: true });
    const message = await exchange.message(isComplete);
    expect(fileNames(message)).toEqual([]);
    expect(text(message)).toContain('15. 🟢 **Song 15** · 2 tracks');
    expect(text(message)).not.toContain('Song 16');
    const secondPage = await (await owner.click(message, 'Next')).message(says('Page 2 of 2'));
    expect(secondPage.id).toBe(message.id);
    expect(text(secondPage)).toContain('17. 🟢 **Song 17**');
    const tracks = await (await owner.choose(secondPage, 'Select a song', ['Song 17'])).message();
    expect(tracks.id).not.toBe(message.id);
    expect(tracks.ephemeral).toBe(true);
    expect(text(tracks)).toContain('🎵 **Song 17** · 0:20');
    expect(text(tracks)).toContain('> Words of Song 17');
    expect(fileNames(tracks).filter((name) => name.endsWith('.wav'))).toHaveLength(2);
  });
});

describe('/music follow', () => {
  it('/music follow polls a single song when a member selects it before it has finished', async () => {
    const { discord, gateway } = await startFastClockBot({ gateway: fastGateway() });
    gateway.faults.add({ do: { type: 'stick' }, times: 7 });
    const ids = await orderSongs(gateway, 'A1', 'B2', 'C3', 'D4', 'E5', 'F6', 'G7');
    const owner = discord.as('owner');
    const exchange = await owner.slash('music follow', { ids: ids.join(' ') });
    const message = await exchange.message(says('0 of 7'));
    const pollsBefore = singlePolls(gateway).length;
    const [, chosenId = ''] = ids;
    const select = 'Select a song';
    await (await owner.choose(message, select, [chosenId])).message();
    const newPolls = () => singlePolls(gateway).slice(pollsBefore);
    // The poll is sent as soon as the rate limit allows it.
    await expect.poll(() => newPolls().map(({ path }) => path)).toEqual([`/music/fetch/${chosenId}`]);
  });

  it('/music follow polls a song again if its files have expired, and says so', { tags: ['breadth'] }, async () => {
    const { discord, gateway } = await startFastClockBot({ gateway: fastGateway() });
    gateway.faults.add({ do: { type: 'lose-files' }, times: 6 });
    const ids = await orderSongs(gateway, 'A1', 'B2', 'C3', 'D4', 'E5', 'F6');
    const owner = discord.as('owner');
    const message = await (await owner.slash('music follow', { ids: ids.join(' ') })).message(isComplete);
    const pollsBefore = singlePolls(gateway).length;
    const tracks = await (await owner.choose(message, 'Select a song', ['C3'])).message();
    expect(text(tracks)).toContain('**C3** · <@');
    expect(text(tracks)).not.toContain('Made from');
    expect(text(tracks)).toMatch(/2 results .*(downloaded|no longer available)/);
    expect(
      singlePolls(gateway)
        .slice(pollsBefore)
        .map(({ path }) => path),
    ).toEqual([`/music/fetch/${ids[2]}`]);
  });

  it('/music follow shows a song that the bot ordered without polling it twice', { tags: ['breadth'] }, async () => {
    const { discord, gateway } = await startFastClockBot({ gateway: fastGateway() });
    const member = discord.as('member');
    await (await member.slash('music make', { about: 'a storm' })).message();
    const [job] = gateway.jobs.list();
    const message = await (await discord.as('other').slash('music follow', { ids: job?.id ?? '' })).message(isComplete);
    expect(fileNames(message).filter((name) => name.endsWith('.wav'))).toHaveLength(2);
    expect(batchPolls(gateway)).toEqual([]);
  });

  it('/music follow is not recorded as usage in the ledger, not even after a restart', async () => {
    const fixture = await createFastClockFixture({ gateway: fastGateway() });
    const { discord, gateway } = fixture;
    const app = await startBot(fixture);
    gateway.faults.add({ do: { type: 'stick' } });
    await (await discord.as('member').slash('music make', { about: 'a storm' })).message();
    const other = discord.as('other');
    const follow = await other.slash('music follow', { ids: gateway.jobs.list()[0]?.id ?? '' });
    await follow.message(says('1 song'));
    await app.stop();
    await startBot(fixture);
    const usage = text(await (await other.slash('usage')).message());
    expect(usage).toContain('You have no usage');
    expect(usage).not.toContain('has not finished');
  });

  it('/music follow allows operators and managers to follow songs that the bot did not order, and names the ids that it refuses', {
    tags: ['breadth'],
  }, async () => {
    const fixture = await createFastClockFixture({ gateway: fastGateway() });
    const { discord, gateway, config } = fixture;
    const adminGuildIds = [discord.world.guild('atelier').id];
    await startBot({ ...fixture, config: { ...config, discord: { ...config.discord, adminGuildIds } } });
    const follow = async (who: string, ids: string, isPrivate = false, channel = 'studio') =>
      text(await (await discord.as(who).in(channel).slash('music follow', { ids, private: isPrivate })).message());
    const [first = '', second = '', third = ''] = await orderSongs(gateway, 'A1', 'B2', 'C3');
    const refusalText = 'These IDs are neither your own tasks nor public ones:';
    expect(await follow('member', `${first} ${second}`)).toMatch(new RegExp(`${refusalText} .${first}., .${second}.`));
    expect(batchPolls(gateway).length + singlePolls(gateway).length).toBe(0);
    // `owner` is the operator, and `admin` manages an admin server.
    expect(await follow('owner', first, true, 'hall')).toContain('1 song');
    expect(await follow('admin', second)).toContain('1 song');
    // Everyone can now follow the public song, but only its owner can follow the private one.
    expect(await follow('member', second)).toContain('1 song');
    expect(await follow('member', `${second} ${first}`)).toContain(`${refusalText} \`${first}\``);
    expect(await follow('admin', `${first} ${third}`)).toContain('Only the member who requested them');
    expect(await follow('admin', `${first} ${third}`)).toContain(first);
    expect(await follow('owner', first)).toContain('with `private: True`');
    expect(await follow('owner', first, true)).toContain('1 song');
  });

  it.each([
    ['{}', 'No task IDs found'],
    ['nonsense', '`nonsense` is not a valid task ID'],
    ['please and thanks', 'These are not valid task IDs: `please`, `and`, `thanks`'],
    [Array.from({ length: 301 }, (_, index) => `id-${index}`).join(), 'at most `300` tasks'],
  ])('/music follow refuses invalid ids: case %#', async (ids, words) => {
    const { discord, gateway } = await startFastClockBot();
    const requestCount = gateway.requests.length;
    expect(text(await (await discord.as('owner').slash('music follow', { ids })).message())).toContain(words);
    expect(gateway.requests).toHaveLength(requestCount);
  });
});

it('/music follow shows 300 songs in one message with pages, and sends at most three polls in any two seconds', {
  tags: ['breadth'],
}, async () => {
  const fixture = await startFastClockBot({ gateway: { profile: 'stock', speed: 6, quirks: { looseBatches: true } } });
  const { discord, gateway } = fixture;
  const ids = await orderSongs(gateway, ...Array.from({ length: 300 }, (_, index) => `Song ${index + 1}`));
  const idsFrom = (from: number) => ids.slice(from, from + 150).join(' ');
  const owner = discord.as('owner');
  const exchange = await owner.slash('music follow', { ids: idsFrom(0), more: idsFrom(150), private: true });
  const message = await exchange.message(isComplete);
  expect(text(message)).toContain('**300 songs**');
  expect(text(message)).toContain('Page 1 of 20');
  const pollTimes = [...batchPolls(gateway), ...singlePolls(gateway)].map(({ at }) => at).toSorted((a, b) => a - b);
  const pollsPerWindow = pollTimes.map((start) => pollTimes.filter((at) => at >= start && at < start + 2_000).length);
  expect(Math.max(...pollsPerWindow)).toBeLessThanOrEqual(3);
  const editCount = discord.requests.filter(({ method }) => method === 'PATCH').length;
  expect(editCount).toBeLessThan(12);
  const secondPage = await (await owner.click(message, 'Next')).message(says('Page 2 of 20'));
  expect(text(secondPage)).toContain('16. 🟢 **Song 16**');
  expect(errorsIn(fixture)).toEqual([]);
});
