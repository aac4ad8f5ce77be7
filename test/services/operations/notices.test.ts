import { describe, expect, it } from 'vitest';
import { Notices } from '../../../src/services/operations/notices.ts';
import type { Notice, NoticeStore } from '../../../src/services/store/notice.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { plainLog } from '../../support/plain-log.ts';

const HOUR_MS = 3_600_000;

/** Sets up notices with a Discord and a store that can be made to fail. Stored rows survive a restart. */
function createFixture() {
  const clock = new ManualClock();
  const sent: string[] = [];
  const rows = new Map<string, Notice>();
  const fixture = { acceptsPosts: true, canStore: true };
  const store: NoticeStore = {
    all: async () => [...rows.values()],
    async put(notice) {
      if (!fixture.canStore) throw new Error('The disk is full.');
      rows.set(`${notice.topic} ${notice.subject}`, structuredClone(notice));
    },
    remove: async ({ topic, subject }) => void rows.delete(`${topic} ${subject}`),
  };
  const textOf = ({ topic, count, endedAt }: Notice): string =>
    `${topic} ${count}${endedAt === undefined ? '' : ' over'}`;
  const start = async (): Promise<Notices> => {
    const notices = new Notices(
      store,
      {
        async post(notice) {
          if (fixture.acceptsPosts) sent.push(`new ${textOf(notice)}`);
          return fixture.acceptsPosts ? [{ channelId: '1', id: String(sent.length) }] : [];
        },
        async edit(notice) {
          if (fixture.acceptsPosts) sent.push(`edit ${textOf(notice)}${notice.facts.isLeft === true ? ' left' : ''}`);
          return { messages: notice.messages, needsRetry: !fixture.acceptsPosts };
        },
      },
      clock,
      plainLog(),
    );
    await notices.open();
    notices.start();
    return notices;
  };
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 1_000) {
      clock.advance(Math.min(left, 1_000));
      await new Promise(setImmediate);
    }
  };
  return { clock, sent, rows, fixture, start, pass };
}

describe('Notices', () => {
  it('A recurring problem leads to one message an hour, which is edited at most twice a minute', async () => {
    const { sent, start, pass } = createFixture();
    const notices = await start();
    for (let round = 0; round < 360; round += 1) {
      notices.begin({ topic: 'lane', subject: 'videos' });
      await pass(5_000);
      notices.end('lane', 'videos');
      await pass(5_000);
    }
    expect(sent.filter((line) => line.startsWith('new'))).toHaveLength(1);
    expect(sent.length).toBeLessThanOrEqual(121);
    notices.begin({ topic: 'lane', subject: 'videos' });
    await pass(60_000);
    expect(sent.filter((line) => line.startsWith('new'))).toHaveLength(2);
  });

  it('A bot that crashes repeatedly posts one message an hour', async () => {
    const { sent, start, pass } = createFixture();
    for (let crash = 0; crash < 50; crash += 1) {
      (await start()).report({ topic: 'started' });
      await pass(30_000);
    }
    expect(sent.filter((line) => line.startsWith('new'))).toEqual(['new started 1 over']);
    expect(sent.at(-1)).toBe('edit started 50 over');
  });

  it('A problem from before a restart is reported as over once the bot has had time to notice that it is gone', async () => {
    const { sent, start, pass } = createFixture();
    const first = await start();
    first.begin({ topic: 'lane', subject: 'videos' });
    await pass(1_000);
    await first.stop();
    const second = await start();
    second.update(['lane'], []);
    expect(second.confirmed).toEqual([]);
    await pass(60_000);
    expect(sent).toEqual(['new lane 1']);
    await pass(60_000);
    second.update(['lane'], []);
    await pass(1_000);
    expect(sent).toEqual(['new lane 1', 'edit lane 1 over']);
  });

  it('A problem from before a restart is confirmed once it is found again', async () => {
    const { start, pass } = createFixture();
    const first = await start();
    first.begin({ topic: 'noCredit', subject: 'image' });
    expect(first.confirmed).toHaveLength(1);
    await pass(1_000);
    await first.stop();
    const second = await start();
    expect([second.ongoing.length, second.confirmed.length]).toEqual([1, 0]);
    second.begin({ topic: 'noCredit', subject: 'image' });
    expect(second.confirmed).toHaveLength(1);
  });

  it('The time of a problem is that of its current kind and of the current run', async () => {
    const { clock, rows, start, pass } = createFixture();
    const first = await start();
    const report = (notices: Notices, kind: string, since?: number): void =>
      notices.begin({ topic: 'lane', facts: { kind }, since });
    const startTime = clock.now();
    const shownTime = (): number => ([...rows.values()][0]?.since ?? 0) - startTime;
    report(first, 'busy');
    await pass(60_000);
    report(first, 'busy', clock.now());
    expect(shownTime()).toBe(0);
    report(first, 'unreachable', startTime + 50_000);
    await pass(60_000);
    expect(shownTime()).toBe(50_000);
    await first.stop();
    const second = await start();
    report(second, 'unreachable', startTime + 110_000);
    await pass(60_000);
    expect(shownTime()).toBe(110_000);
    second.end('lane');
    await pass(60_000);
    report(second, 'unreachable');
    await pass(60_000);
    expect(shownTime()).toBe(240_000);
  });

  it('The end of a problem that could not be shown before a restart is shown after it', async () => {
    const { sent, fixture, start, pass } = createFixture();
    const first = await start();
    first.begin({ topic: 'lane' });
    await pass(60_000);
    fixture.acceptsPosts = false;
    first.end('lane');
    await pass(1_000);
    await first.stop();
    fixture.acceptsPosts = true;
    await start();
    await pass(1_000);
    expect(sent).toEqual(['new lane 1', 'edit lane 1 over']);
  });

  it('While nothing can be stored, notices are sent from memory, and stored later', async () => {
    const { sent, rows, fixture, start, pass } = createFixture();
    fixture.canStore = false;
    const notices = await start();
    notices.begin({ topic: 'store' });
    await pass(1_000);
    expect([sent, rows.size]).toEqual([['new store 1'], 0]);
    fixture.canStore = true;
    await pass(60_000);
    notices.update(['store'], [{ topic: 'store' }]);
    await pass(1_000);
    expect([...rows.values()]).toMatchObject([{ topic: 'store', isShown: true }]);
  });

  it('Notices that could not be stored are stored when the bot stops, so that the next run resolves them', async () => {
    const { sent, fixture, start, pass } = createFixture();
    fixture.canStore = false;
    const first = await start();
    first.begin({ topic: 'store' });
    await pass(1_000);
    fixture.canStore = true;
    await first.stop();
    const second = await start();
    await pass(2 * 60_000);
    second.update(['store'], []);
    await pass(1_000);
    expect(sent).toEqual(['new store 1', 'edit store 1 over']);
  });

  it('Trouble of an earlier run is over two minutes after a start at the earliest, and trouble that this run has seen at once', async () => {
    const { sent, start, pass } = createFixture();
    const first = await start();
    first.begin({ topic: 'store' });
    await pass(60_000);
    await first.stop();
    const second = await start();
    second.begin({ topic: 'lane' });
    await pass(60_000);
    second.update(['store', 'lane'], []);
    await pass(1_000);
    expect(sent).toEqual(['new store 1', 'new lane 1', 'edit lane 1 over']);
    await pass(60_000);
    second.update(['store', 'lane'], []);
    await pass(1_000);
    expect(sent.at(-1)).toBe('edit store 1 over');
  });

  it('The messages of notices that cannot even be stored when the bot stops say so, except those of events', async () => {
    const { sent, fixture, start, pass } = createFixture();
    fixture.canStore = false;
    const notices = await start();
    notices.report({ topic: 'started' });
    notices.begin({ topic: 'store' });
    await pass(1_000);
    await notices.stop();
    expect(sent).toEqual(['new started 1 over', 'new store 1', 'edit store 1 left']);
  });

  it('Notices that Discord does not accept are retried at growing intervals and sent once', async () => {
    const { sent, fixture, start, pass } = createFixture();
    fixture.acceptsPosts = false;
    const notices = await start();
    notices.begin({ topic: 'lane' });
    await pass(2 * HOUR_MS);
    fixture.acceptsPosts = true;
    await pass(HOUR_MS);
    expect(sent).toEqual(['new lane 1']);
  });

  it('A problem that was over before it could be reported is not reported', async () => {
    const { sent, fixture, start, pass } = createFixture();
    fixture.acceptsPosts = false;
    const notices = await start();
    notices.begin({ topic: 'lane' });
    await pass(1_000);
    notices.end('lane');
    fixture.acceptsPosts = true;
    await pass(2 * HOUR_MS);
    expect(sent).toEqual([]);
  });

  it('The number of notices is limited, and expired ones leave no row', async () => {
    const { sent, rows, start, pass } = createFixture();
    const notices = await start();
    for (let index = 0; index < 200; index += 1) notices.begin({ topic: 'model', subject: String(index) });
    await pass(1_000);
    expect([sent.length, notices.ongoing.length, rows.size]).toEqual([60, 60, 60]);
    await pass(2 * 60_000);
    notices.update(['model'], []);
    await pass(HOUR_MS);
    notices.update(['model'], []);
    await pass(1_000);
    expect([notices.ongoing.length, rows.size]).toEqual([0, 0]);
  });
});
