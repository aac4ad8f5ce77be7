import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { speechOf } from '../../sandbox/gateway/realtime/voice.ts';
import type { Pcm } from '../../src/lib/pcm.ts';
import { defaultSettings, openGateway } from '../../src/services/gateway/index.ts';
import { BareSession, type Moments } from './bare.ts';
import { type Call, type CallerOrder, type Manner, MODEL, machineTime, manners, question, type Way } from './orders.ts';

/** The same answers, alternating between a bare socket and the client. */

/** A session that was silent for a moment is pinged before an utterance, as in production. */
const SILENT_MS = 1_200;
const WORDS = 30;
const WARM_UP = 2;
const PER_ROUND = 2 * manners.length;
const spokenQuestion = speechOf('Tell me of the snow, and of the wind that carries it.', 'sage');

interface Opened {
  readonly way: Way;
  readonly manner: Manner;
  readonly id: string;
  say(said: string | Pcm, isWhole: boolean): Promise<Moments>;
  close(): Promise<void>;
}

const [{ url, key, rounds, whole }] = (await once(process, 'message')) as [CallerOrder];
const gateway = openGateway({ ...defaultSettings, baseUrl: url, apiKey: key });

const opened: Opened[] = [];
for (let round = 0; round < WARM_UP + rounds; round++) {
  for (const manner of manners) {
    // The second measurement finds everything warm.
    const ways: Way[] = round % 2 === 0 ? ['bare', 'client'] : ['client', 'bare'];
    for (const way of ways) opened.push(await open(way, manner));
  }
}
await sleep(SILENT_MS);
const calls: Call[] = [];
for (const [at, session] of opened.entries()) {
  const { way, manner, id } = session;
  const said = manner === 'sound' ? spokenQuestion : question(at, WORDS);
  const moments = await session.say(said, at >= opened.length - whole * PER_ROUND);
  calls.push({ way, manner, session: id, ...moments });
  await session.close();
}
process.send?.(calls.slice(WARM_UP * PER_ROUND));
await gateway.close();

async function open(way: Way, manner: Manner): Promise<Opened> {
  if (way === 'bare') {
    const bare = await BareSession.open(url, key);
    return { way, manner, id: bare.id, say: (said, isWhole) => bare.say(said, isWhole), close: () => bare.close() };
  }
  const session = await gateway.realtime.open({ model: MODEL });
  const say = async (said: string | Pcm, isWhole: boolean): Promise<Moments> => {
    const answer = await session.say(typeof said === 'string' ? { text: said } : { audio: said });
    const moments = { firstTextAt: 0, firstAudioAt: 0 };
    for await (const { type } of answer.events) {
      if (type === 'text') moments.firstTextAt ||= machineTime();
      if (type === 'audio') moments.firstAudioAt ||= machineTime();
      if (type === 'audio' && !isWhole) break;
    }
    return { ...moments, endAt: isWhole ? machineTime() : undefined };
  };
  return { way, manner, id: session.id, say, close: () => session.close() };
}
