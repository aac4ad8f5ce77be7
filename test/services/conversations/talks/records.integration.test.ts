import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { examine } from '../../../../src/services/store/examination/examination.ts';
import { createStoreFixture, sql } from '../../store/store-fixture.ts';
import { guest, owner, SLOW_SPEED, startFixture } from './fixture.ts';

describe('The records of utterances', () => {
  it('The records of utterances are enough to rebuild the same ledger from the stored tasks', async () => {
    const first = await startFixture({ isShown: true });
    const { begin, say, waitForEnd, gateway } = first;
    const talk = await begin();
    gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-duplicates' });
    await waitForEnd(await say(talk, 'one'));
    gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-drop-middle' });
    await waitForEnd(await say(talk, 'two', guest));
    gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-drop-asked' });
    await say(talk, 'three');
    gateway.setSpeed(SLOW_SPEED);
    const last = await say(talk, 'four');
    await first.waitFor(last, ({ answer }) => (answer?.draft ?? '') !== '');
    await first.talks.end(talk.id, 'ended');
    await first.waitForEnd(last);
    const standings = async () => (await first.entries()).map(({ facts }) => facts.at(-1)?.standing);
    await expect.poll(standings).toEqual(['settled', 'settled', 'unconfirmed', 'settled']);
    const entriesBefore = await first.entries();
    await first.stop();
    sql(first.file, "DELETE FROM atelier WHERE namespace = 'ledger'");
    const { file, clock } = first;
    const { log } = createStoreFixture();
    const address = { url: `sqlite://${file}`, scheme: 'sqlite' } as const;
    const { findings } = await examine(address, { specs: kindSpecs, clock, log, repair: true });
    expect(findings).toEqual([{ kind: 'entry-missing', count: entriesBefore.length }]);
    const second = await startFixture({}, first);
    expect(await second.entries()).toEqual(entriesBefore);
  });

  it('The records of utterances are grouped under their conversation in lists, and listed separately on request', {
    tags: ['breadth'],
  }, async () => {
    const { begin, say, waitForEnd, tasks, talks } = await startFixture({ isShown: true });
    const talk = await begin({ instructions: 'Be a pirate.', isClosed: true });
    const utterance = await waitForEnd(await say(talk, { prompt: 'Hello in 5 words', isClosed: true }));
    await talks.end(talk.id, 'ended');
    const page = async (query: object) => {
      const { summaries } = await tasks.lists.page({ of: { memberId: owner }, max: 10, ...query });
      return summaries.map(
        ({ id, summary }) => `${id === talk.id ? 'talk' : id === utterance.id ? 'said' : '?'}: ${summary}`,
      );
    };
    expect(await page({ withoutParts: true })).toEqual(['talk: Be a pirate.']);
    expect(await page({ kinds: ['said'] })).toEqual(['said: Hello in 5 words']);
    expect(await page({})).toHaveLength(2);
    const serverQuery = { of: { guildId: talk.guildId ?? '' }, withoutPrivate: true };
    expect(await page(serverQuery)).toEqual([]);
  });
});
