import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { labels, says } from '../quick.ts';
import { jobs, orders } from '../tasks/fixture.ts';
import { type Cluster, createCluster, kill, ownerOf, startFullCluster } from './fixture.ts';
import { onServersIfEnabled } from './on-request.ts';
import { waitUntilReady } from './processes.ts';

/** Short, because the tests wait for leases to expire. */
const LEASE_SECONDS = 20;

const propose = async ({ discord }: Cluster, prompt: string): Promise<Message> =>
  (await discord.as('member').slash('imagine', { prompt })).message(says('Deadline'));

/** Confirms a question and waits for the message of the batch. */
async function run({ discord }: Cluster, question: Message, matches: (message: Message) => boolean) {
  return (await discord.as('member').click(question, labels(question)[0] ?? '')).followUp(matches);
}

const waitForParent = ({ discord }: Cluster, { id }: Message, matches: (message: Message) => boolean) =>
  discord.until(() => discord.messages('studio').find((one) => one.id === id && matches(one)));

const hasEnded = (message: Message): boolean => labels(message).includes('Delete');

const prompts = ({ gateway }: Cluster): unknown[] =>
  orders(gateway).map(({ body }) => (body as { prompt: string }).prompt);

describe('Batches in a cluster', () =>
  onServersIfEnabled((createStore) => {
    it('The next worker continues the batch of a killed one in its order, cancels its rest, and retries what failed; nothing is lost or submitted twice', async () => {
      const cluster = await createCluster(createStore, {
        speed: 200,
        leaseSeconds: LEASE_SECONDS,
        // One for each partition, so one worker has both once the other is killed.
        partitions: 2,
        settings: { GATEWAY_JOBS_AT_ONCE: '2' },
      });
      const { discord, gateway } = cluster;
      const workers = await startFullCluster(cluster);
      gateway.faults.add({ do: 'stick' });
      const question = await propose(cluster, 'a {red, blue, green} fox');
      expect(prompts(cluster)).toEqual([]);
      const parent = await run(cluster, question, says('3. 🕓'));
      await expect.poll(() => prompts(cluster)).toEqual(['a red fox']);
      // Until then, it would be unknown whether the gateway has accepted it.
      const jobId = jobs(gateway)[0]?.id ?? '?';
      const rows = () => cluster.storeServer.rows();
      await expect.poll(async () => (await rows()).some(({ text: row }) => row.includes(jobId))).toBe(true);

      const killed = ownerOf(cluster, workers);
      await kill(killed);
      const rest = workers.filter((worker) => worker !== killed);
      await waitUntilReady(rest, cluster.partitions);
      gateway.jobs.finish(jobId);
      const final = await waitForParent(cluster, parent, hasEnded);
      expect(text(final)).toContain('3 of 3 finished.');
      expect(prompts(cluster)).toEqual(['a red fox', 'a blue fox', 'a green fox']);
      const results = () => discord.messages(parent.id).filter(says('Finished in'));
      await expect.poll(() => results().length).toBe(3);

      gateway.faults.add({ on: { kind: 'imagine' }, do: 'fail', times: 1 });
      const second = await run(
        cluster,
        await propose(cluster, 'a {red, blue} hen'),
        says('1 of 2 finished. Failed: 1.'),
      );
      const failed = await waitForParent(cluster, second, hasEnded);
      const retry = await (await discord.as('member').click(failed, 'Retry failed')).message(says('Deadline'));
      await run(cluster, retry, says('1 of 1 finished.'));
      expect(prompts(cluster).slice(3)).toEqual(['a red hen', 'a blue hen', 'a red hen']);

      gateway.faults.add({ do: 'stick', times: 2 });
      const third = await run(cluster, await propose(cluster, 'a {red, blue, green} owl'), says('3. 🕓'));
      await expect.poll(() => prompts(cluster).length).toBe(8);
      await discord.as('member').click(third, 'Cancel the rest');
      await waitForParent(cluster, third, says('3. ⚪ **a green owl** · Canceled'));
      for (const { id } of jobs(gateway).slice(-2)) gateway.jobs.finish(id);
      const ended = await waitForParent(cluster, third, hasEnded);
      expect([text(ended).includes('2 of 3 finished.'), labels(ended)]).toEqual([true, ['Delete']]);
      expect(prompts(cluster).slice(6)).toEqual(['a red owl', 'a blue owl']);
    });

    it('A batch whose worker is killed before it is stored is not submitted, and can be confirmed again', async () => {
      const cluster = await createCluster(createStore, { speed: 200, leaseSeconds: LEASE_SECONDS });
      const { discord } = cluster;
      const workers = await startFullCluster(cluster);
      const question = await propose(cluster, 'a {red, blue} fox');
      // Discord posts the message of the batch, but the worker never gets the response.
      discord.faults.add({
        on: { method: 'POST', route: '/webhooks/:application/:token' },
        do: { type: 'hang', done: true },
      });
      const press = await discord.as('member').click(question, 'Run all 2');
      await press.acknowledged();
      await expect.poll(() => discord.messages('studio').filter(({ ephemeral }) => !ephemeral).length).toBe(1);
      const killed = ownerOf(cluster, workers);
      await kill(killed);
      const rest = workers.filter((worker) => worker !== killed);
      await waitUntilReady(rest, cluster.partitions);
      expect(prompts(cluster)).toEqual([]);
      await run(cluster, question, says('2 of 2 finished.'));
      expect(prompts(cluster)).toEqual(['a red fox', 'a blue fox']);
    });
  }));
