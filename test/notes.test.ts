import { describe, expect, it, onTestFinished } from 'vitest';
import { openLog } from '../src/lib/log.ts';
import { speak } from '../src/locales/index.ts';
import { notes } from '../src/notes.ts';
import { openMedia } from '../src/services/media/index.ts';
import type { Task } from '../src/services/tasks/task.ts';
import { file, openFileHost } from './services/media/file-host.ts';
import { mp4Film } from './services/media/films.ts';
import { madeTask } from './services/tasks/made.ts';
import { ManualClock } from './support/manual-clock.ts';

/** A gateway's origin that keeps films, and what is noted about tasks whose references lie there. */
async function noted() {
  const host = await openFileHost();
  onTestFinished(() => host.close());
  const address = host.on('/dance.mp4', file(mp4Film()));
  const clock = new ManualClock();
  const log = openLog({ level: 'silent', secrets: [], readable: false, write: () => undefined });
  const media = openMedia({ gatewayOrigin: host.origin, apiKey: 'sk-sandbox', allowPrivate: true }, { log, clock });
  onTestFinished(() => media.close());
  const references = [{ address, name: 'dance.mp4', medium: 'video', takes: 'address' }];
  const request = { prompt: 'waves', model: 'reel-2', references };
  const failed = (changes: Partial<Task> = {}): Task =>
    madeTask({ kind: 'video', state: 'failed', failure: { cause: 'failed' }, request, ...changes });
  return { host, media, failed, ...notes({ media, log, clock, say: speak() }) };
}

describe('the references of a task that failed', () => {
  it('are asked for once, however often it is shown, and never with the key', async () => {
    const { host, failed, ofFailure } = await noted();
    const first = await ofFailure(failed());
    expect(first[0]).toContain('The reference `dance.mp4` can be fetched just now');
    expect(await ofFailure(failed())).toEqual(first);
    expect(host.heard.map(({ path, headers }) => [path, headers.authorization])).toEqual([['/dance.mp4', undefined]]);
    await ofFailure(failed({ id: '01k3v9x2mabcdefgz' }));
    expect(host.heard).toHaveLength(2);
  });

  it('are left alone where something else is the reason, or there are none', async () => {
    const { host, failed, ofFailure } = await noted();
    for (const cause of ['forgotten', 'dismissed', 'cancelled', 'expired'] as const)
      expect(await ofFailure(failed({ failure: { cause } }))).toEqual([]);
    expect(await ofFailure(failed({ request: { prompt: 'waves' } }))).toEqual([]);
    expect(await ofFailure(failed({ request: { references: 'odd' } }))).toEqual([]);
    expect(host.heard).toEqual([]);
  });

  it('are not accused of anything because the bot is about to stop', async () => {
    const { media, failed, ofFailure } = await noted();
    await media.close();
    expect(await ofFailure(failed())).toEqual([]);
  });
});
