import { describe, expect, it } from 'vitest';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { createLogger } from '../../../../src/lib/log.ts';
import { examine } from '../../../../src/services/store/examination/examination.ts';
import { hasEnded } from '../../../../src/services/tasks/task.ts';
import { ledgerTasks } from '../../../support/ledger-tasks.ts';
import { describeVariants } from '../../../support/variants.ts';
import { guest, SLOW_SPEED, startFixture } from './fixture.ts';

const MINUTE = 60_000;
const log = createLogger({ level: 'error', secrets: [], isPretty: false, write: () => undefined });

describeVariants(['ga', 'beta'] as const)('A restart in the %s dialect', (realtimeDialect) => {
  it('A restart continues a conversation with the next utterance, and opens no session before that', async () => {
    const first = await startFixture({ quirks: { realtimeDialect } });
    const talk = await first.begin({ voice: 'sage' });
    const utterance = await first.waitForEnd(await first.say(talk, 'My name is Wren'));
    await first.stop();
    const { gateway } = first;
    await expect.poll(() => gateway.realtime.sessions).toEqual([]);
    const second = await startFixture({}, first);
    expect(second.talks.findInChannel(talk.channelId ?? '')?.id).toBe(talk.id);
    expect(gateway.realtime.openedCount).toBe(1);
    const answer = await second.waitForEnd(await second.say(talk, 'What is my name?', guest));
    expect(answer.text).toContain('My name is Wren');
    expect(gateway.realtime.openedCount).toBe(2);
    expect((await second.tasks.book.get(talk.id))?.talk?.turns).toEqual([utterance.id, answer.id]);
  });
});

describe('A restart', () => {
  it('A restart in the middle of an answer leaves the answer interrupted with the text received so far, which the model remembers', async () => {
    const first = await startFixture({ speed: SLOW_SPEED });
    const talk = await first.begin();
    const utterance = await first.say(talk, 'My name is Wren');
    await first.waitFor(utterance, ({ answer }) => (answer?.draft ?? '') !== '');
    await first.stop();
    const second = await startFixture({}, first);
    const interrupted = await second.waitForEnd(utterance);
    expect(interrupted).toMatchObject({ state: 'failed', failure: { cause: 'interrupted' } });
    expect(interrupted.text).toMatch(/^This /);
    first.gateway.setSpeed(20);
    const answer = await second.waitForEnd(await second.say(talk, 'What is my name?'));
    expect(answer.text).toContain('My name is Wren');
  });

  it('A restart ends conversations that have been silent for a quarter of an hour, and no others', {
    tags: ['breadth'],
  }, async () => {
    const first = await startFixture();
    const talk = await first.begin();
    await first.waitForEnd(await first.say(talk, 'Hello'));
    await first.kill();
    first.clock.advance(14 * MINUTE);
    const second = await startFixture({}, first);
    expect(await second.tasks.book.get(talk.id)).toMatchObject({ state: 'running' });
    await second.kill();
    first.clock.advance(MINUTE);
    const third = await startFixture({}, first);
    expect(await third.waitFor(talk, hasEnded)).toMatchObject({ talk: { end: 'idle' } });
    expect(first.gateway.realtime.openedCount).toBe(1);
  });

  it('A restart does not restore a conversation whose start was never shown', async () => {
    const first = await startFixture();
    first.gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-hang-open' });
    const pendingStart = first.begin().catch((error: unknown) => error);
    await expect.poll(() => first.store.live()).toHaveLength(1);
    await first.kill();
    await pendingStart;
    const second = await startFixture({}, first);
    expect(await second.store.live()).toEqual([]);
    expect(second.talks.findInChannel('300000000000000001')).toBeUndefined();
  });

  it('A restart finds consistent data after a power failure at any write', { tags: ['breadth'] }, async () => {
    const outcomes: string[] = [];
    for (let diesAfter = 1; ; diesAfter++) {
      const first = await startFixture({ diesAfter, isShown: true });
      const { gateway, clock } = first;
      let requestCount = 0;
      gateway.realtime.on('received', (_, event) => {
        if (JSON.stringify(event).includes('"response.create"')) requestCount += 1;
      });
      const talk = await first.begin().catch(() => undefined);
      const utterance = talk && (await first.say(talk, 'Hello').catch(() => undefined));
      const isSettled = async () =>
        utterance && (await first.tasks.book.get(utterance.id))?.times.settled !== undefined;
      if (utterance) await expect.poll(async () => first.isDead() || (await isSettled())).toBe(true);
      const isComplete = !first.isDead();
      await first.kill();

      const second = await startFixture({ isShown: true }, first);
      const storedTasks = () => ledgerTasks(second.store.entries);
      await expect.poll(async () => (await second.store.live()).every(({ kind }) => kind === 'talk')).toBe(true);
      const [outcome] = (await storedTasks()).filter(({ kind }) => kind === 'said');
      if (requestCount > 0) expect(outcome).toBeDefined();
      expect(requestCount).toBeLessThanOrEqual(1);
      expect(outcome?.answer?.voice?.sound).toBeUndefined();
      const [runningTalk] = second.tasks.book.live((task) => task.kind === 'talk');
      if (outcome)
        await expect.poll(() => second.tasks.book.live((task) => task.kind === 'talk')[0]?.state).toBe('running');
      expect(runningTalk?.talk?.turns ?? []).toEqual(outcome?.times.accepted ? [outcome.id] : []);
      outcomes.push(
        outcome
          ? `${outcome.state} ${outcome.failure?.cause ?? ''}`.trim()
          : `none, ${runningTalk ? 'in a talk' : 'and no talk'}`,
      );
      if (runningTalk) expect((await second.say(runningTalk, 'Again')).state).toBe('accepted');
      await second.stop();
      const address = { url: `sqlite://${first.file}`, scheme: 'sqlite' } as const;
      const { findings } = await examine(address, { specs: kindSpecs, clock, log, repair: false });
      expect(findings).toEqual([]);
      if (isComplete) break;
    }
    // Every point at which a power failure may happen was covered.
    expect(new Set(outcomes)).toEqual(
      new Set(['none, and no talk', 'none, in a talk', 'unconfirmed unconfirmed', 'failed interrupted', 'delivered']),
    );
  });
});
