import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { expect, it, onTestFinished } from 'vitest';
import { kindSpecs } from '../../../src/commands/index.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { examine } from '../../../src/services/store/examination/examination.ts';
import { openStore } from '../../../src/services/store/open-store.ts';
import { freePort } from '../../support/free-port.ts';
import { startRedis } from '../../support/store-servers.ts';
import { onStores } from './sites.ts';
import { createTemporaryFolder } from './store-fixture.ts';

const quiet = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });

async function warningsOf(url: string): Promise<readonly string[]> {
  const parts = { specs: kindSpecs, clock: systemClock, log: quiet, repair: false };
  return (await examine({ url, scheme: url.split(':')[0] ?? '' }, parts)).warnings;
}

/** Opens a store as a bot does when it starts, and returns the warnings that it logs. */
async function logOfStart(url: string): Promise<string[]> {
  const messages: string[] = [];
  const write = (line: string): void => void messages.push(JSON.parse(line).msg);
  const log = createLogger({ level: 'warn', secrets: [], isPretty: false, write });
  const store = await openStore(
    { url, scheme: url.split(':')[0] ?? '' },
    { specs: kindSpecs, log, clock: systemClock },
  );
  await store.close();
  return messages;
}

it('The start and the doctor say which settings of Redis can lose an order (needs redis-server)', {
  tags: ['breadth'],
}, async ({ skip }) => {
  const folder = join(createTemporaryFolder(), 'data');
  mkdirSync(folder);
  const server = await startRedis({ folder, port: await freePort(), password: 'secret', isDurable: true });
  if (!server) return skip('redis-server is not installed');
  onTestFinished(() => server.stop());
  const client = await createClient({ url: server.url }).connect();
  onTestFinished(() => client.destroy());
  expect(await logOfStart(server.url)).toEqual([]);
  expect(await warningsOf(server.url)).toEqual([]);

  await client.configSet({ appendfsync: 'everysec', 'maxmemory-policy': 'allkeys-lru' });
  const warnings = [
    'This Redis writes to its disk once a second or less often, so the last orders are lost in a power failure. Set appendfsync to always.',
    'This Redis may evict tasks when its memory is full. Set maxmemory-policy to noeviction.',
  ];
  expect(await logOfStart(server.url)).toEqual(warnings);
  expect(await warningsOf(server.url)).toEqual(warnings);

  await client.configSet({ appendonly: 'no', 'maxmemory-policy': 'noeviction' });
  expect(await warningsOf(server.url)).toEqual([
    'This Redis has no append-only file, so recent orders are lost if it is killed. Set appendonly to yes and appendfsync to always.',
  ]);

  await client.aclSetUser('bot', ['on', '>pass', '~*', '&*', '+@all', '-config']);
  expect(await warningsOf(server.url.replace(':secret@', 'bot:pass@'))).toEqual([
    'This Redis does not reveal its settings. Make sure that it has appendonly yes, appendfsync always and maxmemory-policy noeviction, or orders can be lost.',
  ]);
});

onStores(['postgres'], (createTestStore) =>
  it('The start and the doctor say which settings of Postgres can lose an order', async () => {
    const url = new URL((await createTestStore()).url);
    const optionsOf = (value: string): string => `-c synchronous_commit=${value}`;
    url.searchParams.set('options', optionsOf('off'));
    const warning =
      'This Postgres has synchronous_commit off, so recent orders can be lost in a power failure. Set synchronous_commit to on.';
    expect(await logOfStart(url.href)).toContain(warning);
    expect(await warningsOf(url.href)).toContain(warning);
    url.searchParams.set('options', optionsOf('on'));
    expect(await warningsOf(url.href)).not.toContain(warning);
  }),
);
