import { describe, expect, it } from 'vitest';
import type { PresetName } from '../../sandbox/gateway/fault-presets.ts';
import type { GatewayErrorKind } from '../../src/services/gateway/index.ts';
import { both, failureOf, profiles } from './both.ts';

/** What a client makes of each trouble: its kind, and whether a submit under it may have been carried out. */
const troubles: readonly (readonly [PresetName, GatewayErrorKind, mayHaveTakenEffect: boolean])[] = [
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

/** Here the order is taken and only the answer is spoiled. */
const lostAnswers: readonly (readonly [PresetName, GatewayErrorKind])[] = [
  ['half', 'malformed'],
  ['lying', 'unreachable'],
  ['cut', 'unreachable'],
  ['accepted-then-500', 'unavailable'],
  ['accepted-then-hang', 'unreachable'],
  ['accepted-then-reset', 'unreachable'],
];

describe.each(profiles)('trouble with a %s gateway', (profile) => {
  const waitLimit = { readMs: 300, submitMs: 300, bodyMs: 300 };

  it.each(troubles)(
    '%s: an order ends as %s, was not taken, and says so as far as it can be known',
    async (name, kind, may) => {
      const { gateway, embedded } = await both({ profile, limits: waitLimit });
      embedded.faults.add({ do: name });
      const error = await failureOf(gateway.imgx.imagine({ prompt: 'a lighthouse' }));
      expect(error).toMatchObject({ kind, mayHaveTakenEffect: may });
      expect(error.message).not.toMatch(/[<>]/);
      expect(error.message.length).toBeGreaterThan(10);
      expect(embedded.jobs.list()).toEqual([]);
      expect(embedded.heard).toHaveLength(1);
    },
  );

  it.each(lostAnswers)('%s: an order was taken, its answer was lost, and it is not sent again', async (name, kind) => {
    const { gateway, embedded } = await both({ profile, limits: { ...waitLimit, attempts: 3 } });
    embedded.faults.add({ do: name });
    const error = await failureOf(gateway.imgx.imagine({ prompt: 'a lighthouse' }));
    expect(error).toMatchObject({ kind, mayHaveTakenEffect: true });
    expect(embedded.jobs.list()).toHaveLength(1);
    expect(embedded.heard).toHaveLength(1);
  });

  it.each([...troubles.map(([name, kind]) => [name, kind] as const), ...lostAnswers])(
    '%s: a question that ends as %s changes nothing at the task',
    async (name, kind) => {
      const { gateway, embedded } = await both({ profile, limits: waitLimit });
      const { remoteId } = await gateway.imgx.imagine({ prompt: 'a lighthouse' });
      embedded.faults.add({ do: name });
      expect(await failureOf(gateway.imgx.get(remoteId))).toMatchObject({ kind, mayHaveTakenEffect: false });
      expect((await gateway.imgx.get(remoteId)).state).toBe('queued');
    },
  );

  it.each(['server-error', 'bad-gateway', 'reset', 'half', 'cut', 'empty', 'error-in-200'] as const)(
    '%s: a question is asked again by itself, and the caller does not notice',
    async (name) => {
      const { gateway, embedded } = await both({ profile, limits: { attempts: 3 } });
      const { remoteId } = await gateway.imgx.imagine({ prompt: 'a lighthouse' });
      embedded.faults.add({ do: name, times: 1 });
      expect((await gateway.imgx.get(remoteId)).state).toBe('queued');
    },
  );

  it('Trouble with a gateway tells how long to wait when the gateway tells it', async () => {
    const { gateway, embedded } = await both({ profile });
    embedded.faults.add({ do: { type: 'status', status: 429, retryAfter: 90 } });
    expect((await failureOf(gateway.models.list())).retryAfterMs).toBe(90_000);
    embedded.faults.add({ do: { type: 'status', status: 429, as: 'empty' } });
    expect((await failureOf(gateway.models.list())).retryAfterMs).toBeUndefined();
  });

  it("A task that fails by moderation says so in the gateway's words", async () => {
    const side = await both({ profile });
    side.embedded.faults.add({ do: 'moderated' });
    const { remoteId } = await side.gateway.imgx.imagine({ prompt: 'a lighthouse' });
    const failed = await side.until(() => side.gateway.imgx.get(remoteId));
    expect(failed).toMatchObject({ state: 'failed', media: [], isEmpty: false });
    expect(failed.failure?.reason).toContain('moderation');
  });

  it('A task that sticks goes on running for ever', async () => {
    const side = await both({ profile });
    side.embedded.faults.add({ do: 'stick' });
    const { remoteId } = await side.gateway.imgx.imagine({ prompt: 'a lighthouse' });
    side.clock.advance(24 * 3_600_000);
    expect((await side.gateway.imgx.get(remoteId)).state).toBe('running');
  });

  it('A task that succeeds with nothing to show is finished and empty', async () => {
    const side = await both({ profile });
    side.embedded.faults.add({ do: 'no-media' });
    const { remoteId } = await side.gateway.imgx.imagine({ prompt: 'a lighthouse' });
    expect(await side.until(() => side.gateway.imgx.get(remoteId))).toMatchObject({
      state: 'succeeded',
      media: [],
      isEmpty: true,
    });
  });

  it('A finished task without buttons has no actions', async () => {
    const side = await both({ profile });
    side.embedded.faults.add({ do: 'no-buttons' });
    const { remoteId } = await side.gateway.imgx.imagine({ prompt: 'a lighthouse' });
    expect((await side.until(() => side.gateway.imgx.get(remoteId))).actions).toEqual([]);
  });

  it('Files that are lost and files of 60 MB are still at the address that was named', async () => {
    const side = await both({ profile });
    side.embedded.faults.add({ do: 'lose-files' });
    const lost = await side.gateway.imgx.imagine({ prompt: 'lost' });
    side.embedded.faults.add({ do: 'huge-file' });
    const huge = await side.gateway.imgx.imagine({ prompt: 'huge' });
    const [gone] = (await side.until(() => side.gateway.imgx.get(lost.remoteId))).media;
    expect((await fetch(gone?.address ?? '')).status).toBe(403);
    const [large] = (await side.until(() => side.gateway.imgx.get(huge.remoteId))).media;
    const head = await fetch(large?.address ?? '', { method: 'HEAD' });
    expect(Number(head.headers.get('content-length'))).toBeGreaterThanOrEqual(60 * 1024 * 1024);
  });
});

describe('deviations of gateways in the wild', () => {
  it('An empty status right after the submit means queued', async () => {
    const { gateway } = await both({ profile: 'stock', quirks: { emptyStatus: true } });
    const { remoteId } = await gateway.imgx.imagine({ prompt: 'a lighthouse' });
    expect(await gateway.imgx.get(remoteId)).toMatchObject({ state: 'queued', word: '' });
  });

  it('A task that is unknown for its first second is not found, and then found', async () => {
    const side = await both({ profile: 'stock', quirks: { lateTask: true } });
    const { remoteId } = await side.gateway.music.makeSong({ about: 'x' });
    expect(await failureOf(side.gateway.music.get(remoteId))).toMatchObject({ kind: 'not-found' });
    side.clock.advance(1_100);
    expect((await side.gateway.music.get(remoteId)).state).toBe('queued');
  });

  it('Buttons that travel as text are read all the same', async () => {
    const side = await both({ profile: 'stock', quirks: { listsAsText: true } });
    const { remoteId } = await side.gateway.imgx.imagine({ prompt: 'a lighthouse' });
    expect((await side.until(() => side.gateway.imgx.get(remoteId))).actions.length).toBeGreaterThan(8);
  });

  it('Image addresses on "localhost" are led back to the gateway', async () => {
    const side = await both({ profile: 'stock', quirks: { localhostPictures: true } });
    const { remoteId } = await side.gateway.imgx.imagine({ prompt: 'a lighthouse' });
    const { media } = await side.until(() => side.gateway.imgx.get(remoteId));
    expect(media[0]?.address).toBe(`${side.embedded.url}/imgx/image/${remoteId}`);
    expect((await fetch(media[0]?.address ?? '')).headers.get('content-type')).toMatch(/^image\//);
  });

  it('A queue before the task is told, and a full one is a refusal', async () => {
    const { gateway, embedded } = await both({
      profile: 'stock',
      quirks: { queuedFrom: 1, fullFrom: 2, rewriteCodes: false },
    });
    await gateway.imgx.imagine({ prompt: 'one' });
    expect((await gateway.imgx.imagine({ prompt: 'two' })).queuedBehind).toBe(1);
    const refused = await failureOf(gateway.imgx.imagine({ prompt: 'three' }));
    expect(refused).toMatchObject({ kind: 'rate-limited', mayHaveTakenEffect: false });
    expect(embedded.jobs.list()).toHaveLength(2);
  });

  it('A body over the limit is a refusal that says so', async () => {
    for (const profile of profiles) {
      const { gateway, embedded } = await both({ profile, quirks: { bodyLimit: 2_000 } });
      const error = await failureOf(gateway.imgx.imagine({ prompt: 'long '.repeat(1_000) }));
      expect(error).toMatchObject({ kind: 'invalid', status: 413, mayHaveTakenEffect: false });
      expect(embedded.jobs.list()).toEqual([]);
    }
  });
});
