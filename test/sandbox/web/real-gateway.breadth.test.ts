import { expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../../../sandbox/gateway/gateway.ts';
import { startPageServer } from './page-server.ts';

it('The sandbox uses a real gateway with its key, never shows the key and injects no faults', async () => {
  const key = 'sk-the-operators-own-key';
  const gateway = await startGateway({ speed: 50, keys: [{ key }] });
  onTestFinished(() => gateway.close());
  const server = await startPageServer({
    realGateway: true,
    environment: { ...process.env, GATEWAY_BASE_URL: gateway.url, GATEWAY_API_KEY: key },
  });
  onTestFinished(() => server.close());
  const studio = await server.channel('member', 'studio');
  const result = await server.act({
    as: 'member',
    in: studio,
    do: 'slash',
    name: 'imagine',
    options: { prompt: 'a fox' },
  });
  expect(result.status).toBe(200);
  await server.waitFor(async () =>
    (await server.messages(studio, 'member')).find(({ attachments }) => attachments.length > 0),
  );
  expect(gateway.jobs.list().map(({ prompt }) => prompt)).toEqual(['a fox']);

  const workbench = await server.workbench();
  expect(workbench.gateway).toEqual({
    kind: 'real',
    address: gateway.url,
    jobs: [],
    faults: [],
    down: false,
    jobsUnseen: expect.stringMatching(/jobs of a real gateway are not visible/),
  });
  expect(workbench.traffic.every(({ side }) => side === 'discord')).toBe(true);
  expect(JSON.stringify([workbench, await server.world('member')])).not.toContain(key);
  const gatewayActions = [
    { do: 'speed', factor: 2 },
    { do: 'fail-next' },
    { do: 'rate-limit-next' },
    { do: 'lose-next-answer' },
    { do: 'gateway-down', on: true },
    { do: 'talk-trouble', how: 'drop-middle' },
    { do: 'dialect', speak: 'beta' },
    { do: 'session', how: 'cut', session: 'sess_1' },
  ];
  for (const action of gatewayActions)
    expect(await server.trouble(action)).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/not possible with a real gateway/) },
    });
  expect((await server.trouble({ do: 'cut-socket' })).status).toBe(200);
  expect((await server.trouble({ do: 'clear' })).status).toBe(200);
  expect(gateway.faults.list()).toEqual([]);
});
