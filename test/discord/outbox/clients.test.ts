import { expect, it, onTestFinished, vi } from 'vitest';
import { createDiscordClients } from '../../../src/discord/outbox/clients.ts';

it('The Discord clients leave no timer that would keep the process of a stopped bot alive', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { close } = createDiscordClients('http://127.0.0.1:9/api');
  expect(vi.getTimerCount()).toBeGreaterThan(0);
  await close();
  expect(vi.getTimerCount()).toBe(0);
});
