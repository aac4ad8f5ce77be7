import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import {
  type FollowedThreads,
  openFollowedThreads,
  openThreadAnnouncer,
} from '../../../src/services/cluster/followed-threads.ts';
import { TaskBook } from '../../../src/services/orders/book.ts';
import { openSharedFacts } from '../../../src/services/store/partitions.ts';
import type { Task } from '../../../src/services/tasks/task.ts';
import { onServers, type TestStore } from '../store/sites.ts';
import { makeTask } from '../store/store-fixture.ts';

const PARTITION = 3;
const question = { kind: 'ask', request: { prompt: 'snow?', model: 'quill-5' }, guildId: 'den' } as const;

async function startFixture(testStore: TestStore) {
  const { url, scheme, log } = testStore;
  const facts = await openSharedFacts({ url, scheme }, { log, clock: systemClock, limitMs: 3_000 });
  onTestFinished(() => facts.close());
  const book = new TaskBook(await testStore.open(), log);
  const context = { holder: 'a worker', leaseMs: 10_000, facts, clock: systemClock, log };
  const announcer = openThreadAnnouncer(context);
  onTestFinished(() => announcer.stop());
  const openShard = async (): Promise<FollowedThreads> => {
    const threads = await openFollowedThreads(context);
    onTestFinished(() => threads.close());
    return threads;
  };
  return { book, notes: announcer, openShard, add: (task: Task) => book.add(task) };
}

describe('Followed threads', () =>
  onServers((createTestStore) => {
    it('Shard processes are notified of the threads of conversations, and of no other channels', async () => {
      const { book, notes: announcer, openShard, add } = await startFixture(await createTestStore());
      await add(makeTask({ ...question, channelId: 'before', parentChannelId: 'hall' }));
      announcer.watch(book, PARTITION);
      const openThreads = await openShard();
      await add(makeTask({ ...question, channelId: 'no-thread' }));
      await add(makeTask({ ...question, channelId: 'private', parentChannelId: 'hall', route: { isPrivate: true } }));
      await add(makeTask({ channelId: 'image', parentChannelId: 'hall', guildId: 'den' }));
      const talk = makeTask({ kind: 'talk', request: { model: 'parley-realtime', who: 'me' }, guildId: 'den' });
      await add(talk);
      await book.change(talk.id, (task) => ({ ...task, channelId: 'talk' }));
      await add(makeTask({ ...question, channelId: 'thread', parentChannelId: 'hall' }));
      // This thread was added last, so the others have arrived too.
      await expect.poll(() => openThreads.partitionOf('thread')).toBe(PARTITION);
      expect(openThreads.count).toBe(3);
      expect(openThreads.partitionOf('before')).toBe(PARTITION);
      expect(openThreads.partitionOf('talk')).toBe(PARTITION);
      expect(openThreads.partitionOf('image')).toBeUndefined();
      // A shard process that starts later reads all of them.
      expect((await openShard()).count).toBe(3);
    });
  }));
