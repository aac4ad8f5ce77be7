import { describe, expect, it } from 'vitest';
import { hasEnded } from '../../../../src/services/tasks/task.ts';
import { guest, owner, SLOW_SPEED, startFixture } from './fixture.ts';

const MINUTE = 60_000;

describe('The end of a conversation', () => {
  it('The end of a conversation removes it from the in-memory look-up by channel', async () => {
    const { begin, talks } = await startFixture();
    const talk = await begin();
    expect(talks.findInChannel(talk.channelId ?? '')?.id).toBe(talk.id);
    expect(talks.findInChannel('elsewhere')).toBeUndefined();
    await talks.end(talk.id, 'ended');
    expect(talks.findInChannel(talk.channelId ?? '')).toBeUndefined();
  });

  it('The end of a conversation requested by its owner interrupts the running answer and closes the session', async () => {
    const { begin, say, waitForEnd, waitFor, talks, gateway } = await startFixture({ speed: SLOW_SPEED });
    const talk = await begin();
    const utterance = await say(talk, 'Tell me of the snow');
    await waitFor(utterance, ({ answer }) => (answer?.draft ?? '') !== '');
    const endedTalk = await talks.end(talk.id, 'ended');
    expect(endedTalk).toMatchObject({ state: 'ready', talk: { end: 'ended', turns: [utterance.id] } });
    expect(await waitForEnd(utterance)).toMatchObject({ state: 'cancelled', failure: { cause: 'stopped' } });
    await expect.poll(() => gateway.realtime.sessions).toEqual([]);
    expect(await talks.end(talk.id, 'idle')).toEqual(endedTalk);
  });

  it('The end of a conversation comes after a quarter of an hour without an utterance', async () => {
    const { begin, say, waitForEnd, waitFor, tasks, clock, gateway } = await startFixture();
    const talk = await begin();
    clock.advance(10 * MINUTE);
    const utterance = await say(talk, 'Hello');
    await waitForEnd(utterance);
    clock.advance(14 * MINUTE);
    expect(await tasks.book.get(talk.id)).toMatchObject({ state: 'running' });
    clock.advance(MINUTE);
    const endedTalk = await waitFor(talk, hasEnded);
    expect(endedTalk).toMatchObject({ state: 'ready', talk: { end: 'idle' } });
    expect((endedTalk.times.ended ?? 0) - (utterance.times.accepted ?? 0)).toBeGreaterThanOrEqual(15 * MINUTE);
    await expect.poll(() => gateway.realtime.sessions).toEqual([]);
  });

  it('A conversation is never reported as overdue', { tags: ['breadth'] }, async () => {
    const { begin, say, waitForEnd, tasks, clock, changes } = await startFixture();
    const talk = await begin();
    clock.advance(12 * MINUTE);
    await waitForEnd(await say(talk, 'Still there?'));
    expect((await tasks.book.get(talk.id))?.times.overdue).toBeUndefined();
    expect(changes.filter(({ id, times }) => id === talk.id && times.overdue)).toEqual([]);
  });
});

describe('An erasure requested by a member', () => {
  it('An erasure requested by a member ends their conversations and removes all of their utterances', async () => {
    const { begin, say, waitFor, tasks, talks, gateway, store } = await startFixture({
      speed: SLOW_SPEED,
      isShown: true,
    });
    const talk = await begin();
    const utterance = await say(talk, 'a secret that no one may know');
    await waitFor(utterance, ({ answer }) => (answer?.draft ?? '') !== '');
    const { bytes, release } = await tasks.exports.create(owner, 1_000_000);
    release();
    const exported = JSON.parse(bytes.toString()) as { tasks: { id: string }[] };
    expect(exported.tasks.map(({ id }) => id).sort()).toEqual([utterance.id, talk.id].sort());
    await tasks.erasure.begin(owner, async () => true);
    await expect
      .poll(async () => [await tasks.book.get(talk.id), await tasks.book.get(utterance.id)])
      .toEqual([undefined, undefined]);
    await expect.poll(() => gateway.realtime.sessions).toEqual([]);
    expect(talks.findInChannel(talk.channelId ?? '')).toBeUndefined();
    await expect.poll(() => store.erasures.all()).toEqual([]);
  });

  it("An erasure requested by a member keeps the conversations of others, whose sessions no longer contain the member's utterances", {
    tags: ['breadth'],
  }, async () => {
    const { begin, say, waitForEnd, tasks, gateway, store } = await startFixture({ isShown: true });
    const talk = await begin();
    await waitForEnd(await say(talk, 'We speak of gardens'));
    const erasedUtterance = await waitForEnd(await say(talk, 'a secret that no one may know', guest));
    const sessionIdBefore = gateway.realtime.sessions[0]?.id;
    await tasks.erasure.begin(guest, async () => true);
    await expect.poll(() => store.erasures.all()).toEqual([]);
    const answer = await waitForEnd(await say(talk, 'What was said first?'));
    expect(answer.text).toContain('We speak of gardens');
    expect(answer.text).not.toContain('no one may know');
    const session = gateway.realtime.sessions[0];
    expect(session?.id).not.toBe(sessionIdBefore);
    expect(JSON.stringify(session?.items)).toContain('We speak of gardens');
    expect(JSON.stringify(session?.items)).not.toContain('no one may know');
    expect((await tasks.book.get(talk.id))?.talk?.turns).not.toContain(erasedUtterance.id);
    expect(await tasks.book.get(talk.id)).toMatchObject({ state: 'running' });
  });
});
