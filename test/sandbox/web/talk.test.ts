import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { LiveEvent, LiveSession, TalkWorkbench } from '../../../sandbox/web/protocol.ts';
import { openPageServer, type PageServer } from './page-server.ts';

const LONG = 'tell me of snow, 300 words';

let at: PageServer;
let thread: string;
beforeAll(async () => {
  at = await openPageServer();
});
afterAll(() => at.close());

const bench = async (): Promise<TalkWorkbench> => {
  const { talk } = (await at.workbench()).gateway;
  if (!talk) throw new Error('An embedded gateway reports its live conversations.');
  return talk;
};
const theSession = (isMeant: (session: LiveSession) => boolean = () => true) =>
  at.until(async () => (await bench()).sessions.find(isMeant));
const other = (before: LiveSession) => theSession(({ id, state }) => id !== before.id && state !== 'silent');
const order = (how: string, session: string) => at.trouble({ do: 'session', how, session });
/** Sends a message in the thread. */
const write = async (content: string): Promise<string> => {
  const { body } = await at.act({ as: 'member', in: thread, do: 'say', content });
  return body.message?.id ?? '';
};
const answerTo = (id: string, words: string) =>
  at.until(async () =>
    (await at.messages(thread, 'member')).find(
      (one) => one.message_reference?.message_id === id && text(one).includes(words),
    ),
  );
const sendAndWait = async (words: string) => await answerTo(await write(words), 'This is the sandbox speaking');
const answering = async (words: string): Promise<{ said: string; session: LiveSession }> => {
  await at.trouble({ do: 'speed', factor: 1 });
  const content = await write(words);
  return { said: content, session: await theSession(({ state }) => state === 'answering') };
};

describe('Live sessions on the workbench', () => {
  it('A started conversation is a live session in a private thread of the bot', async () => {
    expect((await bench()).sessions).toEqual([]);
    const studio = await at.channel('member', 'studio');
    await at.act({ as: 'member', in: studio, do: 'slash', name: 'talk start' });
    thread = await at.until(async () => {
      const messages = await at.messages(studio, 'member');
      return messages.map((one) => /<#(\d+)>/.exec(text(one))?.[1]).find((id) => id !== undefined);
    });
    await theSession();
    const { guilds, application } = await at.world('member');
    const found = guilds.flatMap(({ channels }) => channels).find(({ id }) => id === thread);
    expect(found).toMatchObject({ parentId: studio, thread: { isPrivate: true, madeBy: application.id } });
  });

  it('A message in the thread is answered, and the page shows the utterance during the response', async () => {
    const live = await at.listen('member');
    onTestFinished(() => live.close());
    await sendAndWait('what is rain?');
    const told = (isMeant: (session: LiveSession) => boolean) => (event: LiveEvent) =>
      event.is === 'session' && isMeant(event.session);
    const isAnswering = told(({ state, said }) => state === 'answering' && said === 'what is rain?');
    const isDone = told(({ state, said, turns }) => state === 'listening' && said === undefined && turns === 1);
    await at.until(() => live.events.find(isDone));
    expect(live.events.findIndex(isAnswering)).toBeGreaterThanOrEqual(0);
    expect(live.events.findIndex(isAnswering)).toBeLessThan(live.events.findIndex(isDone));
    expect((await bench()).sessions).toEqual([
      {
        ...{ id: expect.stringMatching(/^sess_/), model: 'parley-realtime', dialect: 'ga' },
        ...{ openedAt: expect.any(Number), state: 'listening', turns: 1 },
      },
    ]);
  });

  it('After a disconnect in the middle of a response, a new session opens and answers the next utterance', async () => {
    const live = await at.listen('member');
    onTestFinished(() => live.close());
    const { said, session } = await answering(LONG);
    expect(session.said).toBe(LONG);
    expect((await order('cut', session.id)).body.said).toMatch(/^The connection was cut/);
    await at.until(() => live.events.find((event) => event.is === 'session-gone' && event.id === session.id));
    await answerTo(said, 'The connection to the gateway was lost mid-reply');
    await at.trouble({ do: 'clear' });
    await other(session);
    await sendAndWait('once more');
    expect((await order('cut', session.id)).body.error).toBe('That live session has already ended.');
  });

  it('After the time limit, the conversation continues in a new session', async () => {
    const before = await theSession();
    expect((await order('expire', before.id)).body.said).toMatch(/reached its time limit/);
    await sendAndWait('and after the hour?');
    expect(await other(before)).toMatchObject({ state: 'listening', turns: 1 });
  });

  it('A hung session stays silent until it is disconnected, and accepts no other fault', async () => {
    const before = await theSession();
    expect((await order('hang', before.id)).status).toBe(200);
    expect((await theSession(({ id }) => id === before.id)).state).toBe('silent');
    for (const how of ['hang', 'expire'])
      expect((await order(how, before.id)).body.error).toMatch(/already unresponsive\. You can only cut it/);
    expect((await order('cut', before.id)).status).toBe(200);
    await sendAndWait('are you there?');
    await other(before);
  });

  it('A change of the dialect applies to new sessions', async () => {
    const before = await theSession();
    expect((await at.trouble({ do: 'dialect', speak: 'beta' })).body.said).toMatch(/previous dialect \(beta\)/);
    expect(await bench()).toMatchObject({ dialect: 'beta', sessions: [{ dialect: 'ga' }] });
    await order('cut', before.id);
    await sendAndWait('in the words of before');
    const next = await other(before);
    expect(next.dialect).toBe('beta');
    await at.trouble({ do: 'clear' });
    expect((await bench()).dialect).toBe('ga');
    await order('cut', next.id);
    await sendAndWait('in the words of today');
    expect((await other(next)).dialect).toBe('ga');
  });
});

describe('Faults of live sessions', () => {
  it('Every fault can be injected, states when it applies and stays pending until then', async () => {
    const { troubles } = await bench();
    expect(new Set(troubles.map(({ when, what }) => `${when}: ${what}`)).size).toBe(troubles.length);
    for (const { how, when } of troubles) {
      const { said = '' } = (await at.trouble({ do: 'talk-trouble', how })).body;
      expect(said.startsWith(`${when}: `)).toBe(true);
      expect((await at.workbench()).gateway.faults.at(-1)?.what).toBe(said);
    }
    await at.trouble({ do: 'clear' });
    expect((await at.workbench()).gateway.faults).toEqual([]);
    await at.trouble({ do: 'talk-trouble', how: 'drop-middle' });
    await answerTo(await write(LONG), 'The connection to the gateway was lost mid-reply');
    expect((await at.workbench()).gateway.faults).toEqual([]);
  });

  it('Unknown faults are refused with an explanation', async () => {
    const unknown = [
      { do: 'talk-trouble', how: 'explode' },
      { do: 'talk-trouble' },
      { do: 'dialect', speak: 'latin' },
      { do: 'session', how: 'kill', session: 'sess_1' },
      { do: 'session', how: 'cut' },
      { do: 'session', how: 'cut', session: '../..' },
    ];
    for (const order of unknown) {
      const { status, body } = await at.trouble(order);
      expect([status, typeof body.error]).toEqual([400, 'string']);
    }
    expect((await at.workbench()).gateway.faults).toEqual([]);
    expect((await bench()).dialect).toBe('ga');
  });
});
