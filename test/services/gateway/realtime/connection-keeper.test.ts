import { describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../support/manual-clock.ts';
import { words } from './frames.ts';
import { all, dialects, endOf, failureOf, type Peer, sessions, stage, strict } from './scripted.ts';

const says = words('ga');
const minute = 60_000;

async function open(script: Parameters<typeof stage>[0] = {}, settings = {}) {
  const side = await stage(script);
  const session = await side.gateway.realtime.open({ model: 'm', ...settings });
  return { ...side, session, peer: await side.next() };
}

type Side = Awaited<ReturnType<typeof open>>;

/** A whole exchange of text. */
async function talk(
  { session }: Pick<Side, 'session'>,
  peer: Peer,
  text: string,
  reply: string,
  dialect = dialects[0] as 'ga' | 'beta',
) {
  const answering = session.say({ text });
  await peer.hears('response.create');
  const { created, transcript, done } = words(dialect, `resp_${text}`);
  peer.tell(created, transcript(reply), done());
  return all(await answering);
}

/** Both sides have sent everything that they had to send. */
const settled = (peer: Peer): Promise<unknown> => new Promise((resolve) => peer.socket.once('pong', resolve).ping());

async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const told = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const answered = (text: string, type = 'output_text') => ({
  type: 'message',
  role: 'assistant',
  content: [{ type, text }],
});

describe('A live conversation', () => {
  it.each(dialects)(
    'A live conversation survives its connection: settings and history come back in order (%s)',
    async (dialect) => {
      const side = await open({ created: sessions[dialect], manners: strict(dialect) }, { instructions: 'Be brief' });
      await talk(side, side.peer, 'One', 'First', dialect);
      await talk(side, side.peer, 'Two', 'Second', dialect);
      side.peer.socket.terminate();
      const other = await side.next();
      const type = dialect === 'ga' ? 'output_text' : 'text';
      for (let count = 0; count < 4; count++) await other.hears('conversation.item.create');
      expect(other.items()).toEqual([told('One'), answered('First', type), told('Two'), answered('Second', type)]);
      expect(other.heard[0]?.session).toMatchObject({ instructions: 'Be brief' });
      expect(side.session.id).toBe('sess_1');
      const events = await talk(side, other, 'Three', 'Third', dialect);
      expect(endOf(events).text).toBe('Third');
      expect(side.peers).toHaveLength(2);
    },
  );

  it('A live conversation continues from an earlier conversation', async () => {
    const { gateway, next } = await stage();
    const earlier = [
      { by: 'member', text: 'Hi' },
      { by: 'model', text: 'Hello' },
      { by: 'member', text: ' ' },
    ] as const;
    await gateway.realtime.open({ model: 'm' }, { earlier });
    const peer = await next();
    await settled(peer);
    expect(peer.items()).toEqual([told('Hi'), answered('Hello')]);
  });

  it('A live conversation remembers audio by its transcript, and notes where there is none', async () => {
    const side = await open({}, { transcriber: 'ears' });
    const sound = new Int16Array(2_400);
    for (const [id, transcript] of [
      ['a', 'Good morning'],
      ['b', ''],
    ]) {
      const answering = side.session.say({ audio: sound });
      await side.peer.hears('response.create');
      const { created, done } = words('ga', `resp_${id}`);
      side.peer.tell(
        { type: 'input_audio_buffer.committed', item_id: id },
        { type: 'conversation.item.input_audio_transcription.completed', item_id: id, transcript },
        created,
        done(),
      );
      await all(await answering);
    }
    side.peer.socket.terminate();
    const other = await side.next();
    await other.hears('conversation.item.create');
    await other.hears('conversation.item.create');
    expect(other.items()).toEqual([told('Good morning'), told('[A spoken message that was not written down.]')]);
  });

  it('A live conversation replays a tool call together with its output', async () => {
    const side = await open();
    const answering = side.session.say({ text: 'Draw' });
    await side.peer.hears('response.create');
    const call = { type: 'function_call', call_id: 'call_1', name: 'draw', arguments: '{}' };
    side.peer.tell(says.created, says.done({ output: [call] }));
    await all(await answering);
    const given = side.session.say({ outputs: [{ callId: 'call_1', output: 'Done' }] });
    await side.peer.hears('response.create');
    side.peer.tell(words('ga', 'resp_2').done());
    await all(await given);
    side.peer.socket.terminate();
    const other = await side.next();
    for (let count = 0; count < 3; count++) await other.hears('conversation.item.create');
    expect(other.items()).toEqual([
      told('Draw'),
      call,
      { type: 'function_call_output', call_id: 'call_1', output: 'Done' },
    ]);
  });

  it('A live conversation detects a silently dead connection and opens another one', async () => {
    const clock = new ManualClock();
    const { peer, next, peers } = await open({ tools: { clock } });
    const minutes = async (until: () => boolean): Promise<void> => {
      for (let step = 0; step < 60 && !until(); step++) {
        clock.advance(1_000);
        await turns();
      }
    };
    await minutes(() => false);
    expect(peers).toHaveLength(1);
    peer.socket.pause();
    await minutes(() => peers.length > 1);
    await (await next()).hears('session.update');
  });

  it('A live conversation backs off from an unreachable gateway and stops retrying in the end', async () => {
    const clock = new ManualClock();
    const side = await open({ tools: { clock, random: () => 1 } });
    await side.stop();
    await side.peer.gone;
    await turns(50);
    const lost = () => side.said.filter((one) => one.includes('Reconnecting to the gateway failed')).length;
    const waits: number[] = [];
    for (let ms = 0, last = 0, count = lost(); ms < 10 * minute; ms += 500) {
      clock.advance(500);
      await turns(30);
      if (lost() === count) continue;
      count = lost();
      waits.push(ms + 500 - last);
      last = ms + 500;
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000]);
    // The next utterance connects again.
    await side.start();
    const answering = side.session.say({ text: 'Are you there?' });
    const other = await side.next();
    await other.hears('response.create');
    other.tell(says.created);
    expect((await answering).id).toBe('resp_1');
  });

  it('A live conversation does not wait when the member speaks', async () => {
    const clock = new ManualClock();
    const side = await open({ tools: { clock, random: () => 1 } });
    side.peer.socket.terminate();
    await side.peer.gone;
    await turns();
    const answering = side.session.say({ text: 'Hello' });
    const other = await side.next();
    await other.hears('response.create');
    other.tell(says.created);
    await answering;
    expect(side.peers).toHaveLength(2);
  });

  it('A live conversation does not reconnect again and again where the gateway refuses it', async () => {
    let isClosed = false;
    const side = await open({
      door: (_request, response) => {
        if (isClosed) response.writeHead(401).end('{"error":{"code":"invalid_api_key","message":"Gone"}}');
        return isClosed;
      },
      limits: { attempts: 3 },
    });
    isClosed = true;
    side.peer.socket.terminate();
    await vi.waitUntil(() => side.said.join().includes('connection to the gateway lost'));
    expect(await failureOf(side.session.say({ text: 'Hello' }))).toMatchObject({
      kind: 'unauthorized',
      mayHaveTakenEffect: false,
    });
    await turns(50);
    expect(side.requests.length).toBeLessThanOrEqual(4);
  });

  it('A live conversation limits the reconnects to a gateway that cuts every connection', async () => {
    const side = await open({
      manners: (peer, event) => {
        strict('ga')(peer, event);
        setImmediate(() => peer.socket.terminate());
      },
    });
    for (let turn = 0; turn < 100; turn++) await turns(20);
    expect(side.peers.length).toBeLessThanOrEqual(7);
  });

  it('A live conversation is renewed before its hour is over, while no member speaks', async () => {
    const clock = new ManualClock();
    const side = await open({ tools: { clock } });
    await talk(side, side.peer, 'One', 'First');
    for (let seconds = 0; seconds < 55 * 60; seconds += 20) {
      clock.advance(20_000);
      await turns(5);
    }
    await side.peer.gone;
    clock.advance(0);
    const other = await side.next();
    await other.hears('conversation.item.create');
    await other.hears('conversation.item.create');
    expect(other.items()).toEqual([told('One'), answered('First')]);
  });

  it('A live conversation is renewed after a response that is running at that moment', async () => {
    const side = await open();
    const answering = side.session.say({ text: 'One' });
    await side.peer.hears('response.create');
    side.peer.tell(
      says.created,
      says.text('A'),
      { type: 'error', error: { type: 'invalid_request_error', code: 'session_expired', message: 'An hour' } },
      says.text('B'),
      says.done(),
    );
    expect(endOf(await all(await answering))).toMatchObject({ end: 'completed', text: 'AB' });
    await side.peer.gone;
    const other = await side.next();
    await other.hears('conversation.item.create');
    await other.hears('conversation.item.create');
    expect(other.items()).toEqual([told('One'), answered('AB')]);
  });

  it('A live conversation is renewed when the gateway reports that its hour is over', async () => {
    const side = await open();
    side.peer.tell({ type: 'error', error: { code: 'session_expired', message: 'Over' } });
    await (await side.next()).hears('session.update');
    await side.peer.gone;
  });

  it('A live conversation ends when it is closed: a running response ends and no new connection is opened', async () => {
    const side = await open();
    const answering = side.session.say({ text: 'Hello' });
    await side.peer.hears('response.create');
    side.peer.tell(says.created, says.text('Some'));
    const answer = await answering;
    await settled(side.peer);
    await side.session.close();
    expect(endOf(await all(answer))).toMatchObject({ end: 'cut', text: 'Some', error: { code: 'closed' } });
    expect(await failureOf(side.session.say({ text: 'Hello' }))).toMatchObject({
      kind: 'unreachable',
      code: 'closed',
      mayHaveTakenEffect: false,
    });
    await side.peer.gone;
    await side.session.close();
    await turns();
    expect(side.peers).toHaveLength(1);
  });

  it('An utterance may have taken effect when the conversation is closed during it', async () => {
    const side = await open();
    const answering = failureOf(side.session.say({ text: 'Hello' }));
    await side.peer.hears('response.create');
    await side.gateway.close();
    expect(await answering).toMatchObject({ code: 'closed', mayHaveTakenEffect: true });
  });

  it('A live conversation leaves no timer behind when it is closed', async () => {
    class Counting extends ManualClock {
      open = 0;
      override after(ms: number, task: () => void): () => void {
        this.open += 1;
        let isOver = false;
        const end = (): void => {
          if (!isOver) this.open -= 1;
          isOver = true;
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
    const clock = new Counting();
    const side = await open({ tools: { clock } }, { transcriber: 'ears' });
    const answering = side.session.say({ audio: new Int16Array(2_400) });
    await side.peer.hears('response.create');
    side.peer.tell(says.created, says.done());
    await answering;
    expect(clock.open).toBeGreaterThan(0);
    await side.session.close();
    await turns();
    expect(clock.open).toBe(0);
  });

  it('A live conversation is not opened when it is closed during a reconnect', async () => {
    let isSlow = false;
    const side = await open({ door: () => isSlow });
    isSlow = true;
    const answering = (async () => {
      side.peer.socket.terminate();
      await side.peer.gone;
      await turns();
      return failureOf(side.session.say({ text: 'Hello' }));
    })();
    while (side.requests.length < 2) await turns(1);
    await side.session.close();
    expect(await answering).toMatchObject({ code: 'closed', mayHaveTakenEffect: false });
  });
});
