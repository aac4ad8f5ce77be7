import { expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../../../sandbox/gateway/gateway.ts';
import { openPageServer } from './page-server.ts';

it('The sandbox uses a real gateway with its key, never shows the key and injects no faults', async () => {
  const key = 'sk-the-operators-own-key';
  const real = await startGateway({ speed: 50, keys: [{ key }] });
  onTestFinished(() => real.close());
  const at = await openPageServer({
    realGateway: true,
    environment: { ...process.env, GATEWAY_BASE_URL: real.url, GATEWAY_API_KEY: key },
  });
  onTestFinished(() => at.close());
  const studio = await at.channel('member', 'studio');
  const used = await at.act({ as: 'member', in: studio, do: 'slash', name: 'imagine', options: { prompt: 'a fox' } });
  expect(used.status).toBe(200);
  await at.until(async () => (await at.messages(studio, 'member')).find(({ attachments }) => attachments.length > 0));
  expect(real.jobs.list().map(({ prompt }) => prompt)).toEqual(['a fox']);

  const bench = await at.workbench();
  expect(bench.gateway).toEqual({
    ...{ kind: 'real', address: real.url, jobs: [], faults: [], down: false },
    jobsUnseen: expect.stringMatching(/jobs of a real gateway are not visible/),
  });
  expect(bench.traffic.every(({ side }) => side === 'discord')).toBe(true);
  expect(JSON.stringify([bench, await at.world('member')])).not.toContain(key);
  const atGateway = [
    { do: 'speed', factor: 2 },
    { do: 'fail-next' },
    { do: 'rate-limit-next' },
    { do: 'lose-next-answer' },
    { do: 'gateway-down', on: true },
    { do: 'talk-trouble', how: 'drop-middle' },
    { do: 'dialect', speak: 'beta' },
    { do: 'session', how: 'cut', session: 'sess_1' },
  ];
  for (const order of atGateway)
    expect(await at.trouble(order)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/not possible with a real gateway/) },
    });
  expect((await at.trouble({ do: 'cut-socket' })).status).toBe(200);
  expect((await at.trouble({ do: 'clear' })).status).toBe(200);
  expect(real.faults.list()).toEqual([]);
});
