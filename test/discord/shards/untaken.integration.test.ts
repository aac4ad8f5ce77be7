import { WebSocketShardEvents } from '@discordjs/ws';
import { GatewayDispatchEvents } from 'discord-api-types/v10';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type EmbeddedDiscord, startDiscord, text } from '../../../sandbox/discord/discord.ts';
import { handlers, texts } from '../../../src/commands/index.ts';
import { createDiscordClients } from '../../../src/discord/outbox/clients.ts';
import { Outbox } from '../../../src/discord/outbox/outbox.ts';
import { UntakenInteractions } from '../../../src/discord/shards/untaken.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { createSay } from '../../../src/locales/index.ts';
import type { Inbox } from '../../../src/services/cluster/inbox.ts';
import { registerCommand } from '../../sandbox/discord/shards/fixture.ts';
import { ManualClock } from '../../support/manual-clock.ts';

interface Shard {
  discord: EmbeddedDiscord;
  clock: ManualClock;
  outcomes: string[];
  /** Resolves when the process has received an interaction. */
  received: Promise<void>;
}

/** A shard process whose queue has no worker, and in which a packet can only be put back as `putBack` says. */
async function startShard(putBack: () => Promise<void>): Promise<Shard> {
  const discord = await startDiscord({ limits: { acknowledgeMs: 60_000 } });
  onTestFinished(() => discord.close());
  const clients = createDiscordClients(discord.apiUrl);
  onTestFinished(() => clients.close());
  const { connection } = clients;
  const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
  const inbox: Pick<Inbox, 'put' | 'withdraw' | 'isWaiting'> = {
    put: putBack,
    isWaiting: async () => true,
    withdraw: async () => true,
  };
  const outcomes: string[] = [];
  const clock = new ManualClock();
  const { promise: received, resolve } = Promise.withResolvers<void>();
  const untaken = new UntakenInteractions({
    inbox,
    outbox: new Outbox(clients, log),
    handlers,
    say: createSay(texts),
    clock,
    log,
    settings: { discord: { adminGuildIds: [] } },
    privateCommandsOf: async () => [],
    prefersPrivate: async () => false,
    onUntaken: (outcome) => outcomes.push(outcome),
  });
  connection.socket.on(WebSocketShardEvents.Dispatch, ({ data: packet }) => {
    if (packet.t !== GatewayDispatchEvents.InteractionCreate) return;
    untaken.watch(0, packet);
    resolve();
  });
  onTestFinished(() => untaken.finish());
  await connection.open(discord.token);
  await registerCommand(discord);
  return { discord, clock, outcomes, received };
}

describe('An interaction that no worker takes in time', () => {
  it.each([
    ['fails', () => Promise.reject(new Error('read ECONNRESET'))],
    ['does not respond', () => new Promise<void>(() => undefined)],
  ])(
    'The member is told to try again within Discord’s three seconds if the interaction is withdrawn and the queue then %s',
    async (_, putBack) => {
      const { discord, clock, outcomes, received } = await startShard(putBack);
      const exchange = await discord.as('member').slash('models');
      await received;
      const receivedAt = clock.now();
      const outcomesLater = () => {
        clock.advance(100);
        return outcomes;
      };
      await expect.poll(outcomesLater, { interval: 5 }).toEqual(['refused']);
      expect(clock.now() - receivedAt).toBeLessThan(3_000);
      const refused = await exchange.message();
      expect(text(refused)).toContain('Try again in a moment.');
      expect(refused.ephemeral).toBe(true);
    },
  );
});
