import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { LiveEvent, LiveSession, TalkWorkbench } from '../../../sandbox/web/protocol.ts';
import { type PageServer, startPageServer } from './page-server.ts';

const LONG_PROMPT = 'tell me of snow, 300 words';

let server: PageServer;
let thread: string;
beforeAll(async () => {
  server = await startPageServer();
});
afterAll(() => server.close());

const talkWorkbench = async (): Promise<TalkWorkbench> => {
  const { talk } = (await server.workbench()).gateway;
  if (!talk) throw new Error('An embedded gateway reports its live conversations.');
  return talk;
};
const waitForSession = (matches: (session: LiveSession) => boolean = () => true) =>
  server.waitFor(async () => (await talkWorkbench()).sessions.find(matches));
const waitForNewSession = (previousSession: LiveSession) =>
  waitForSession(({ id, state }) => id !== previousSession.id && state !== 'silent');
const controlSession = (how: string, session: string) => server.trouble({ do: 'session', how, session });
const sendMessage = async (content: string): Promise<string> => {
  const { body } = await server.act({ as: 'member', in: thread, do: 'say', content });
  return body.message?.id ?? '';
};
const waitForAnswer = (id: string, expected: string) =>
  server.waitFor(async () =>
    (await server.messages(thread, 'member')).find(
      (one) => one.message_reference?.message_id === id && text(one).includes(expected),
    ),
  );
const sendAndWait = async (prompt: string) =>
  await waitForAnswer(await sendMessage(prompt), 'This is the sandbox speaking');
const startAnswer = async (prompt: string): Promise<{ said: string; session: LiveSession }> => {
  await server.trouble({ do: 'speed', factor: 1 });
  const messageId = await sendMessage(prompt);
  return { said: messageId, session: await waitForSession(({ state }) => state === 'answering') };
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
    const createdThread = guilds.flatMap(({ channels }) => channels).find(({ id }) => id === thread);
    expect(createdThread).toMatchObject({ parentId: studio, thread: { isPrivate: true, madeBy: application.id } });
  });

  it('A message in the thread is answered, and the page shows the utterance during the response', async () => {
    const listener = await server.listen('member');
    onTestFinished(() => listener.close());
    await sendAndWait('what is rain?');
    const isSessionEvent = (matches: (session: LiveSession) => boolean) => (event: LiveEvent) =>
      event.is === 'session' && matches(event.session);
    const isAnswering = isSessionEvent(({ state, said }) => state === 'answering' && said === 'what is rain?');
    const isDone = isSessionEvent(
      ({ state, said, turns }) => state === 'listening' && said === undefined && turns === 1,
    );
    await server.waitFor(() => listener.events.find(isDone));
    expect(listener.events.findIndex(isAnswering)).toBeGreaterThanOrEqual(0);
    expect(listener.events.findIndex(isAnswering)).toBeLessThan(listener.events.findIndex(isDone));
    expect((await talkWorkbench()).sessions).toEqual([
      {
        id: expect.stringMatching(/^sess_/),
        model: 'parley-realtime',
        dialect: 'ga',
        openedAt: expect.any(Number),
        state: 'listening',
        turns: 1,
      },
    ]);
  });

  it('After a disconnect in the middle of a response, a new session opens and answers the next utterance', async () => {
    const listener = await server.listen('member');
    onTestFinished(() => listener.close());
    const { said, session } = await startAnswer(LONG_PROMPT);
    expect(session.said).toBe(LONG_PROMPT);
    expect((await controlSession('cut', session.id)).body.said).toMatch(/^The connection was dropped/);
    await server.waitFor(() => listener.events.find((event) => event.is === 'session-gone' && event.id === session.id));
    await waitForAnswer(said, 'The connection to the gateway was lost before the reply was complete');
    await server.trouble({ do: 'clear' });
    await waitForNewSession(session);
    await sendAndWait('once more');
    expect((await controlSession('cut', session.id)).body.error).toBe('That live session has already ended.');
  });

  it('A conversation continues in a new session after the time limit', async () => {
    const previousSession = await waitForSession();
    expect((await controlSession('expire', previousSession.id)).body.said).toMatch(/reached its time limit/);
    await sendAndWait('and after the hour?');
    expect(await waitForNewSession(previousSession)).toMatchObject({ state: 'listening', turns: 1 });
  });

  it('An unresponsive session stays silent until it is disconnected, and accepts no other fault', async () => {
    const previousSession = await waitForSession();
    expect((await controlSession('hang', previousSession.id)).status).toBe(200);
    expect((await waitForSession(({ id }) => id === previousSession.id)).state).toBe('silent');
    for (const how of ['hang', 'expire'])
      expect((await controlSession(how, previousSession.id)).body.error).toMatch(
        /already unresponsive\. You can only cut it/,
      );
    expect((await controlSession('cut', previousSession.id)).status).toBe(200);
    await sendAndWait('are you there?');
    await waitForNewSession(previousSession);
  });

  it('A change of the dialect applies to new sessions', async () => {
    const previousSession = await waitForSession();
    expect((await server.trouble({ do: 'dialect', speak: 'beta' })).body.said).toMatch(/previous dialect \(beta\)/);
    expect(await talkWorkbench()).toMatchObject({ dialect: 'beta', sessions: [{ dialect: 'ga' }] });
    await controlSession('cut', previousSession.id);
    await sendAndWait('in the words of before');
    const newSession = await waitForNewSession(previousSession);
    expect(newSession.dialect).toBe('beta');
    await server.trouble({ do: 'clear' });
    expect((await talkWorkbench()).dialect).toBe('ga');
    await controlSession('cut', newSession.id);
    await sendAndWait('in the words of today');
    expect((await waitForNewSession(newSession)).dialect).toBe('ga');
  });
});

describe('Faults of live sessions', () => {
  it('Every fault of a live session can be injected, with a message that says when it applies, and stays pending until then', async () => {
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
    await waitForAnswer(
      await sendMessage(LONG_PROMPT),
      'The connection to the gateway was lost before the reply was complete',
    );
    expect((await server.workbench()).gateway.faults).toEqual([]);
  });

  it('Unknown faults are refused with an explanation', async () => {
    const invalidActions = [
      { do: 'talk-trouble', how: 'explode' },
      { do: 'talk-trouble' },
      { do: 'dialect', speak: 'latin' },
      { do: 'session', how: 'kill', session: 'sess_1' },
      { do: 'session', how: 'cut' },
      { do: 'session', how: 'cut', session: '../..' },
    ];
    for (const action of invalidActions) {
      const { status, body } = await server.trouble(action);
      expect([status, typeof body.error]).toEqual([400, 'string']);
    }
    expect((await server.workbench()).gateway.faults).toEqual([]);
    expect((await talkWorkbench()).dialect).toBe('ga');
  });
});
