import { expect, it, onTestFinished } from 'vitest';
import { startDiscord, text } from '../../sandbox/discord/discord.ts';
import type { RecordedGatewayRequest } from '../../sandbox/gateway/request-log.ts';
import type { Case, ShownMessage } from './evidence.ts';
import type { Order } from './members.ts';
import { outcomeOf } from './outcome.ts';

const ORDERED_AT = 1_000_000;

/** Posts messages as a member; unlike messages from the bot, they have no buttons. */
async function postMessages(...words: string[]): Promise<ShownMessage[]> {
  const discord = await startDiscord();
  onTestFinished(() => discord.close());
  const member = discord.as('member');
  const messages = await Promise.all(words.map((content) => member.say(content)));
  return messages.map((message) => ({ message, channelId: member.channel.id, words: text(message) }));
}

const submit = (id: number, key?: string): RecordedGatewayRequest => ({
  id,
  at: ORDERED_AT + 200,
  method: 'POST',
  path: '/imgx/submit/imagine',
  query: {},
  body: {},
  status: 200,
  headers: key === undefined ? {} : { 'idempotency-key': key },
});

function outcomeFor(facts: Partial<Case>, orderChanges: Partial<Order> = {}, tokensExpiredAt: number[] = []) {
  const order: Order = {
    prompt: 'q1n1t1x',
    kind: 'imagine',
    userId: '1',
    channelId: '2',
    interactionId: '3',
    isPrivate: false,
    isBotAbsent: false,
    at: ORDERED_AT,
    acknowledgedAt: ORDERED_AT + 100,
    ...orderChanges,
  };
  const orderCase = {
    order,
    reply: undefined,
    freshMessages: [],
    submits: [],
    job: undefined,
    callback: undefined,
    ...facts,
  };
  const outcome = outcomeOf(orderCase, { kills: [], tokensExpiredAt, injectionCounts: new Map() });
  return typeof outcome === 'string' ? outcome : outcome.broken;
}

const REFUSED = 'The gateway is busy. Try again in a moment.';
const HINT = 'A restart interrupted the delivery of **a fox**, so you may not have received its result.';

it('An order that is submitted twice is a broken promise, unless both submits have the same key', async () => {
  const [reply] = await postMessages(REFUSED);
  expect(outcomeFor({ reply, submits: [submit(1), submit(2)] })).toContain('it was submitted 2 times');
  expect(outcomeFor({ reply, submits: [submit(1, 'a'), submit(2, 'b')] })).toContain('it was submitted 2 times');
  expect(outcomeFor({ reply, submits: [submit(1, 'a'), submit(2, 'a')] })).toBe('refused');
});

it('A result that is shown in two messages is a broken promise', async () => {
  const [reply, ...freshMessages] = await postMessages(REFUSED, REFUSED);
  expect(outcomeFor({ reply, freshMessages })).toContain('its result is shown more than once');
});

it('A hint about a result is a broken promise, unless the bot could not read whether the result is shown', async () => {
  const [hint] = await postMessages(HINT);
  if (!hint) throw new Error('The message was not posted.');
  const facts = { reply: hint, submits: [submit(1)] };
  const expiredAt = [ORDERED_AT + 1];
  expect(outcomeFor(facts)).toContain('for no reason');
  expect(outcomeFor(facts, { isPrivate: true })).toContain('for no reason');
  expect(outcomeFor(facts, {}, expiredAt)).toContain('for no reason');
  expect(outcomeFor({ ...facts, freshMessages: [hint] }, { isPrivate: true }, expiredAt)).toContain('for no reason');
  expect(outcomeFor(facts, { isPrivate: true }, expiredAt)).toBe('hint');
});

it('An invalid message and a missing reply are broken promises', async () => {
  const [reply] = await postMessages('No sentence of the bot.');
  expect(outcomeFor({ reply })).toContain('it shows an invalid message');
  expect(outcomeFor({ reply: undefined })).toContain('its reply is missing');
});
