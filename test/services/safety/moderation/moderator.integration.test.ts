import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createModerationService } from '../../../../src/services/safety/moderation-service.ts';
import { plainLog } from '../../../support/plain-log.ts';

/** Opens a moderation service whose server sends these responses, and records the timers that it sets and what it logs. */
async function openService(respond: RequestListener) {
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const timers = new Set<() => void>();
  const logged: object[] = [];
  const clock = {
    after(_ms: number, work: () => void) {
      timers.add(work);
      return () => void timers.delete(work);
    },
  };
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const log = plainLog({ warn: (facts) => void logged.push(facts) });
  const service = createModerationService(
    { baseUrl, apiKey: 'sk-key', model: 'a-model' },
    { log, clock, now: () => 7 },
  );
  if (!service) throw new Error('The moderation service was not opened.');
  return { service, timers, logged };
}

describe('A moderation service', () => {
  it('A moderation service receives the text, the model and the key, and its scores are read', async () => {
    const received: unknown[] = [];
    const { service, timers } = await openService((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { authorization } = request.headers;
        received.push([request.url, authorization, JSON.parse(Buffer.concat(chunks).toString())]);
        const result = { categories: { hate: true, new: null }, category_scores: { hate: 0.9, new: null }, more: 1 };
        response.end(JSON.stringify({ id: 'x', results: [result] }));
      });
    });
    expect(await service.judgeText('a prompt')).toEqual({ scores: { hate: 0.9 }, flagged: ['hate'] });
    expect(received).toEqual([['/v1/moderations', 'Bearer sk-key', { model: 'a-model', input: 'a prompt' }]]);
    expect(timers.size).toBe(0);
  });

  it('A moderation service that does not respond in time counts as unavailable', async () => {
    const arrived = Promise.withResolvers<void>();
    const { service, timers, logged } = await openService(() => arrived.resolve());
    const verdict = service.judgeText('a secret prompt');
    await arrived.promise;
    for (const expire of timers) expire();
    expect(await verdict).toBeUndefined();
    expect(JSON.stringify(logged)).not.toContain('secret');
  });

  it('A moderation service is away from its first failure until its next usable response, and the log has the code', async () => {
    let isBroken = true;
    const { service, logged } = await openService((request, response) => {
      if (isBroken) request.socket.destroy();
      else response.end('{"results":[{}]}');
    });
    expect(service.awaySince()).toBeUndefined();
    await service.judgeText('a secret prompt');
    expect(service.awaySince()).toBe(7);
    expect(logged).toMatchObject([{ code: expect.stringMatching(/^(UND_ERR_SOCKET|ECONNRESET)$/) }]);
    isBroken = false;
    await service.judgeText('a secret prompt');
    expect(service.awaySince()).toBeUndefined();
  });

  it.each([
    ['an endless body', 'x'.repeat(200_000)],
    ['a body that repeats the prompt', '{"error": "a secret prompt"}'],
    ['text that is not JSON', 'a secret prompt'],
    ['a list', '[]'],
  ])(
    'A moderation service with %s counts as unavailable, and the log contains nothing from the prompt',
    async (_what, body) => {
      const { service, logged } = await openService((_request, response) => response.end(body));
      expect(await service.judgeText('a secret prompt')).toBeUndefined();
      expect(logged).toHaveLength(1);
      expect(JSON.stringify(logged)).not.toContain('secret');
    },
  );
});
