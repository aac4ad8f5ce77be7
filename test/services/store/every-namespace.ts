import { entryKey, reconcileEntry } from '../../../src/services/money/entry.ts';
import { EMPTY_BUDGET } from '../../../src/services/money/server-budget.ts';
import { NO_RULES } from '../../../src/services/safety/server-rules.ts';
import type { StoredTasks } from '../../../src/services/store/stored-tasks.ts';
import type { Partition } from '../../../src/services/tasks/homes.ts';
import { idIn } from './partitioned.ts';
import { makeTask, START, settled } from './store-fixture.ts';

const messageRef = { channelId: '123456789012345678', id: '223456789012345678' };

/** Writes rows into every namespace, like a bot that serves this partition or the whole store. */
export async function fillEveryNamespace(
  store: StoredTasks,
  partition: Partition,
  guildIds: readonly string[],
): Promise<void> {
  const { number } = partition;
  await store.hashSecret();
  await store.entries.setOpenSince(`2026-01-0${1 + number}`);
  for (const [index, guildId] of guildIds.entries()) {
    const id = idIn(partition, guildId, START + index);
    const files = { fingerprints: [{ hash: String(index).padStart(64, '0'), likeness: '0123456789abcdef' }] };
    const task = makeTask({
      id,
      guildId,
      requesterId: `member ${index % 5}`,
      times: { created: START + index },
      ...files,
    });
    const music = makeTask({
      id: idIn(partition, guildId, START + 500 + index),
      kind: 'music',
      request: { prompt: 'a song' },
      guildId,
      requesterId: `member ${index % 5}`,
      remoteId: `remote ${number} ${index}`,
    });
    for (const one of [index % 3 === 0 ? task : settled(task), settled(music)]) {
      await store.put(one);
      const entry = reconcileEntry(undefined, one);
      await store.entries.change(entryKey(entry), () => entry);
    }
    await store.sentOrders.put(id, { idempotencyKey: `key ${index}`, body: '{"a":"🦊"}' });
    await store.budgets.put({ guildId, ...EMPTY_BUDGET, isPaused: true });
    await store.rules.put({ guildId, ...NO_RULES, logChannelId: messageRef.channelId });
    await store.serverLogs.put({ guildId, messages: [{ ...messageRef, at: START, about: '1' }] });
    await store.setups.put({ guildId, mark: 'known' });
    const report = {
      id: idIn(partition, guildId, START + index),
      guildId: '323456789012345678',
      taskId: id,
      requesterId: '1',
      reporterId: '2',
    };
    const reportDetails = { hash: 'a', reporterHash: 'b', message: messageRef, reason: 'hate' as const, at: START };
    await store.reports.put({ ...report, ...reportDetails, channelId: messageRef.channelId, due: [] });
    const orders = [{ kind: 'imagine' as const, request: { prompt: 'a fox' } }];
    await store.proposals.put({ id, memberId: 'm1', orders, until: START + 60_000 }, 60_000_000);
    await store.drafts.put({ id, memberId: 'm1', until: START + 60_000 }, 60_000_000);
    await store.preferences.put({ guildId, channelId: '1', set: { spoiler: true }, at: START });
    const preset = {
      name: 'Poster',
      command: 'imagine' as const,
      template: '{prompt}',
      options: {},
      uses: 1,
      at: START,
    };
    await store.presets.put({ ...preset, id, memberId: 'm1', guildId });
    const anonymousEntry = {
      id: `anonymous ${number} ${index}`,
      at: START,
      kind: 'imagine',
      facts: [{ standing: 'settled' as const, at: START }],
    };
    await store.entries.change(entryKey(anonymousEntry), () => anonymousEntry);
    await store.entries.keepScopes(anonymousEntry, [`scope ${index}`], 60_000_000);
    await store.pseudonyms.put({ memberId: `member ${index % 5}`, pseudonym: `atelier-${number}-${index % 5}` });
  }
  await store.addDuration('imagine', { atLeastMs: 1, atMostMs: 2, at: START + number });
  await store.costs.put({
    kind: 'video',
    model: 'a/b:1',
    variants: [{ variant: 'x', amounts: ['0.10', ...Array<string>(number).fill('0.20')], at: START }],
  });
  await store.experience.put({
    id: 'model',
    delivered: number === 0 ? ['image'] : [],
    unfit: number === 0 ? [] : ['image', 'video'],
  });
  await store.polling.write({ at: START + number });
  await store.follows.put(`follow ${number}`, { id: number }, 60_000_000);
  const notice = {
    topic: 'lane',
    subject: 'videos',
    facts: { kind: 'busy' },
    since: START + number,
    count: 1 + number,
  };
  await store.notices.put({ ...notice, messages: [{ channelId: '1', id: `message ${number}` }], isShown: true });
  await store.runs.put({ at: START + number, version: '1.2.3', seenAt: START });
  const erasure = {
    memberId: 'member 0',
    until: START + number,
    secret: 'secret',
    tasks: 1,
    messages: 2,
    stays: 0,
    left: [],
  };
  await store.erasures.put(erasure);
  // The row is set aside at the same moment in each partition.
  await store.quarantine.add(store.follows, 'odd', { number }, 'is odd');
}
