import type { Discord } from '../../src/services/orders/discord.ts';

/** Discord where everything succeeds and no one sees it. */
export const silentDiscord: Discord = {
  removeMessage: async () => 'gone',
  removeMessages: async () => ({ removed: 0, left: [], needsRetry: false }),
  notifyErased: async () => true,
  sendBudgetAlert: async () => undefined,
  refreshUrls: async () => new Map(),
};
