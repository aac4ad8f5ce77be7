import { describe, expect, it } from 'vitest';
import { secondsOf } from '../../../../src/lib/pcm.ts';
import { Refusal } from '../../../../src/lib/refusal.ts';
import { answerOf } from '../../../../src/services/conversations/ask-transitions.ts';
import { GatewayError } from '../../../../src/services/gateway/errors.ts';
import { memoryContent } from '../../../../src/services/media/content.ts';
import { hasEnded } from '../../../../src/services/tasks/task.ts';
import { describeVariants } from '../../../support/variants.ts';
import { guest, memberAudio, owner, SLOW_SPEED, startFixture } from './fixture.ts';

describeVariants(['ga', 'beta'] as const)('A conversation in the %s dialect', (realtimeDialect) => {
  it('A conversation is answered in text and as a voice message, and remembers earlier turns', async () => {
    const { begin, say, waitForEnd, changes, tasks, sounds, entries, gateway } = await startFixture({
      quirks: { realtimeDialect },
    });
    const talk = await begin({ instructions: 'Be brief.', voice: 'sage' });
    expect(talk.remoteId).toBe(gateway.realtime.sessions[0]?.id);
    const first = await say(talk, 'Tell me of the snow');
    expect(first.state).toBe('accepted');
    const answer = await waitForEnd(first);
    expect(answer.state).toBe('ready');
    expect(answer.text).toContain('Tell me of the snow');
    expect(answer.text).toContain('Be brief.');
    const drafts = changes.filter(({ id, answer: currentAnswer }) => id === first.id && currentAnswer?.draft);
    expect(drafts.length).toBeGreaterThan(0);
    for (const { answer: currentAnswer } of drafts)
      expect(answer.text?.startsWith(currentAnswer?.draft ?? '?')).toBe(true);

    const { voice, tokens, counted } = answerOf(answer);
    const samples = await sounds.decode(memoryContent(Buffer.from(voice?.sound ?? '', 'base64')), { maxSeconds: 600 });
    expect(secondsOf(samples)).toBeCloseTo(voice?.seconds ?? 0, 0);
    expect(voice?.seconds).toBeGreaterThan(1);
    expect(tokens?.audioOutput).toBeGreaterThan(0);
    expect(counted).toEqual([first.remoteId]);

    const second = await waitForEnd(await say(talk, 'What did I say first?', guest));
    expect(second.text).toContain('The first of 2 things was');
    expect(second.text).toContain('Tell me of the snow');
    expect((await tasks.book.get(talk.id))?.talk).toMatchObject({ turns: [first.id, second.id] });
    await expect.poll(entries).toMatchObject([
      { id: first.id, memberId: owner, kind: 'said', facts: [{}, { standing: 'settled', tokens }] },
      { id: second.id, memberId: guest, kind: 'said', facts: [{}, { standing: 'settled' }] },
    ]);
  });

  it('A conversation accepts audio and shows its transcript', async () => {
    const { begin, say, waitForEnd } = await startFixture({ quirks: { realtimeDialect } });
    const answer = await waitForEnd(await say(await begin(), { sound: memberAudio }));
    expect(answer.answer?.heard).toMatch(/sound of 0\.9 seconds/);
    expect(answer.text).toContain(answer.answer?.heard ?? 'nothing');
    expect(answer.answer?.tokens?.audioInput).toBeGreaterThan(0);
  });
});

describe('A new utterance', () => {
  it('A new utterance interrupts the running answer, which keeps the text received so far and counts as used', async () => {
    const { begin, say, waitForEnd, waitFor, gateway, entries } = await startFixture({ speed: SLOW_SPEED });
    const talk = await begin();
    const first = await say(talk, 'Tell me of the snow');
    await waitFor(first, ({ answer }) => (answer?.draft ?? '') !== '');
    const second = await say(talk, 'No, of the sun', guest);
    const interrupted = await waitForEnd(first);
    expect(interrupted).toMatchObject({ state: 'cancelled', failure: { cause: 'stopped' } });
    expect(interrupted.text).not.toBe('');
    expect(interrupted.answer?.voice).toBeUndefined();
    expect(interrupted.answer?.tokens?.output).toBeGreaterThan(0);
    gateway.setSpeed(20);
    expect((await waitForEnd(second)).text).toContain('No, of the sun');
    const standings = async () => (await entries()).map(({ facts }) => facts.at(-1)?.standing);
    await expect.poll(standings).toEqual(['settled', 'settled']);
  });

  it('A new utterance waits for earlier ones, so simultaneous utterances are answered in order', {
    tags: ['breadth'],
  }, async () => {
    const { begin, say, waitForEnd, tasks, gateway } = await startFixture();
    const talk = await begin();
    const utterances = await Promise.all(['one', 'two', 'three'].map((words) => say(talk, words)));
    const answers = await Promise.all(utterances.map(waitForEnd));
    expect(answers.map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'ready']);
    expect((await tasks.book.get(talk.id))?.talk?.turns).toEqual(utterances.map(({ id }) => id));
    expect(answers.at(-1)?.text).toContain('three');
    expect(gateway.realtime.openedCount).toBe(1);
  });

  it('A new utterance is not needed to stop an answer', { tags: ['breadth'] }, async () => {
    const { begin, say, waitFor, talks, tasks } = await startFixture({ speed: SLOW_SPEED });
    const utterance = await say(await begin(), 'Tell me of the snow');
    const partial = await waitFor(utterance, ({ answer }) => (answer?.draft ?? '') !== '');
    await talks.stopAnswer(partial);
    const interrupted = await waitFor(utterance, hasEnded);
    expect(interrupted).toMatchObject({ state: 'cancelled', failure: { cause: 'stopped' } });
    await talks.stopAnswer(interrupted);
    expect(await tasks.book.get(utterance.id)).toEqual(interrupted);
  });
});

describe('A request that cannot be carried out', () => {
  it.each([
    ['a model without live sessions', { model: 'quill-5' }, 'invalid', 400],
    ['a voice that does not exist', { voice: 'nobody' }, 'invalid', 400],
  ])(
    "A request that cannot be carried out is refused with the gateway's message: %s",
    async (_, request, kind, status) => {
      const { begin, store, entries, gateway } = await startFixture();
      const refusal = await begin(request).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(GatewayError);
      expect(refusal).toMatchObject({ kind, status });
      expect(await store.live()).toEqual([]);
      expect(await entries()).toEqual([]);
      await expect.poll(() => gateway.realtime.sessions.length).toBe(0);
    },
  );

  it('An utterance in a conversation that has ended, or does not exist, leaves nothing behind', async () => {
    const { begin, say, store, talks, entries } = await startFixture({ isShown: true });
    const talk = await begin();
    await talks.end(talk.id, 'ended');
    for (const parent of [talk, { ...talk, id: 'unknown' }]) {
      const refusal = await say(parent, 'Hello').catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(Refusal);
      expect(refusal).toMatchObject({ key: 'refusals.talkOver' });
    }
    expect((await store.live()).filter(({ kind }) => kind === 'said')).toEqual([]);
    expect((await entries()).map(({ facts }) => facts.at(-1)?.standing)).toEqual(['refunded', 'refunded']);
  });
});
