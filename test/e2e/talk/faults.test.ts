import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import type { RealtimeFaultKind } from '../../../sandbox/gateway/realtime/fault.ts';
import { standingOf } from '../../../src/services/ledger/entry.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { labels } from '../quick.ts';
import { hasEnded, isVoice, startTalk, type TalkStage, talkBot } from './proof.ts';
import { chargedReplies, recordSessions, storedEntries, storedTasks, type Wire } from './wire.ts';

const dialects = ['ga', 'beta'] as const;

/** Short limits of the bot, because the gateway's clock runs fast. */
const gatewayLimits = { readMs: 2_000, submitMs: 4_000, silenceMs: 4_000 };

const stageIn = (realtimeDialect: 'ga' | 'beta') =>
  talkBot({ gateway: { seed: 1, speed: 10, quirks: { realtimeDialect } }, gatewayLimits });

const isUnconfirmed = (message: Message): boolean => labels(message).some((label) => label.startsWith('Try again'));
const isRefused = (message: Message): boolean => /^The gateway/.test(text(message)) && labels(message).length === 0;

/** Sends an utterance and waits for its outcome. */
async function say({ discord }: TalkStage, on: Message, words: string): Promise<Message> {
  const speaker = discord.as('member');
  const exchange = await speaker.fill(await (await speaker.click(on, 'Speak')).modal(), { words });
  return exchange.message((message) => hasEnded(message) || isUnconfirmed(message) || isRefused(message));
}

/** The outcome as a member reads it. */
function outcomeOf(message: Message): string {
  const words = text(message);
  if (isRefused(message)) return words;
  if (isUnconfirmed(message)) return 'unconfirmed';
  const [line] = /The (?:connection to the gateway|reply failed|model stopped).*/.exec(words) ?? [];
  return line ?? 'whole';
}

const lastWordsOf = (task: Task | undefined): string | undefined => task?.text?.trim().split(/\s+/).slice(-8).join(' ');

/** The beginning of the model's last reply. */
const newest = (stage: TalkStage) =>
  storedTasks(stage)
    .filter(({ kind, times }) => kind === 'said' && times.accepted !== undefined)
    .sort((one, other) => (one.times.accepted ?? 0) - (other.times.accepted ?? 0))
    .at(-1);

/** Expects that every reply charged by the gateway is in the ledger once, with its token counts. */
async function expectBooks(stage: TalkStage, wire: Wire): Promise<void> {
  await expect
    .poll(() => storedTasks(stage).every(({ kind, state }) => kind === 'talk' || state !== 'ready'))
    .toBe(true);
  const entries = storedEntries(stage);
  const standings = entries.map(standingOf);
  const charged = standings.filter((standing) => standing === 'settled' || standing === 'unconfirmed');
  expect(charged).toHaveLength(chargedReplies(stage.gateway));
  expect(wire.requestCount()).toBe(entries.length);
  const saids = storedTasks(stage).filter(({ kind, remoteId }) => kind === 'said' && remoteId !== undefined);
  expect(saids.map(({ remoteId }) => remoteId).sort()).toEqual([...wire.replies.keys()].sort());
  for (const { id, remoteId = '', answer } of saids) {
    const { tokens } = wire.replies.get(remoteId) ?? {};
    const entry = entries.find((one) => one.id === id);
    expect(entry && standingOf(entry)).toBe('settled');
    expect(answer?.counted).toEqual([remoteId]);
    if (tokens) expect(entry?.facts.at(-1)?.tokens).toMatchObject(tokens);
  }
}

const MY_NAME = 'my name is Wren';

/** Expects that the model received the first utterance and the part of its last reply that the member has read. */
function expectToRemember(message: Message, before: Task | undefined): void {
  expect(text(message)).toMatch(/The first of \d+ things was: “my name is Wren”/);
  expect(text(message)).toContain(`My last words were: “${lastWordsOf(before)}”`);
}

/** Each fault affects one reply of a talk, which then continues. */
async function talkUnderFaults(dialect: 'ga' | 'beta', troubles: readonly RealtimeFaultKind[]) {
  const stage = await stageIn(dialect);
  const wire = recordSessions(stage.gateway);
  const { thread, opening } = await startTalk(stage);
  await say(stage, opening, MY_NAME);
  const outcomes: Record<string, string> = {};
  for (const how of troubles) {
    const before = newest(stage);
    stage.gateway.faults.add({ on: { kind: 'realtime' }, do: { type: 'realtime', how } });
    const struck = await say(stage, opening, `tell me of ${how}`);
    const outcome = outcomeOf(struck);
    outcomes[how] = outcome;
    if (outcome === 'whole') {
      expectToRemember(struck, before);
      continue;
    }
    if (isUnconfirmed(struck)) await stage.discord.as('member').click(struck, 'Dismiss');
    const known = newest(stage);
    const next = await say(stage, opening, `what came of ${how}?`);
    expectToRemember(next, known);
    expect(outcomeOf(next)).toBe('whole');
  }
  return { stage, wire, thread, fates: outcomes };
}

describe.each(dialects)('Faults of a live session in the dialect %s', (dialect) => {
  it('A reply that continues after a fault is complete', async () => {
    const troubles = ['error', 'garbage', 'binary', 'duplicates', 'other-dialect', 'unknown', 'odd-bytes'] as const;
    const { stage, wire, thread, fates: outcomes } = await talkUnderFaults(dialect, troubles);
    expect(outcomes).toEqual(Object.fromEntries(troubles.map((how) => [how, 'whole'])));
    const saids = 1 + troubles.length;
    await stage.discord.until(
      () => stage.discord.messages(thread).filter(isVoice).length === saids || undefined,
      'a voice message for each',
    );
    await expectBooks(stage, wire);
    // The socket stays open, so no new one is needed.
    expect(stage.gateway.realtime.opened).toBe(1);
  });

  it('A reply that is cut off keeps what had arrived and names the reason', async () => {
    const {
      stage,
      wire,
      fates: outcomes,
    } = await talkUnderFaults(dialect, [
      'drop-middle',
      'hang-middle',
      'limit-middle',
      'fatal',
      'drop-end',
      'failed',
      'incomplete',
    ]);
    const cut =
      'The connection to the gateway was lost mid-reply. The part that had arrived was kept. Send your message again.';
    expect(outcomes).toEqual({
      'drop-middle': cut,
      'hang-middle': cut,
      'limit-middle': cut,
      fatal: cut,
      'drop-end': cut,
      failed: 'The reply failed: The sandbox was told to fail in the middle of its answer.',
      incomplete: 'The model stopped before finishing its reply (content\\_filter).',
    });
    await expectBooks(stage, wire);
  });

  it('If a reply never starts, the speaker can retry or dismiss it, or is told the reason', async () => {
    const {
      stage,
      wire,
      fates: outcomes,
    } = await talkUnderFaults(dialect, ['drop-asked', 'hang-asked', 'limit', 'refused']);
    expect(outcomes).toEqual({
      'drop-asked': 'unconfirmed',
      'hang-asked': 'unconfirmed',
      limit: 'unconfirmed',
      refused: 'The gateway is busy. Try again in a moment.',
    });
    await expectBooks(stage, wire);
  });
});
