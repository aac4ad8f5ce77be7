import { describe, expect, it } from 'vitest';
import { text } from '../../../sandbox/discord/discord.ts';
import type { PresetName } from '../../../sandbox/gateway/fault-presets.ts';
import { noLimits } from '../../support/no-limits.ts';
import { singleSceneStudio } from '../../support/studio.ts';
import { messagesWith, pollCount, says, startFastClockBot, submitCount } from '../quick.ts';

const fetchRoute = { path: /\/fetch$/ };
const minute = 60_000;
const transientFaults = [
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
  'error-in-200',
  'success-false',
  'too-large',
  'unauthorized',
  'quota',
  // A response that arrives slowly is read, so it shows the end.
  'drip',
] satisfies PresetName[];

describe('Polling', () => {
  it('A task keeps waiting while its polls fail in every way, and is finally delivered', {
    tags: ['breadth'],
  }, async () => {
    const { discord, gateway, clock } = await startFastClockBot({
      gateway: { speed: 20 },
      settings: noLimits,
      gatewayLimits: { readMs: 1_500 },
    });
    for (const name of transientFaults) {
      const fault = name === 'drip' ? ({ type: 'drip', bytes: 200, everyMs: 30 } as const) : name;
      gateway.faults.add({ on: fetchRoute, do: fault });
    }
    await discord.as('member').slash('imagine', { prompt: 'a fox' });
    await expect
      .poll(() => {
        clock.advance(5_000);
        return messagesWith(discord, 'studio', 'Finished in');
      })
      .toHaveLength(1);
    expect(gateway.faults.list()).toEqual([]);
    expect(submitCount(gateway)).toBe(1);
  });

  it('No task ends while the gateway refuses all polls, and the log and /about name the reason', async () => {
    const { discord, gateway, logged, clock } = await startFastClockBot({
      gateway: { speed: 20 },
      settings: { MAX_WAIT_IMAGE_SECONDS: '30' },
    });
    gateway.faults.add({ on: fetchRoute, do: 'unauthorized', times: 1_000 });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    await expect.poll(logged).toContain('"kind":"refused"');
    expect(text(await (await discord.as('admin').slash('about')).message())).toContain('refusing status checks');
    await exchange.message(says('longer than usual'));
    gateway.faults.clear();
    await expect
      .poll(() => {
        clock.advance(minute);
        return messagesWith(discord, 'studio', 'Finished in');
      })
      .toHaveLength(1);
    expect(text(await (await discord.as('admin').slash('about')).message())).not.toContain('refusing status checks');
    expect(submitCount(gateway)).toBe(1);
  });

  it('The message of a job that exceeds its wait limit says so once, and the job is polled until its end', async () => {
    const { discord, gateway } = await startFastClockBot({
      gateway: { speed: 20 },
      settings: { MAX_WAIT_IMAGE_SECONDS: '30' },
    });
    gateway.faults.add({ do: 'stick' });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    expect(text(await exchange.message(says('longer than usual')))).toContain('The result will appear here');
    const [job] = gateway.jobs.list();
    gateway.jobs.finish(job?.id ?? '');
    await exchange.message(says('Finished in'));
    expect(submitCount(gateway)).toBe(1);
  });

  it('A task that the gateway no longer has ends with an explanation after several such responses over some minutes', async () => {
    const { discord, gateway, clock } = await startFastClockBot();
    gateway.faults.add({
      on: fetchRoute,
      do: { type: 'status', status: 404, code: 'task_not_exist', message: 'task_not_exist' },
      times: 1_000,
    });
    const exchange = await discord.as('member').slash('imagine', { prompt: 'a fox' });
    await expect.poll(() => pollCount(gateway)).toBeGreaterThanOrEqual(4);
    expect(messagesWith(discord, 'studio', 'no longer has this task')).toEqual([]);
    clock.advance(6 * minute);
    await exchange.message(says('no longer has this task'));
    expect(submitCount(gateway)).toBe(1);
  });
});

describe('A gateway with batch polls', { tags: ['breadth'] }, () => {
  it('Ten jobs need only a few polls, and each is delivered in its own message', async () => {
    const { discord, gateway } = await startFastClockBot({
      gateway: { speed: 4, studio: singleSceneStudio() },
      settings: { GATEWAY_IMGX_LISTS: 'on' },
    });
    const member = discord.as('member');
    const exchanges = await Promise.all(
      Array.from({ length: 10 }, (_, index) => member.slash('imagine', { prompt: `number ${index}` })),
    );
    await Promise.all(
      exchanges.map((one, index) => one.message((m) => says('Finished in')(m) && says(`number ${index}`)(m))),
    );
    const listPollCount = gateway.requests.filter(({ path }) => path.endsWith('/list-by-condition')).length;
    expect(listPollCount).toBeGreaterThan(0);
    expect(pollCount(gateway) + listPollCount).toBeLessThan(10 * 10);
    expect(submitCount(gateway)).toBe(10);
  });
});

describe('The delivery of an unusual result', { tags: ['breadth'] }, () => {
  it('A result that cannot be attached is linked or explained, and the task is delivered once', async () => {
    const { discord, gateway } = await startFastClockBot({ gateway: { speed: 20 }, settings: noLimits });
    const cases = [
      ['html-as-picture', 'its file is invalid'],
      ['executable-as-picture', 'its file is invalid'],
      ['lose-files', 'could not be downloaded'],
      ['no-media', 'Finished without a result'],
      // It exceeds the download limit.
      [{ type: 'huge-file', megabytes: 150 }, 'could not be attached. Open it at http'],
    ] as const;
    for (const [fault, words] of cases) {
      gateway.faults.add({ do: fault });
      const exchange = await discord.as('member').slash('imagine', { prompt: words });
      const final = await exchange.message(says('Finished'));
      expect(text(final)).toContain(words);
      expect(final.attachments, words).toEqual([]);
    }
    expect(submitCount(gateway)).toBe(cases.length);
  });

  it('The result of an unusual task is delivered, scaled down if necessary', async () => {
    const { discord, gateway } = await startFastClockBot({ gateway: { speed: 20 }, settings: noLimits });
    for (const fault of ['no-buttons', 'slow', 'huge-file'] as const) {
      gateway.faults.add({ do: fault });
      const exchange = await discord.as('member').slash('imagine', { prompt: fault });
      expect((await exchange.message(says('Finished in'))).attachments, fault).toHaveLength(1);
    }
  });
});
