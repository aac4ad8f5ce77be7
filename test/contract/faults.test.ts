import { describe, expect, it } from 'vitest';
import type { PresetName } from '../../sandbox/gateway/fault-presets.ts';
import type { GatewayErrorKind } from '../../src/services/gateway/errors.ts';
import { describeVariants, itVariants } from '../support/variants.ts';
import { failureOf, openFixture, profiles } from './both.ts';

/** How the client reads each fault: the kind of error, and whether a submit may have been carried out despite it. */
const submitFaults: readonly (readonly [PresetName, GatewayErrorKind, mayHaveTakenEffect: boolean])[] = [
  ['rate-limited', 'rate-limited', false],
  ['rate-limited-until', 'rate-limited', false],
  ['rate-limited-silent', 'rate-limited', false],
  ['saturated', 'rate-limited', false],
  ['server-error', 'unavailable', true],
  ['bad-gateway', 'unavailable', true],
  ['unavailable', 'unavailable', true],
  ['gateway-timeout', 'unavailable', true],
  ['quota', 'quota', false],
  ['unauthorized', 'unauthorized', false],
  ['too-large', 'invalid', false],
  ['empty', 'malformed', true],
  ['hang', 'unreachable', true],
  ['reset', 'unreachable', true],
  ['error-in-200', 'unavailable', true],
  ['success-false', 'invalid', false],
];

/** With these faults, the request is accepted and only the response is damaged or lost. */
const lostResponses: readonly (readonly [PresetName, GatewayErrorKind])[] = [
  ['half', 'malformed'],
  ['lying', 'unreachable'],
  ['cut', 'unreachable'],
  ['accepted-then-500', 'unavailable'],
  ['accepted-then-hang', 'unreachable'],
  ['accepted-then-reset', 'unreachable'],
];

describeVariants(profiles)('Faults of a %s gateway', (profile) => {
  const timeouts = { readMs: 300, submitMs: 300, bodyMs: 300 };

  it.each(submitFaults)(
    'With the fault %s, a submit fails as %s and is not accepted, and the error says so if that is known',
    async (name, kind, mayHaveEffect) => {
      const { gateway, embedded } = await openFixture({ profile, limits: timeouts });
      embedded.faults.add({ do: name });
      const error = await failureOf(gateway.imgx.imagine({ prompt: 'a lighthouse' }));
      expect(error).toMatchObject({ kind, mayHaveTakenEffect: mayHaveEffect });
      expect(error.message).not.toMatch(/[<>]/);
      expect(error.message.length).toBeGreaterThan(10);
      expect(embedded.jobs.list()).toEqual([]);
      expect(embedded.requests).toHaveLength(1);
    },
  );

  it.each(lostResponses)(
    'With the fault %s a submit that was accepted but lost its response is not sent again',
    async (name, kind) => {
      const { gateway, embedded } = await openFixture({ profile, limits: { ...timeouts, attempts: 3 } });
      embedded.faults.add({ do: name });
      const error = await failureOf(gateway.imgx.imagine({ prompt: 'a lighthouse' }));
      expect(error).toMatchObject({ kind, mayHaveTakenEffect: true });
      expect(embedded.jobs.list()).toHaveLength(1);
      expect(embedded.requests).toHaveLength(1);
    },
  );

  itVariants([...submitFaults.map(([name, kind]) => [name, kind] as const), ...lostResponses])(
    'With the fault %s a poll that fails as %s changes nothing about the task',
    async (name, kind) => {
      const { gateway, embedded } = await openFixture({ profile, limits: timeouts });
      const { remoteId } = await gateway.imgx.imagine({ prompt: 'a lighthouse' });
      embedded.faults.add({ do: name });
      expect(await failureOf(gateway.imgx.get(remoteId))).toMatchObject({ kind, mayHaveTakenEffect: false });
      expect((await gateway.imgx.get(remoteId)).state).toBe('queued');
    },
  );

  it.each(['server-error', 'bad-gateway', 'reset', 'half', 'cut', 'empty', 'error-in-200'] as const)(
    'With the fault %s the client retries a read without involving its caller',
    async (name) => {
      const { gateway, embedded } = await openFixture({ profile, limits: { attempts: 3 } });
      const { remoteId } = await gateway.imgx.imagine({ prompt: 'a lighthouse' });
      embedded.faults.add({ do: name, times: 1 });
      expect((await gateway.imgx.get(remoteId)).state).toBe('queued');
    },
  );

  it('The client reports how long to wait if the gateway states it', async () => {
    const { gateway, embedded } = await openFixture({ profile });
    embedded.faults.add({ do: { type: 'status', status: 429, retryAfter: 90 } });
    expect((await failureOf(gateway.models.list())).retryAfterMs).toBe(90_000);
    embedded.faults.add({ do: { type: 'status', status: 429, as: 'empty' } });
    expect((await failureOf(gateway.models.list())).retryAfterMs).toBeUndefined();
  });

  it("The client reports a moderation failure in the gateway's own words", async () => {
    const fixture = await openFixture({ profile });
    fixture.embedded.faults.add({ do: 'moderated' });
    const { remoteId } = await fixture.gateway.imgx.imagine({ prompt: 'a lighthouse' });
    const failedSnapshot = await fixture.pollUntil(() => fixture.gateway.imgx.get(remoteId));
    expect(failedSnapshot).toMatchObject({ state: 'failed', media: [], isEmpty: false });
    expect(failedSnapshot.failure?.reason).toContain('moderation');
  });

  it('The client keeps reporting a stuck task as running', async () => {
    const fixture = await openFixture({ profile });
    fixture.embedded.faults.add({ do: 'stick' });
    const { remoteId } = await fixture.gateway.imgx.imagine({ prompt: 'a lighthouse' });
    fixture.clock.advance(24 * 3_600_000);
    expect((await fixture.gateway.imgx.get(remoteId)).state).toBe('running');
  });

  it('The client reports a task that succeeds without a result as finished and empty', async () => {
    const fixture = await openFixture({ profile });
    fixture.embedded.faults.add({ do: 'no-media' });
    const { remoteId } = await fixture.gateway.imgx.imagine({ prompt: 'a lighthouse' });
    expect(await fixture.pollUntil(() => fixture.gateway.imgx.get(remoteId))).toMatchObject({
      state: 'succeeded',
      media: [],
      isEmpty: true,
    });
  });

  it('The client reports no actions for a finished task without buttons', async () => {
    const fixture = await openFixture({ profile });
    fixture.embedded.faults.add({ do: 'no-buttons' });
    const { remoteId } = await fixture.gateway.imgx.imagine({ prompt: 'a lighthouse' });
    expect((await fixture.pollUntil(() => fixture.gateway.imgx.get(remoteId))).actions).toEqual([]);
  });

  it('The client keeps the reported URLs of lost files and of files of 60 MB', { tags: ['breadth'] }, async () => {
    const fixture = await openFixture({ profile });
    fixture.embedded.faults.add({ do: 'lose-files' });
    const lostSubmission = await fixture.gateway.imgx.imagine({ prompt: 'lost' });
    fixture.embedded.faults.add({ do: 'huge-file' });
    const hugeSubmission = await fixture.gateway.imgx.imagine({ prompt: 'huge' });
    const [lostImage] = (await fixture.pollUntil(() => fixture.gateway.imgx.get(lostSubmission.remoteId))).media;
    expect((await fetch(lostImage?.address ?? '')).status).toBe(403);
    const [hugeImage] = (await fixture.pollUntil(() => fixture.gateway.imgx.get(hugeSubmission.remoteId))).media;
    const head = await fetch(hugeImage?.address ?? '', { method: 'HEAD' });
    expect(Number(head.headers.get('content-length'))).toBeGreaterThanOrEqual(60 * 1024 * 1024);
  });
});

describe('Deviations of real gateways', () => {
  it('The client treats an empty status right after the submit as queued', async () => {
    const { gateway } = await openFixture({ profile: 'stock', quirks: { emptyStatus: true } });
    const { remoteId } = await gateway.imgx.imagine({ prompt: 'a lighthouse' });
    expect(await gateway.imgx.get(remoteId)).toMatchObject({ state: 'queued', word: '' });
  });

  it('The client reports a task that is unknown for its first second as not found, then as found', async () => {
    const fixture = await openFixture({ profile: 'stock', quirks: { lateTask: true } });
    const { remoteId } = await fixture.gateway.music.makeSong({ about: 'x' });
    expect(await failureOf(fixture.gateway.music.get(remoteId))).toMatchObject({ kind: 'not-found' });
    fixture.clock.advance(1_100);
    expect((await fixture.gateway.music.get(remoteId)).state).toBe('queued');
  });

  it('The client reads a list of buttons that is sent as a string', async () => {
    const fixture = await openFixture({ profile: 'stock', quirks: { listsAsText: true } });
    const { remoteId } = await fixture.gateway.imgx.imagine({ prompt: 'a lighthouse' });
    expect((await fixture.pollUntil(() => fixture.gateway.imgx.get(remoteId))).actions.length).toBeGreaterThan(8);
  });

  it('The client rewrites image URLs on "localhost" to the gateway', async () => {
    const fixture = await openFixture({ profile: 'stock', quirks: { localhostPictures: true } });
    const { remoteId } = await fixture.gateway.imgx.imagine({ prompt: 'a lighthouse' });
    const { media } = await fixture.pollUntil(() => fixture.gateway.imgx.get(remoteId));
    expect(media[0]?.address).toBe(`${fixture.embedded.url}/imgx/image/${remoteId}`);
    expect((await fetch(media[0]?.address ?? '')).headers.get('content-type')).toMatch(/^image\//);
  });

  it('The client reports the queue ahead of a task, and a full queue as a refusal', async () => {
    const { gateway, embedded } = await openFixture({
      profile: 'stock',
      quirks: { queuedFrom: 1, fullFrom: 2, rewriteCodes: false },
    });
    await gateway.imgx.imagine({ prompt: 'one' });
    expect((await gateway.imgx.imagine({ prompt: 'two' })).queuedBehind).toBe(1);
    const refusal = await failureOf(gateway.imgx.imagine({ prompt: 'three' }));
    expect(refusal).toMatchObject({ kind: 'rate-limited', mayHaveTakenEffect: false });
    expect(embedded.jobs.list()).toHaveLength(2);
  });

  it('The client reports a request body over the limit as refused with status 413', async () => {
    for (const profile of profiles) {
      const { gateway, embedded } = await openFixture({ profile, quirks: { bodyLimit: 2_000 } });
      const error = await failureOf(gateway.imgx.imagine({ prompt: 'long '.repeat(1_000) }));
      expect(error).toMatchObject({ kind: 'invalid', status: 413, mayHaveTakenEffect: false });
      expect(embedded.jobs.list()).toEqual([]);
    }
  });
});
