import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { synthesizeSpeech } from '../../sandbox/gateway/realtime/voice.ts';
import type { Pcm } from '../../src/lib/pcm.ts';
import { createGateway } from '../../src/services/gateway/gateway.ts';
import { defaultSettings } from '../../src/services/gateway/settings.ts';
import { BareSession, type Timings } from './bare.ts';
import {
  type Call,
  type CallerOptions,
  type Manner,
  MODEL,
  machineTime,
  manners,
  question,
  type Variant,
} from './orders.ts';

/** Requests the same answers, alternating between a bare socket and the client. */

/** A session that was silent for a moment is pinged before an utterance, as in production. */
const SILENCE_MS = 1_200;
const ANSWER_WORDS = 30;
const WARM_UP_ROUNDS = 2;
const CALLS_PER_ROUND = 2 * manners.length;
const spokenQuestion = synthesizeSpeech('Tell me of the snow, and of the wind that carries it.', 'sage');

interface OpenSession {
  readonly variant: Variant;
  readonly manner: Manner;
  readonly id: string;
  say(utterance: string | Pcm, shouldFinish: boolean): Promise<Timings>;
  close(): Promise<void>;
}

const [{ url, key, rounds, whole }] = (await once(process, 'message')) as [CallerOptions];
const gateway = createGateway({ ...defaultSettings, baseUrl: url, apiKey: key });

const sessions: OpenSession[] = [];
for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
  for (const manner of manners) {
    // The order alternates, because the first measurement of a round warms the process up for the second.
    const variants: Variant[] = round % 2 === 0 ? ['bare', 'client'] : ['client', 'bare'];
    for (const variant of variants) sessions.push(await open(variant, manner));
  }
}
await sleep(SILENCE_MS);
const calls: Call[] = [];
for (const [index, session] of sessions.entries()) {
  const { variant, manner, id } = session;
  const utterance = manner === 'sound' ? spokenQuestion : question(index, ANSWER_WORDS);
  const timings = await session.say(utterance, index >= sessions.length - whole * CALLS_PER_ROUND);
  calls.push({ way: variant, manner, session: id, ...timings });
  await session.close();
}
process.send?.(calls.slice(WARM_UP_ROUNDS * CALLS_PER_ROUND));
await gateway.close();

async function open(variant: Variant, manner: Manner): Promise<OpenSession> {
  if (variant === 'bare') {
    const bareSession = await BareSession.open(url, key);
    return {
      variant,
      manner,
      id: bareSession.id,
      say: (utterance, shouldFinish) => bareSession.say(utterance, shouldFinish),
      close: () => bareSession.close(),
    };
  }
  const session = await gateway.realtime.open({ model: MODEL });
  const say = async (utterance: string | Pcm, shouldFinish: boolean): Promise<Timings> => {
    const reply = await session.say(typeof utterance === 'string' ? { text: utterance } : { audio: utterance });
    const timings = { firstTextAt: 0, firstAudioAt: 0 };
    for await (const { type } of reply.events) {
      if (type === 'text') timings.firstTextAt ||= machineTime();
      if (type === 'audio') timings.firstAudioAt ||= machineTime();
      if (type === 'audio' && !shouldFinish) break;
    }
    return { ...timings, endAt: shouldFinish ? machineTime() : undefined };
  };
  return { variant, manner, id: session.id, say, close: () => session.close() };
}
