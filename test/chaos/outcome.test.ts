import { expect, it, onTestFinished } from 'vitest';
import { startDiscord, text } from '../../sandbox/discord/discord.ts';
import type { RecordedGatewayRequest } from '../../sandbox/gateway/request-log.ts';
import type { Case, Standing } from './evidence.ts';
import type { Order } from './members.ts';
import { outcomeOf } from './outcome.ts';

const ORDERED_AT = 1_000_000;

/** Messages written by members, which therefore have no buttons. */
async function standing(...words: string[]): Promise<Standing[]> {
  const discord = await startDiscord();
  onTestFinished(() => discord.close());
  const member = discord.as('member');
  const messages = await Promise.all(words.map((content) => member.say(content)));
  return messages.map((message) => ({ message, channelId: member.channel.id, words: text(message) }));
}

const submit = (id: number, key?: string): RecordedGatewayRequest => ({
  ...{ id, at: ORDERED_AT + 200, method: 'POST', path: '/imgx/submit/imagine', query: {}, body: {}, status: 200 },
  headers: key === undefined ? {} : { 'idempotency-key': key },
});

function judge(facts: Partial<Case>, more: Partial<Order> = {}, tokensExpiredAt: number[] = []) {
  const order: Order = {
    ...{ prompt: 'q1n1t1x', kind: 'imagine', userId: '1', channelId: '2', interactionId: '3' },
    ...{ isPrivate: false, isElsewhere: false, at: ORDERED_AT, acknowledgedAt: ORDERED_AT + 100, ...more },
  };
  const one = { order, answer: undefined, fresh: [], submits: [], job: undefined, callback: undefined, ...facts };
  const outcome = outcomeOf(one, { kills: [], tokensExpiredAt, struck: new Map() });
  return typeof outcome === 'string' ? outcome : outcome.broken;
}

const REFUSED = 'The gateway is busy. Try again in a moment.';
const HINT = 'A restart interrupted the delivery of **a fox**, so you may not have received its result.';

it('An order that is submitted twice is a broken promise, unless both submits have the same key', async () => {
  const [answer] = await standing(REFUSED);
  expect(judge({ answer, submits: [submit(1), submit(2)] })).toContain('the gateway was asked 2 times');
  expect(judge({ answer, submits: [submit(1, 'a'), submit(2, 'b')] })).toContain('the gateway was asked 2 times');
  expect(judge({ answer, submits: [submit(1, 'a'), submit(2, 'a')] })).toBe('refused');
});

it('An end that is shown in two messages is a broken promise', async () => {
  const [answer, ...fresh] = await standing(REFUSED, REFUSED);
  expect(judge({ answer, fresh })).toContain('its end is shown more than once');
});

it('A message that refers to an end is a broken promise, unless no one could read where the end is', async () => {
  const [hint] = await standing(HINT);
  if (!hint) throw new Error('The message was posted.');
  const facts = { answer: hint, submits: [submit(1)] };
  const expired = [ORDERED_AT + 1];
  expect(judge(facts)).toContain('for no reason');
  expect(judge(facts, { isPrivate: true })).toContain('for no reason');
  expect(judge(facts, {}, expired)).toContain('for no reason');
  expect(judge({ ...facts, fresh: [hint] }, { isPrivate: true }, expired)).toContain('for no reason');
  expect(judge(facts, { isPrivate: true }, expired)).toBe('pointed');
});

it('A message that no bot should show and an answer that is missing are broken promises', async () => {
  const [answer] = await standing('▰▱ 50%');
  expect(judge({ answer })).toContain('it shows what no bot should');
  expect(judge({ answer: undefined })).toContain('its answer is gone');
});
