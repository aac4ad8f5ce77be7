import { describe, expect, it } from 'vitest';
import { type Dialect, dialects } from '../../sandbox/gateway/realtime/dialect.ts';
import { synthesizeSpeech } from '../../sandbox/gateway/realtime/voice.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { PCM_RATE } from '../../src/lib/pcm.ts';
import type { RealtimeAnswer } from '../../src/services/gateway/realtime-answer.ts';
import type {
  EarlierTurn,
  RealtimeEvent,
  RealtimeResponse,
  RealtimeSettings,
  Utterance,
} from '../../src/services/gateway/realtime-events.ts';
import type { RealtimeSession } from '../../src/services/gateway/realtime-session.ts';
import { describeVariants, itVariants } from '../support/variants.ts';
import { type Fixture, type FixtureOptions, failureOf, openFixture, profiles } from './both.ts';

const model = 'parley-realtime';
const request: RealtimeSettings = { model, voice: 'ash', instructions: 'Be brief.' };

interface Talk extends Fixture {
  session: RealtimeSession;
  exchange(utterance: Utterance): Promise<Exchange>;
}

interface Exchange {
  events: RealtimeEvent[];
  end: RealtimeResponse;
}

/** Starts a gateway that speaks so fast by default that a reply takes milliseconds. */
const fastGateway = (dialect: Dialect, options: FixtureOptions = {}): Promise<Fixture> =>
  openFixture({
    clock: systemClock,
    speed: 10_000,
    ...options,
    quirks: { realtimeDialect: dialect, ...options.quirks },
  });

async function startTalk(
  dialect: Dialect,
  settings: Partial<RealtimeSettings> = {},
  options?: FixtureOptions,
): Promise<Talk> {
  const fixture = await fastGateway(dialect, options);
  const turns: EarlierTurn[] = [];
  const session = await fixture.gateway.realtime.open({ ...request, ...settings }, { history: async () => turns });
  const exchange = async (utterance: Utterance): Promise<Exchange> => {
    const result = await collect(await session.say(utterance));
    turns.push({ by: 'member', text: utterance.text ?? '' }, { by: 'model', text: result.end.text });
    return result;
  };
  return { ...fixture, session, exchange };
}

async function collect(reply: RealtimeAnswer): Promise<Exchange> {
  const events: RealtimeEvent[] = [];
  for await (const event of reply.events) events.push(event);
  const lastEvent = events.at(-1);
  if (lastEvent?.type !== 'end') throw new Error(`No end: ${JSON.stringify(lastEvent)}`);
  expect(events.filter(({ type }) => type === 'end')).toHaveLength(1);
  expect(lastEvent.response.text).toBe(
    events.flatMap((event) => (event.type === 'text' ? [event.delta] : [])).join(''),
  );
  return { events, end: lastEvent.response };
}

const samplesOf = ({ events }: Exchange): number[] =>
  events.flatMap((event) => (event.type === 'audio' ? [...event.pcm] : []));

/** Asserts that the audio is what this gateway sends when it speaks the text. */
function expectSpoken(turn: Exchange): void {
  const expected = synthesizeSpeech(turn.end.text, 'ash');
  const received = samplesOf(turn);
  expect(received).toHaveLength(expected.length);
  expect(received.every((sample, i) => sample === expected[i])).toBe(true);
}

/** A tone of this many seconds. */
const tone = (seconds: number): Int16Array =>
  Int16Array.from({ length: seconds * PCM_RATE }, (_none, i) => Math.sin((i * 440 * 2 * Math.PI) / PCM_RATE) * 8_000);

describeVariants(dialects)('A live conversation in the %s dialect', (dialect) => {
  it('A live conversation is answered with audio, its transcript and its usage', async () => {
    const { exchange, embedded, session } = await startTalk(dialect);
    expect(session.id).toBe(embedded.realtime.sessions[0]?.id);
    const turn = await exchange({ text: 'Tell me of foxes' });
    expect(turn.end).toMatchObject({ end: 'completed', error: undefined });
    expect(turn.end.text).toContain('You said: “Tell me of foxes”');
    expect(turn.end.text).toContain('I was told: “Be brief.”');
    expectSpoken(turn);
    const { input = 0, output = 0, audioOutput = 0 } = turn.end.usage ?? {};
    expect(input).toBeGreaterThan(0);
    expect(output).toBeGreaterThan(audioOutput);
    expect(audioOutput).toBeGreaterThan(0);
  });

  it('A live conversation accepts audio and reports its transcript if transcription is on', async () => {
    const { exchange } = await startTalk(dialect, { transcriber: 'parley-transcribe-1' });
    const turn = await exchange({ audio: tone(2.5) });
    const [transcript] = turn.events.flatMap((event) => (event.type === 'heard' ? [event.text] : []));
    expect(transcript).toMatch(/2[.,]5/);
    expect(turn.end.text).toContain(transcript);
    expect(turn.end.usage?.audioInput).toBeGreaterThan(0);
  });

  it('A live conversation reports a failed transcription and is still answered', async () => {
    const { exchange, embedded } = await startTalk(dialect, { transcriber: 'parley-transcribe-1' });
    embedded.faults.add({ do: 'realtime-transcription-failed' });
    const turn = await exchange({ audio: tone(1) });
    expect(turn.events.map(({ type }) => type)).not.toContain('heard');
    expect(turn.end.end).toBe('completed');
  });

  it('A live conversation works without transcription if the gateway refuses it', async () => {
    const fixture = await fastGateway(dialect);
    fixture.embedded.faults.add({ do: 'realtime-refuse-transcriber' });
    const session = await fixture.gateway.realtime.open({ ...request, transcriber: 'parley-transcribe-1' });
    const turn = await collect(await session.say({ audio: tone(1) }));
    expect(turn.end.end).toBe('completed');
    expectSpoken(turn);
  });

  it("A live conversation is refused with the gateway's own words for a voice that does not exist", async () => {
    const fixture = await fastGateway(dialect);
    expect(await failureOf(fixture.gateway.realtime.open({ ...request, voice: 'unknown' }))).toMatchObject({
      kind: 'invalid',
      param: dialect === 'ga' ? 'session.audio.output.voice' : 'session.voice',
      mayHaveTakenEffect: false,
    });
  });

  it('A live conversation can be interrupted: the gateway drops what it had not sent, and accepts the next utterance', async () => {
    const fixture = await startTalk(dialect, {}, { speed: 5 });
    const reply = await fixture.session.say({ text: 'Tell me of foxes' });
    const received: RealtimeEvent[] = [];
    for await (const event of reply.events) {
      received.push(event);
      if (event.type === 'audio' && received.length < 20) await reply.interrupt();
    }
    const end = received.at(-1);
    expect(end).toMatchObject({ type: 'end', response: { end: 'cancelled' } });
    const items = JSON.stringify(fixture.embedded.realtime.sessions[0]?.items);
    expect(items).not.toContain('I was told');
    fixture.embedded.setSpeed(10_000);
    expect((await fixture.exchange({ text: 'Of hares, then' })).end.text).toContain('The first of 2 things was');
    expect(fixture.logLines.map(({ facts }) => facts)).toEqual([]);
  });

  it('A live conversation survives a lost connection, including its history', async () => {
    const { exchange, embedded } = await startTalk(dialect);
    const first = await exchange({ text: 'My boat is green' });
    embedded.realtime.dropAll();
    const second = await exchange({ text: 'And the sail?' });
    expect(second.end.text).toContain('The first of 2 things was: “My boat is green”');
    expect(second.end.text).toContain(first.end.text.split(' ').slice(-4).join(' '));
    expect(second.end.text).toContain('I was told: “Be brief.”');
    expectSpoken(second);
    expect(embedded.realtime.openedCount).toBe(2);
  });

  it('A live conversation continues from an earlier conversation', async () => {
    const fixture = await fastGateway(dialect);
    const earlier = [
      { by: 'member', text: 'My boat is green' },
      { by: 'model', text: 'So it floats' },
    ] as const;
    const session = await fixture.gateway.realtime.open(request, { history: async () => earlier });
    const { end } = await collect(await session.say({ text: 'And the sail?' }));
    expect(end.text).toContain('My boat is green');
    expect(end.text).toContain('So it floats');
  });

  it('A live conversation moves to another connection when its session expires after an hour', async () => {
    const { exchange, embedded } = await startTalk(dialect);
    await exchange({ text: 'My boat is green' });
    const [firstSession] = embedded.realtime.sessions;
    firstSession?.expire();
    expect((await exchange({ text: 'And the sail?' })).end.text).toContain('My boat is green');
  });

  itVariants(['garbage', 'binary', 'other-dialect', 'unknown', 'odd-bytes', 'error'] as const)(
    'A live conversation is answered completely and once despite %s',
    async (fault) => {
      const { exchange, embedded } = await startTalk(dialect);
      embedded.faults.add({ do: `realtime-${fault}` });
      const turn = await exchange({ text: 'Tell me of foxes' });
      expect(turn.end.end).toBe('completed');
      expect(turn.end.text).toMatch(/^This is the sandbox speaking\. You said: “Tell me of foxes”/);
      expectSpoken(turn);
      expect(embedded.faults.list()).toEqual([]);
    },
  );

  itVariants([
    ['drop-middle', { end: 'cut', error: { kind: 'unreachable', code: 'cut', mayHaveTakenEffect: true } }],
    ['drop-end', { end: 'cut', error: { kind: 'unreachable', code: 'cut' } }],
    ['limit-middle', { end: 'cut', error: { kind: 'unreachable' } }],
    ['fatal', { end: 'cut', error: { kind: 'unreachable' } }],
    ['failed', { end: 'failed', error: { code: 'server_error' } }],
    ['incomplete', { end: 'incomplete', reason: 'content_filter' }],
  ] as const)(
    'A live conversation keeps what had arrived before the fault %s, and continues',
    async (fault, expected) => {
      const { exchange, embedded } = await startTalk(dialect);
      embedded.faults.add({ do: `realtime-${fault}` });
      const turn = await exchange({ text: 'Tell me of foxes' });
      expect(turn.end).toMatchObject(expected);
      expect(turn.end.text).toMatch(/^This is/);
      const next = await exchange({ text: 'Go on' });
      expect(next.end.end).toBe('completed');
      expect(next.end.text).toContain('Tell me of foxes');
      expect(next.end.text).toContain('My last words were');
    },
  );

  itVariants([
    ['drop-asked', { kind: 'unreachable', code: 'cut', mayHaveTakenEffect: true }],
    ['limit', { kind: 'unreachable', mayHaveTakenEffect: true }],
    ['refused', { kind: 'rate-limited', mayHaveTakenEffect: false }],
  ] as const)(
    'A live conversation reports whether an utterance may have taken effect with the fault %s, and does not repeat it',
    async (fault, expected) => {
      const { exchange, session, embedded } = await startTalk(dialect);
      embedded.faults.add({ do: `realtime-${fault}` });
      expect(await failureOf(session.say({ text: 'Tell me of foxes' }))).toMatchObject(expected);
      expect(embedded.streamCount).toBe(0);
      const next = await exchange({ text: 'Hello' });
      expect(next.end.text).not.toContain('foxes');
    },
  );

  it('A live conversation stops waiting for a gateway that has gone quiet', async () => {
    // Long enough for the replies of a busy machine.
    const limits = { submitMs: 3_000, silenceMs: 3_000 };
    const { session, embedded, exchange } = await startTalk(dialect, {}, { limits });
    embedded.faults.add({ do: 'realtime-hang-asked' });
    expect(await failureOf(session.say({ text: 'Hello' }))).toMatchObject({ code: 'silent', mayHaveTakenEffect: true });
    embedded.faults.add({ do: 'realtime-hang-middle' });
    expect((await exchange({ text: 'Hello' })).end).toMatchObject({ end: 'cut', error: { code: 'silent' } });
    expect((await exchange({ text: 'Hello again' })).end.end).toBe('completed');
  });

  it.each(['drop-open', 'drop-updated'] as const)(
    'A live conversation is opened at the second attempt after %s',
    async (fault) => {
      const fixture = await fastGateway(dialect, { limits: { attempts: 2 } });
      fixture.embedded.faults.add({ do: `realtime-${fault}` });
      const session = await fixture.gateway.realtime.open(request);
      expect((await collect(await session.say({ text: 'Hello' }))).end.end).toBe('completed');
      expect(fixture.embedded.realtime.openedCount).toBe(2);
    },
  );
});

describe.each(profiles)('Opening a live conversation with a %s gateway', (profile) => {
  it.each([
    ['a text model', { model: 'quill-5' }, {}, { kind: 'invalid', status: 400 }],
    ['a model that does not exist', { model: 'no-such' }, {}, { kind: 'not-found' }],
    ['a wrong key', request, { settings: { apiKey: 'sk-wrong' } }, { kind: 'unauthorized', status: 401 }],
  ])('Opening a live conversation is refused for %s', async (_name, settings, options, expected) => {
    const fixture = await fastGateway('ga', { profile, ...options });
    const failure = await failureOf(fixture.gateway.realtime.open(settings));
    expect(failure).toMatchObject({ mayHaveTakenEffect: false, ...expected });
    // The gateway's own advice on how to send a key contains no key.
    expect(failure.message.replace('Bearer <key>', '')).not.toMatch(/sk-|[<>]/);
  });

  it.each([
    ['rate-limited', { kind: 'rate-limited' }],
    ['bad-gateway', { kind: 'unavailable' }],
    ['reset', { kind: 'unreachable' }],
  ] as const)('Opening a live conversation fails like any other request with the fault %s', async (fault, expected) => {
    const fixture = await fastGateway('ga', { profile });
    fixture.embedded.faults.add({ on: { path: '/v1/realtime' }, do: fault });
    expect(await failureOf(fixture.gateway.realtime.open(request))).toMatchObject({
      mayHaveTakenEffect: false,
      ...expected,
    });
  });
});
