import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { LiveEvent, LiveSession, TalkWorkbench } from '../../../sandbox/web/protocol.ts';
import { openPageServer, type PageServer } from './page-server.ts';

const LONG_PROMPT = 'tell me of snow, 300 words';

let server: PageServer;
let thread: string;
beforeAll(async () => {
  server = await openPageServer();
});
afterAll(() => server.close());

const talkWorkbench = async (): Promise<TalkWorkbench> => {
  const { talk } = (await server.workbench()).gateway;
  if (!talk) throw new Error('An embedded gateway reports its live conversations.');
  return talk;
};
const waitForSession = (matches: (session: LiveSession) => boolean = () => true) =>
  server.waitFor(async () => (await talkWorkbench()).sessions.find(matches));
const waitForNewSession = (previous: LiveSession) =>
  waitForSession(({ id, state }) => id !== previous.id && state !== 'silent');
const controlSession = (how: string, session: string) => server.trouble({ do: 'session', how, session });
const write = async (content: string): Promise<string> => {
  const { body } = await server.act({ as: 'member', in: thread, do: 'say', content });
  return body.message?.id ?? '';
};
const waitForAnswer = (id: string, expected: string) =>
  server.waitFor(async () =>
    (await server.messages(thread, 'member')).find(
      (one) => one.message_reference?.message_id === id && text(one).includes(expected),
    ),
  );
const sendAndWait = async (prompt: string) => await waitForAnswer(await write(prompt), 'This is the sandbox speaking');
const startAnswer = async (prompt: string): Promise<{ said: string; session: LiveSession }> => {
  await server.trouble({ do: 'speed', factor: 1 });
  const content = await write(prompt);
  return { said: content, session: await waitForSession(({ state }) => state === 'answering') };
};

describe('Live sessions on the workbench', () => {
  it('Starting a conversation opens a live session in a private thread of the bot', async () => {
    expect((await talkWorkbench()).sessions).toEqual([]);
    const studio = await server.channel('member', 'studio');
    await server.act({ as: 'member', in: studio, do: 'slash', name: 'talk start' });
    thread = await server.waitFor(async () => {
      const messages = await server.messages(studio, 'member');
      return messages.map((one) => /<#(\d+)>/.exec(text(one))?.[1]).find((id) => id !== undefined);
    });
    await waitForSession();
    const { guilds, application } = await server.world('member');
    const found = guilds.flatMap(({ channels }) => channels).find(({ id }) => id === thread);
    expect(found).toMatchObject({ parentId: studio, thread: { isPrivate: true, madeBy: application.id } });
  });

  it('A message in the thread is answered, and the page shows the utterance during the response', async () => {
    const live = await server.listen('member');
    onTestFinished(() => live.close());
    await sendAndWait('what is rain?');
    const isSessionEvent = (matches: (session: LiveSession) => boolean) => (event: LiveEvent) =>
      event.is === 'session' && matches(event.session);
    const isAnswering = isSessionEvent(({ state, said }) => state === 'answering' && said === 'what is rain?');
    const isDone = isSessionEvent(
      ({ state, said, turns }) => state === 'listening' && said === undefined && turns === 1,
    );
    await server.waitFor(() => live.events.find(isDone));
    expect(live.events.findIndex(isAnswering)).toBeGreaterThanOrEqual(0);
    expect(live.events.findIndex(isAnswering)).toBeLessThan(live.events.findIndex(isDone));
    expect((await talkWorkbench()).sessions).toEqual([
      {
        ...{ id: expect.stringMatching(/^sess_/), model: 'parley-realtime', dialect: 'ga' },
        ...{ openedAt: expect.any(Number), state: 'listening', turns: 1 },
      },
    ]);
  });

  it('After a disconnect in the middle of a response, a new session opens and answers the next utterance', async () => {
    const live = await server.listen('member');
    onTestFinished(() => live.close());
    const { said, session } = await startAnswer(LONG_PROMPT);
    expect(session.said).toBe(LONG_PROMPT);
    expect((await controlSession('cut', session.id)).body.said).toMatch(/^The connection was dropped/);
    await server.waitFor(() => live.events.find((event) => event.is === 'session-gone' && event.id === session.id));
    await waitForAnswer(said, 'The connection to the gateway was lost mid-reply');
    await server.trouble({ do: 'clear' });
    await waitForNewSession(session);
    await sendAndWait('once more');
    expect((await controlSession('cut', session.id)).body.error).toBe('That live session has already ended.');
  });

  it('A conversation continues in a new session after the time limit', async () => {
    const previous = await waitForSession();
    expect((await controlSession('expire', previous.id)).body.said).toMatch(/reached its time limit/);
    await sendAndWait('and after the hour?');
    expect(await waitForNewSession(previous)).toMatchObject({ state: 'listening', turns: 1 });
  });

  it('An unresponsive session stays silent until it is disconnected, and accepts no other fault', async () => {
    const previous = await waitForSession();
    expect((await controlSession('hang', previous.id)).status).toBe(200);
    expect((await waitForSession(({ id }) => id === previous.id)).state).toBe('silent');
    for (const how of ['hang', 'expire'])
      expect((await controlSession(how, previous.id)).body.error).toMatch(/already unresponsive\. You can only cut it/);
    expect((await controlSession('cut', previous.id)).status).toBe(200);
    await sendAndWait('are you there?');
    await waitForNewSession(previous);
  });

  it('A change of the dialect applies to new sessions', async () => {
    const previous = await waitForSession();
    expect((await server.trouble({ do: 'dialect', speak: 'beta' })).body.said).toMatch(/previous dialect \(beta\)/);
    expect(await talkWorkbench()).toMatchObject({ dialect: 'beta', sessions: [{ dialect: 'ga' }] });
    await controlSession('cut', previous.id);
    await sendAndWait('in the words of before');
    const next = await waitForNewSession(previous);
    expect(next.dialect).toBe('beta');
    await server.trouble({ do: 'clear' });
    expect((await talkWorkbench()).dialect).toBe('ga');
    await controlSession('cut', next.id);
    await sendAndWait('in the words of today');
    expect((await waitForNewSession(next)).dialect).toBe('ga');
  });
});

describe('Faults of live sessions', () => {
  it('Every fault can be injected, states when it applies and stays pending until then', async () => {
    const { troubles } = await talkWorkbench();
    expect(new Set(troubles.map(({ when, what }) => `${when}: ${what}`)).size).toBe(troubles.length);
    for (const { how, when } of troubles) {
      const { said = '' } = (await server.trouble({ do: 'talk-trouble', how })).body;
      expect(said.startsWith(`${when}: `)).toBe(true);
      expect((await server.workbench()).gateway.faults.at(-1)?.what).toBe(said);
    }
    await server.trouble({ do: 'clear' });
    expect((await server.workbench()).gateway.faults).toEqual([]);
    await server.trouble({ do: 'talk-trouble', how: 'drop-middle' });
    await waitForAnswer(await write(LONG_PROMPT), 'The connection to the gateway was lost mid-reply');
    expect((await server.workbench()).gateway.faults).toEqual([]);
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
    for (const action of unknown) {
      const { status, body } = await server.trouble(action);
      expect([status, typeof body.error]).toEqual([400, 'string']);
    }
    expect((await server.workbench()).gateway.faults).toEqual([]);
    expect((await talkWorkbench()).dialect).toBe('ga');
  });
});
