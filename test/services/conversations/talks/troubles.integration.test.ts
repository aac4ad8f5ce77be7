import { describe, expect, it } from 'vitest';
import { answerOf } from '../../../../src/services/conversations/ask-transitions.ts';
import { hasEnded } from '../../../../src/services/tasks/task.ts';
import { ledgerTasks } from '../../../support/ledger-tasks.ts';
import { describeVariants, itVariants } from '../../../support/variants.ts';
import { order } from '../../orders/builders.ts';
import { sql } from '../../store/store-fixture.ts';
import { owner, startFixture, type TalkFixture } from './fixture.ts';

const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'Nothing was refused.',
    (error: unknown) => error,
  );

const utterancesIn = async ({ store }: TalkFixture) =>
  (await ledgerTasks(store.entries)).filter(({ kind }) => kind === 'said');

const standings = async ({ entries }: TalkFixture) => (await entries()).map(({ facts }) => facts.at(-1)?.standing);

describeVariants(['ga', 'beta'] as const)(
  'A faulty gateway in a live conversation in the %s dialect',
  (realtimeDialect) => {
    itVariants([
      ['drop-middle', 'cut'],
      ['failed', 'failed'],
    ] as const)(
      'An answer hit by the fault %s keeps the text received so far, is charged, and lets the conversation continue',
      async (fault, cause) => {
        const setup = await startFixture({ quirks: { realtimeDialect } });
        const { begin, say, waitForEnd, gateway } = setup;
        const talk = await begin();
        gateway.faults.add({ on: { kind: 'realtime' }, do: `realtime-${fault}` });
        const interrupted = await waitForEnd(await say(talk, 'We speak of gardens'));
        expect(interrupted).toMatchObject({ state: 'failed', failure: { cause } });
        expect(interrupted.text).toMatch(/^This/);
        const answer = await waitForEnd(await say(talk, 'Where were we?'));
        expect(answer).toMatchObject({ state: 'ready' });
        expect(answer.text).toContain('We speak of gardens');
        await expect.poll(() => standings(setup)).toEqual(['settled', 'settled']);
      },
    );
  },
);

it('An incomplete answer shows its reason', async () => {
  const { begin, say, waitForEnd, gateway } = await startFixture();
  const talk = await begin();
  gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-incomplete' });
  const answer = await waitForEnd(await say(talk, 'Hello'));
  expect(answer).toMatchObject({ state: 'ready', answer: { incomplete: 'content_filter' } });
  expect(answerOf(answer).voice?.seconds).toBeGreaterThan(0);
});

it('A refused utterance leaves the conversation running and stores nothing', async () => {
  const setup = await startFixture();
  const { begin, say, waitForEnd, gateway } = setup;
  const talk = await begin();
  gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-refused' });
  expect(await refusalOf(say(talk, 'Hello'))).toMatchObject({ name: 'GatewayError', mayHaveTakenEffect: false });
  expect(await utterancesIn(setup)).toEqual([]);
  expect((await waitForEnd(await say(talk, 'Hello again'))).state).toBe('ready');
  expect((await setup.tasks.book.get(talk.id))?.talk?.turns).toHaveLength(1);
  await expect.poll(() => standings(setup)).toEqual(['refunded', 'settled']);
});

it('An utterance with an unknown outcome is left for its owner to resolve', async () => {
  const setup = await startFixture();
  const { begin, say, waitForEnd, gateway, tasks } = setup;
  const talk = await begin();
  gateway.faults.add({ on: { kind: 'realtime' }, do: 'realtime-drop-asked' });
  const utterance = await say(talk, 'Hello');
  expect(utterance).toMatchObject({ state: 'unconfirmed', parentId: talk.id });
  expect((await tasks.book.get(talk.id))?.talk?.turns).toEqual([]);
  const second = await tasks.orders.tryAgain(utterance.id, {
    requesterId: owner,
    channelId: utterance.channelId,
    route: order.route,
  });
  expect(await waitForEnd(second)).toMatchObject({ state: 'ready', request: utterance.request, parentId: talk.id });
  await expect.poll(() => standings(setup)).toEqual(['settled', 'settled']);
});

it('An answer whose voice message fails keeps its text, and the log contains the reason', async () => {
  const finish = () => Promise.reject(new Error('The writer has no ink.'));
  const writing = () => ({ isEmpty: false, add: () => undefined, finish, drop: () => undefined });
  const { begin, say, waitForEnd, logged } = await startFixture({ sounds: { startVoice: writing } });
  const answer = await waitForEnd(await say(await begin(), 'Hello'));
  expect(answer.state).toBe('ready');
  expect(answer.text).toContain('Hello');
  expect(answer.answer?.voice).toBeUndefined();
  expect(logged()).toContain('The writer has no ink.');
});

describe('A conversation that is reopened', () => {
  const unavailable = { type: 'status', status: 503 } as const;
  const notFound = { type: 'status', status: 404 } as const;

  it('A conversation that is reopened waits for an unreachable gateway, and reports that to members who speak in the meantime', async () => {
    const first = await startFixture();
    const talk = await first.begin();
    await first.stop();
    const second = await startFixture({}, first);
    const { gateway, say, waitForEnd, tasks } = second;
    gateway.faults.add({ on: { path: '/v1/realtime' }, do: unavailable, times: 5 });
    const refusal = await refusalOf(say(talk, 'Hello'));
    expect(refusal).toMatchObject({ name: 'GatewayError', kind: 'unavailable', mayHaveTakenEffect: false });
    expect(await utterancesIn(second)).toEqual([]);
    expect(await tasks.book.get(talk.id)).toMatchObject({ state: 'running' });
    gateway.faults.clear();
    expect((await waitForEnd(await say(talk, 'Hello once more'))).state).toBe('ready');
  });

  it('A conversation that is reopened ends if the gateway refuses it permanently', async () => {
    const first = await startFixture();
    const talk = await first.begin();
    await first.stop();
    const { gateway, say, waitFor } = await startFixture({}, first);
    gateway.faults.add({ on: { path: '/v1/realtime' }, do: notFound });
    expect(await refusalOf(say(talk, 'Hello'))).toMatchObject({ name: 'GatewayError', status: 404 });
    expect(await waitFor(talk, hasEnded)).toMatchObject({ state: 'ready', talk: { end: 'lost' } });
    expect(await refusalOf(say(talk, 'Are you there?'))).toMatchObject({ key: 'refusals.talkOver' });
  });
});

it('A conversation ends because of an erasure that was requested before a restart', async () => {
  const first = await startFixture();
  const talk = await first.begin();
  const storedTalk = await first.tasks.book.get(talk.id);
  // The erasure is stored without notifying the process.
  if (storedTalk) await first.store.put({ ...storedTalk, unwanted: true });
  await first.kill();
  const second = await startFixture({ isShown: true }, first);
  await second.tasks.erasure.begin(owner, async () => true);
  await expect.poll(() => second.store.erasures.all()).toEqual([]);
  expect(sql(second.file, "SELECT key FROM atelier WHERE namespace IN ('live', 'finished')")).toEqual([]);
});
