import { describe, expect, it } from 'vitest';
import type { EarlierTurn } from '../../../../src/services/gateway/realtime-events.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { framesFor } from './frames.ts';
import { acceptOnly, collectEvents, dialects, endOf, failureOf, type Peer, sessions, startServer } from './scripted.ts';

const frames = framesFor('ga');

async function openConversation(script: Parameters<typeof startServer>[0] = {}, settings = {}) {
  const server = await startServer(script);
  const turns: EarlierTurn[] = [];
  const session = await server.gateway.realtime.open({ model: 'm', ...settings }, { history: async () => turns });
  return { ...server, session, turns, peer: await server.next() };
}

type Fixture = Awaited<ReturnType<typeof openConversation>>;

/** Sends a text utterance, lets the server respond, and returns the events of the response. */
async function exchange(
  { session, turns }: Pick<Fixture, 'session' | 'turns'>,
  peer: Peer,
  text: string,
  reply: string,
  dialect = dialects[0] as 'ga' | 'beta',
) {
  const pendingAnswer = session.say({ text });
  await peer.waitFor('response.create');
  const { created, transcript, done } = framesFor(dialect, `resp_${text}`);
  peer.send(created, transcript(reply), done());
  const events = await collectEvents(await pendingAnswer);
  turns.push({ by: 'member', text }, { by: 'model', text: reply });
  return events;
}

/** Waits until each side has received everything that the other one has sent. */
const waitForPong = (peer: Peer): Promise<unknown> =>
  new Promise((resolve) => peer.socket.once('pong', resolve).ping());

async function runEventLoop(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const memberItem = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const modelItem = (text: string, type = 'output_text') => ({
  type: 'message',
  role: 'assistant',
  content: [{ type, text }],
});

describe('A live conversation', () => {
  it.each(dialects)(
    'A live conversation survives a lost connection, and its settings and history are sent again in order (%s)',
    async (dialect) => {
      const server = await openConversation(
        { created: sessions[dialect], onEvent: acceptOnly(dialect) },
        { instructions: 'Be brief' },
      );
      await exchange(server, server.peer, 'One', 'First', dialect);
      await exchange(server, server.peer, 'Two', 'Second', dialect);
      server.peer.socket.terminate();
      const newPeer = await server.next();
      const type = dialect === 'ga' ? 'output_text' : 'text';
      const events = await exchange(server, newPeer, 'Three', 'Third', dialect);
      expect(newPeer.items()).toEqual([
        memberItem('One'),
        modelItem('First', type),
        memberItem('Two'),
        modelItem('Second', type),
        memberItem('Three'),
      ]);
      expect(newPeer.received[0]?.session).toMatchObject({ instructions: 'Be brief' });
      expect(server.session.id).toBe('sess_1');
      expect(endOf(events).text).toBe('Third');
      expect(server.peers).toHaveLength(2);
    },
  );

  it('A live conversation continues from an earlier conversation', async () => {
    const server = await openConversation();
    server.turns.push({ by: 'member', text: 'Hi' }, { by: 'model', text: 'Hello' }, { by: 'member', text: ' ' });
    await exchange(server, server.peer, 'One', 'First');
    await exchange(server, server.peer, 'Two', 'Second');
    expect(server.peer.items()).toEqual([memberItem('Hi'), modelItem('Hello'), memberItem('One'), memberItem('Two')]);
  });

  it('A live conversation detects a silently dead connection and opens another one', async () => {
    const clock = new ManualClock();
    const { peer, next, peers } = await openConversation({ tools: { clock } });
    const advanceMinute = async (isDone: () => boolean): Promise<void> => {
      for (let step = 0; step < 60 && !isDone(); step++) {
        clock.advance(1_000);
        await runEventLoop();
      }
    };
    await advanceMinute(() => false);
    expect(peers).toHaveLength(1);
    peer.socket.pause();
    await advanceMinute(() => peers.length > 1);
    await (await next()).waitFor('session.update');
  });

  it('A live conversation with an unreachable gateway is reopened by the next utterance', async () => {
    const server = await openConversation();
    await server.stop();
    await expect.poll(() => server.logLines.join()).toContain('Reconnecting to the gateway failed');
    await server.start();
    const pendingAnswer = server.session.say({ text: 'Are you there?' });
    const newPeer = await server.next();
    await newPeer.waitFor('response.create');
    newPeer.send(frames.created);
    expect((await pendingAnswer).id).toBe('resp_1');
  });

  it('A live conversation reconnects immediately when the member speaks', async () => {
    const clock = new ManualClock();
    const server = await openConversation({ tools: { clock, random: () => 1 } });
    server.peer.socket.terminate();
    await server.peer.closed;
    await runEventLoop();
    const pendingAnswer = server.session.say({ text: 'Hello' });
    const newPeer = await server.next();
    await newPeer.waitFor('response.create');
    newPeer.send(frames.created);
    await pendingAnswer;
    expect(server.peers).toHaveLength(2);
  });

  it('A live conversation does not keep reconnecting to a gateway that refuses it', async () => {
    let isClosed = false;
    const server = await openConversation({
      onUpgrade: (_request, response) => {
        if (isClosed) response.writeHead(401).end('{"error":{"code":"invalid_api_key","message":"Gone"}}');
        return isClosed;
      },
      limits: { attempts: 3 },
    });
    isClosed = true;
    server.peer.socket.terminate();
    await expect.poll(() => server.logLines.join()).toContain('connection to the gateway lost');
    expect(await failureOf(server.session.say({ text: 'Hello' }))).toMatchObject({
      kind: 'unauthorized',
      mayHaveTakenEffect: false,
    });
    await runEventLoop(50);
    expect(server.requests.length).toBeLessThanOrEqual(4);
  });

  it('A live conversation limits its reconnects to a gateway that drops every connection', async () => {
    const server = await openConversation({
      onEvent: (peer, event) => {
        acceptOnly('ga')(peer, event);
        setImmediate(() => peer.socket.terminate());
      },
    });
    for (let turn = 0; turn < 100; turn++) await runEventLoop(20);
    expect(server.peers.length).toBeLessThanOrEqual(2);
  });

  it('The session of a live conversation is renewed before its one-hour limit, while no member is speaking', async () => {
    const clock = new ManualClock();
    const server = await openConversation({ tools: { clock } });
    await exchange(server, server.peer, 'One', 'First');
    for (let seconds = 0; seconds < 55 * 60; seconds += 20) {
      clock.advance(20_000);
      await runEventLoop(5);
    }
    await server.peer.closed;
    clock.advance(0);
    const newPeer = await server.next();
    await exchange(server, newPeer, 'Two', 'Second');
    expect(newPeer.items()).toEqual([memberItem('One'), modelItem('First'), memberItem('Two')]);
  });

  it('The session of a live conversation is renewed only after a running response has ended', async () => {
    const server = await openConversation();
    const pendingAnswer = server.session.say({ text: 'One' });
    await server.peer.waitFor('response.create');
    server.peer.send(
      frames.created,
      frames.text('A'),
      { type: 'error', error: { type: 'invalid_request_error', code: 'session_expired', message: 'An hour' } },
      frames.text('B'),
      frames.done(),
    );
    expect(endOf(await collectEvents(await pendingAnswer))).toMatchObject({ end: 'completed', text: 'AB' });
    await server.peer.closed;
    await (await server.next()).waitFor('session.update');
  });

  it('The session of a live conversation is renewed when the gateway reports that it has expired', async () => {
    const server = await openConversation();
    server.peer.send({ type: 'error', error: { code: 'session_expired', message: 'Over' } });
    await (await server.next()).waitFor('session.update');
    await server.peer.closed;
  });

  it('A live conversation ends when it is closed: a running response ends and no new connection is opened', async () => {
    const server = await openConversation();
    const pendingAnswer = server.session.say({ text: 'Hello' });
    await server.peer.waitFor('response.create');
    server.peer.send(frames.created, frames.text('Some'));
    const answer = await pendingAnswer;
    await waitForPong(server.peer);
    await server.session.close();
    expect(endOf(await collectEvents(answer))).toMatchObject({ end: 'cut', text: 'Some', error: { code: 'closed' } });
    expect(await failureOf(server.session.say({ text: 'Hello' }))).toMatchObject({
      kind: 'unreachable',
      code: 'closed',
      mayHaveTakenEffect: false,
    });
    await server.peer.closed;
    await server.session.close();
    await runEventLoop();
    expect(server.peers).toHaveLength(1);
  });

  it('An utterance may have taken effect if the conversation is closed before the response arrives', async () => {
    const server = await openConversation();
    const pendingAnswer = failureOf(server.session.say({ text: 'Hello' }));
    await server.peer.waitFor('response.create');
    await server.gateway.close();
    expect(await pendingAnswer).toMatchObject({ code: 'closed', mayHaveTakenEffect: true });
  });

  it('A live conversation leaves no timer behind when it is closed', async () => {
    class CountingClock extends ManualClock {
      openTimers = 0;
      override after(ms: number, task: () => void): () => void {
        this.openTimers += 1;
        let hasEnded = false;
        const end = (): void => {
          if (!hasEnded) this.openTimers -= 1;
          hasEnded = true;
        };
        const cancel = super.after(ms, () => {
          end();
          task();
        });
        return () => {
          end();
          cancel();
        };
      }
    }
    const clock = new CountingClock();
    const server = await openConversation({ tools: { clock } }, { transcriber: 'ears' });
    const pendingAnswer = server.session.say({ audio: new Int16Array(2_400) });
    await server.peer.waitFor('response.create');
    server.peer.send(frames.created, frames.done());
    await pendingAnswer;
    expect(clock.openTimers).toBeGreaterThan(0);
    await server.session.close();
    await runEventLoop();
    expect(clock.openTimers).toBe(0);
  });

  it('A live conversation that is closed during a reconnect stays closed', async () => {
    let isStalled = false;
    const server = await openConversation({ onUpgrade: () => isStalled });
    isStalled = true;
    const pendingAnswer = (async () => {
      server.peer.socket.terminate();
      await server.peer.closed;
      await runEventLoop();
      return failureOf(server.session.say({ text: 'Hello' }));
    })();
    while (server.requests.length < 2) await runEventLoop(1);
    await server.session.close();
    expect(await pendingAnswer).toMatchObject({ code: 'closed', mayHaveTakenEffect: false });
  });
});
