import { describe, expect, it } from 'vitest';
import { sql } from '../store/stage.ts';
import { guest, owner, pollOptions, SLOWLY, scene } from './scene.ts';

describe('The records of utterances', () => {
  it('The records of utterances produce the same ledger again from the stored tasks', async () => {
    const first = await scene({ isShown: true });
    const { begin, say, ended, gateway } = first;
    const talk = await begin();
    gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-duplicates' });
    await ended(await say(talk, 'one'));
    gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-drop-middle' });
    await ended(await say(talk, 'two', guest));
    gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-drop-asked' });
    await say(talk, 'three');
    gateway.setSpeed(SLOWLY);
    const last = await say(talk, 'four');
    await first.waitFor(last, ({ answer }) => (answer?.draft ?? '') !== '');
    await first.talks.end(talk.id, 'ended');
    await first.ended(last);
    const standings = async () => (await first.entries()).map(({ facts }) => facts.at(-1)?.standing);
    await expect.poll(standings, pollOptions).toEqual(['settled', 'settled', 'unconfirmed', 'settled']);
    const before = await first.entries();
    await first.stop();
    sql(first.file, "DELETE FROM atelier WHERE namespace = 'ledger' OR (namespace = 'meta' AND key = 'ledger')");
    const second = await scene({}, first);
    expect(await second.entries()).toEqual(before);
  });

  it('The records of utterances are grouped under their conversation in lists, and listed separately on request', async () => {
    const { begin, say, ended, tasks, talks } = await scene({ isShown: true });
    const talk = await begin({ instructions: 'Be a pirate.', isClosed: true });
    const utterance = await ended(await say(talk, { prompt: 'Hello in 5 words', isClosed: true }));
    await talks.end(talk.id, 'ended');
    const page = async (question: object) => {
      const { summaries } = await tasks.lists.page({ of: { memberId: owner }, max: 10, ...question });
      return summaries.map(
        ({ id, summary }) => `${id === talk.id ? 'talk' : id === utterance.id ? 'said' : '?'}: ${summary}`,
      );
    };
    expect(await page({ withoutParts: true })).toEqual(['talk: Be a pirate.']);
    expect(await page({ kind: 'said' })).toEqual(['said: Hello in 5 words']);
    expect(await page({})).toHaveLength(2);
    const ofServer = { of: { guildId: talk.guildId ?? '' }, withoutPrivate: true };
    expect(await page(ofServer)).toEqual([]);
  });
});
