import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { PresetName } from '../../../sandbox/gateway/fault-presets.ts';
import { profiles } from '../../contract/both.ts';
import { polls, quickBot, saying, says, submits } from '../quick.ts';

const onFetch = { path: /\/fetch$/ };

const passing = [
  'server-error',
  'bad-gateway',
  'unavailable',
  'gateway-timeout',
  'rate-limited',
  'rate-limited-until',
  'rate-limited-silent',
  'saturated',
  'empty',
  'half',
  'lying',
  'cut',
  'hang',
  'reset',
  'drip',
  'error-in-200',
  'success-false',
  'too-large',
  'unauthorized',
  'quota',
] satisfies PresetName[];

describe.each(profiles)('while a gateway of the %s profile', (profile) => {
  it.each(passing)('answers questions with %s, a task waits, and is delivered in the end', async (name) => {
    const { discord, gateway } = await quickBot({ gateway: { profile, speed: 20 } });
    gateway.faults.add({ on: onFetch, do: name, times: 2 });
    await (await discord.as('member').slash('imagine', { prompt: 'a fox' })).message(says('Done in'));
    expect(submits(gateway)).toBe(1);
    expect(saying(discord, 'studio', 'Done in')).toHaveLength(1);
  });

  it('refuses to be asked, no task ends, and the log and /about say why', async () => {
    const { discord, gateway, logged, clock } = await quickBot({
      gateway: { profile, speed: 20 },
      settings: { MAX_WAIT_PICTURE_SECONDS: '30' },
    });
    gateway.faults.add({ on: onFetch, do: 'unauthorized', times: 5 });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    await discord.until(() => (polls(gateway) > 0 ? true : undefined));
    await expect.poll(async () => text(await (await discord.as('admin').slash('about')).message()), { timeout: 20_000 })
      .toContain('refuses to be asked about tasks');
    await exchange.message(says('Still processing'));
    expect(logged()).toContain('refused');
    for (let probe = 0; probe < 6; probe++) clock.putForward(5 * 60_000);
    await exchange.message(says('Done in')).catch(() => undefined);
    await discord.until(() => saying(discord, 'studio', 'Done in')[0]);
    expect(submits(gateway)).toBe(1);
  });

  it('takes longer than anybody waits, the message says so once, and the job is followed to its end', async () => {
    const { discord, gateway } = await quickBot({
      gateway: { profile, speed: 20 },
      settings: { MAX_WAIT_PICTURE_SECONDS: '30' },
    });
    gateway.faults.add({ do: 'stick' });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    expect(text(await exchange.message(says('Still processing')))).toContain('followed to its end');
    const [job] = gateway.jobs.list();
    gateway.jobs.finish(job?.id ?? '');
    await exchange.message(says('Done in'));
    expect(submits(gateway)).toBe(1);
  });

  it('does not know a task any more, it ends after several such answers over minutes, with a sentence', async () => {
    const { discord, gateway, clock } = await quickBot({ gateway: { profile } });
    gateway.faults.add({
      on: onFetch,
      do: { type: 'status', status: 404, code: 'task_not_exist', message: 'task_not_exist' },
      times: 1_000,
    });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    await discord.until(() => (polls(gateway) >= 4 ? true : undefined));
    expect(saying(discord, 'studio', 'does not know this task')).toEqual([]);
    clock.putForward(6 * 60_000);
    await exchange.message(says('does not know this task any more'));
    expect(submits(gateway)).toBe(1);
  });
});

describe('where the gateway answers about many tasks at once', () => {
  it('ten jobs are followed with few questions, and each ends in its own message', async () => {
    const { discord, gateway } = await quickBot({ settings: { GATEWAY_IMGX_LISTS: 'on' } });
    const member = discord.as('member');
    const exchanges = await Promise.all(
      Array.from({ length: 10 }, (_, index) => member.slash('imagine', { prompt: `number ${index}` })),
    );
    await Promise.all(exchanges.map((one, index) => one.message((m) => says('Done in')(m) && says(`number ${index}`)(m))));
    const lists = gateway.heard.filter(({ path }) => path.endsWith('/list-by-condition')).length;
    expect(lists).toBeGreaterThan(0);
    expect(polls(gateway) + lists).toBeLessThan(10 * 10);
    expect(submits(gateway)).toBe(10);
  });
});

describe('a result', () => {
  it.each([
    ['huge-file', 'could not be attached here'],
    ['html-as-picture', 'not what it should be'],
    ['executable-as-picture', 'not what it should be'],
    ['lose-files', 'could not be fetched any more'],
    ['no-media', 'gave nothing to show'],
  ] as const)('that cannot be attached (%s) is told or linked, and the task is delivered once', async (name, words) => {
    const { discord, gateway } = await quickBot({ gateway: { speed: 20 } });
    gateway.faults.add({ do: name });
    const final = await (await discord.as('member').slash('imagine', { prompt: 'a fox' })).message(says('Done'));
    expect(text(final)).toContain(words);
    expect(final.attachments).toEqual([]);
    expect(submits(gateway)).toBe(1);
  });

  it.each(['no-buttons', 'slow'] as const)('of an odd task (%s) comes all the same', async (name) => {
    const { discord, gateway } = await quickBot({ gateway: { speed: 20 } });
    gateway.faults.add({ do: name });
    const final = await (await discord.as('member').slash('imagine', { prompt: 'a fox' })).message(says('Done in'));
    expect(final.attachments).toHaveLength(1);
  });
});
