import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import { store as storeAddress } from '../../../src/config-shapes.ts';
import { sendLocalRequest } from '../../../src/lib/local-requests.ts';
import { reloadAnswer, reloadPurpose } from '../../../src/roles/reload-requests.ts';
import { createTemporaryFolder } from '../../services/store/store-fixture.ts';
import { noLimits } from '../../support/no-limits.ts';
import { createCluster, startFullCluster } from './fixture.ts';
import { onServersIfEnabled } from './on-request.ts';
import { startProcess, waitUntilReady } from './processes.ts';

describe('A reload in a cluster', () =>
  onServersIfEnabled((createStore) => {
    it('All processes take over changed rules, or none if one of them reads others', async () => {
      const [one, other] = ['one', 'other'].map((name) => join(createTemporaryFolder(), name)) as [string, string];
      const write = (file: string, word: string): void =>
        writeFileSync(file, JSON.stringify({ words: [{ text: word }] }));
      for (const file of [one, other]) write(file, 'casino');
      const cluster = await createCluster(createStore, { settings: { RULES: one } });
      const workers = await startFullCluster(cluster);
      const late = startProcess('shard', cluster, cluster.storeServer, {
        ...noLimits,
        PARTITIONS: String(cluster.partitions),
        SHARD_COUNT: '1',
        RULES: other,
      });
      await waitUntilReady([late], 0);
      const address = storeAddress.parse(cluster.storeServer.url);
      const reload = async () => reloadAnswer.parse(JSON.parse((await sendLocalRequest(reloadPurpose(address))) ?? ''));
      const isBlocked = async (word: string): Promise<boolean> => {
        const reply = await cluster.discord
          .as('member')
          .in('hall')
          .slash('imagine', { prompt: `a ${word}` });
        return text(await reply.message((message) => /Finished in|blocked here/.test(text(message)))).includes(
          'blocked',
        );
      };
      expect(await isBlocked('casino')).toBe(true);

      write(one, 'fox');
      const refused = await reload();
      expect(refused).toMatchObject({ isDone: false });
      expect(refused.text).toMatch(
        /^Nothing was changed\. The (shard|worker) with the process ID \d+ has read other settings\./,
      );
      expect(await isBlocked('casino')).toBe(true);

      write(other, 'fox');
      expect(await reload()).toEqual({ isDone: true, text: 'Took over RULES.' });
      for (const { log } of [...workers, late]) expect(log()).toContain('Took over changed settings.');
      expect(await isBlocked('casino')).toBe(false);
      expect(await isBlocked('fox')).toBe(true);
    });
  }));
