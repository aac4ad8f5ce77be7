import { expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import type { RealtimeFaultKind } from '../../../sandbox/gateway/realtime/fault.ts';
import { standingOf } from '../../../src/services/money/entry.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { describeDialects } from '../profiles.ts';
import { labels } from '../quick.ts';
import { hasEnded, isVoiceMessage, startTalk, startTalkBot, type TalkFixture } from './fixture.ts';
import { chargedReplyCount, recordSessions, type SessionLog, storedEntries, storedTasks } from './wire.ts';

/** Short limits for the bot, because the gateway's clock runs fast. */
const gatewayLimits = { readMs: 2_000, submitMs: 4_000, silenceMs: 4_000 };

const stageWithDialect = (realtimeDialect: 'ga' | 'beta') =>
  startTalkBot({ gateway: { seed: 1, speed: 10, quirks: { realtimeDialect } }, gatewayLimits });

const isUnconfirmed = (message: Message): boolean => labels(message).some((label) => label.startsWith('Try again'));
/** The refusal begins with what the member asked for. */
const refusalIn = (message: Message): string | undefined =>
  labels(message).every((label) => label === 'Correct it')
    ? /^-# Your request: .*\n(The gateway.*)/.exec(text(message))?.[1]
    : undefined;

/** Sends an utterance and waits for its outcome. */
async function say({ discord }: TalkFixture, target: Message, words: string): Promise<Message> {
  const speaker = discord.as('member');
  const exchange = await speaker.fill(await (await speaker.click(target, 'Speak')).modal(), { words });
  return exchange.message((message) => hasEnded(message) || isUnconfirmed(message) || refusalIn(message) !== undefined);
}

/** The outcome as a member reads it. */
function outcomeOf(message: Message): string {
  const words = text(message);
  const refusal = refusalIn(message);
  if (refusal !== undefined) return refusal;
  if (isUnconfirmed(message)) return 'unconfirmed';
  const [explanation] = /The (?:connection to the gateway|reply failed|model stopped).*/.exec(words) ?? [];
  return explanation ?? 'whole';
}

const lastWordsOf = (task: Task | undefined): string | undefined => task?.text?.trim().split(/\s+/).slice(-8).join(' ');

/** The newest utterance that the gateway has accepted. */
const newestUtterance = (fixture: TalkFixture) =>
  storedTasks(fixture)
    .filter(({ kind, times }) => kind === 'said' && times.accepted !== undefined)
    .sort((one, other) => (one.times.accepted ?? 0) - (other.times.accepted ?? 0))
    .at(-1);

/** Expects that every reply charged by the gateway is in the ledger once, with its token counts. */
async function expectLedgerToMatch(fixture: TalkFixture, sessionLog: SessionLog): Promise<void> {
  await expect
    .poll(() => storedTasks(fixture).every(({ kind, state }) => kind === 'talk' || state !== 'ready'))
    .toBe(true);
  const entries = storedEntries(fixture);
  const standings = entries.map(standingOf);
  const charged = standings.filter((standing) => standing === 'settled' || standing === 'unconfirmed');
  expect(charged).toHaveLength(chargedReplyCount(fixture.gateway));
  expect(sessionLog.requestCount()).toBe(entries.length);
  const utterances = storedTasks(fixture).filter(({ kind, remoteId }) => kind === 'said' && remoteId !== undefined);
  expect(utterances.map(({ remoteId }) => remoteId).sort()).toEqual([...sessionLog.replies.keys()].sort());
  for (const { id, remoteId = '', answer } of utterances) {
    const { tokens } = sessionLog.replies.get(remoteId) ?? {};
    const entry = entries.find((one) => one.id === id);
    expect(entry && standingOf(entry)).toBe('settled');
    expect(answer?.counted).toEqual([remoteId]);
    if (tokens) expect(entry?.facts.at(-1)?.tokens).toMatchObject(tokens);
  }
}

const FIRST_UTTERANCE = 'my name is Wren';

/** Expects that the model received the first utterance and the part of its last reply that the member has read. */
function expectToRemember(message: Message, previous: Task | undefined): void {
  expect(text(message)).toMatch(/The first of \d+ things was: “my name is Wren”/);
  expect(text(message)).toContain(`My last words were: “${lastWordsOf(previous)}”`);
}

/** Runs a talk in which each fault affects one reply, after which the talk continues. */
async function talkUnderFaults(dialect: 'ga' | 'beta', faults: readonly RealtimeFaultKind[]) {
  const fixture = await stageWithDialect(dialect);
  const sessionLog = recordSessions(fixture.gateway);
  const { thread, opening } = await startTalk(fixture);
  await say(fixture, opening, FIRST_UTTERANCE);
  const outcomes: Record<string, string> = {};
  for (const fault of faults) {
    const previous = newestUtterance(fixture);
    fixture.gateway.faults.add({ on: { kind: 'realtime' }, do: { type: 'realtime', how: fault } });
    const affectedReply = await say(fixture, opening, `tell me of ${fault}`);
    const outcome = outcomeOf(affectedReply);
    outcomes[fault] = outcome;
    if (outcome === 'whole') {
      expectToRemember(affectedReply, previous);
      continue;
    }
    if (isUnconfirmed(affectedReply)) await fixture.discord.as('member').click(affectedReply, 'Dismiss');
    const lastAccepted = newestUtterance(fixture);
    const next = await say(fixture, opening, `what came of ${fault}?`);
    expectToRemember(next, lastAccepted);
    expect(outcomeOf(next)).toBe('whole');
  }
  return { fixture, sessionLog, thread, outcomes };
}

describeDialects('Faults of a live session', (dialect) => {
  it('A reply that continues after a fault is complete', async () => {
    const faults = ['error', 'garbage', 'binary', 'duplicates', 'other-dialect', 'unknown', 'odd-bytes'] as const;
    const { fixture, sessionLog, thread, outcomes } = await talkUnderFaults(dialect, faults);
    expect(outcomes).toEqual(Object.fromEntries(faults.map((fault) => [fault, 'whole'])));
    const utteranceCount = 1 + faults.length;
    await fixture.discord.until(
      () => fixture.discord.messages(thread).filter(isVoiceMessage).length === utteranceCount || undefined,
      'a voice message for each',
    );
    await expectLedgerToMatch(fixture, sessionLog);
    // The socket stays open, so no new one is needed.
    expect(fixture.gateway.realtime.openedCount).toBe(1);
  });

  it('A reply that is cut off keeps the part that had arrived and names the reason', async () => {
    const { fixture, sessionLog, outcomes } = await talkUnderFaults(dialect, [
      'drop-middle',
      'hang-middle',
      'limit-middle',
      'fatal',
      'drop-end',
      'failed',
      'incomplete',
    ]);
    const connectionLost =
      'The connection to the gateway was lost before the reply was complete. Send your message again.';
    expect(outcomes).toEqual({
      'drop-middle': connectionLost,
      'hang-middle': connectionLost,
      'limit-middle': connectionLost,
      fatal: connectionLost,
      'drop-end': connectionLost,
      failed: 'The reply failed: The sandbox was told to fail in the middle of its response.',
      incomplete: 'The model stopped before finishing its reply (content\\_filter).',
    });
    await expectLedgerToMatch(fixture, sessionLog);
  });

  it('If a reply never starts, the speaker can retry or dismiss it, or is told the reason', async () => {
    const { fixture, sessionLog, outcomes } = await talkUnderFaults(dialect, [
      'drop-asked',
      'hang-asked',
      'limit',
      'refused',
    ]);
    expect(outcomes).toEqual({
      'drop-asked': 'unconfirmed',
      'hang-asked': 'unconfirmed',
      limit: 'unconfirmed',
      refused: 'The gateway is busy. Try again in a moment.',
    });
    await expectLedgerToMatch(fixture, sessionLog);
  });
});
