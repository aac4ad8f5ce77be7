import { Events, GatewayDispatchEvents, type GatewayInteractionCreateDispatch } from 'discord.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type EmbeddedDiscord, startDiscord, text } from '../../../sandbox/discord/discord.ts';
import { handlers, texts } from '../../../src/commands/index.ts';
import { createDiscordClients } from '../../../src/discord/outbox/clients.ts';
import { Outbox } from '../../../src/discord/outbox/outbox.ts';
import { interactionIn } from '../../../src/discord/outbox/packets.ts';
import { UntakenInteractions } from '../../../src/discord/shards/untaken.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { createSay } from '../../../src/locales/index.ts';
import type { Inbox } from '../../../src/services/inbox/inbox.ts';
import { registerCommand } from '../../sandbox/discord/shards/fixture.ts';
import { FastClock } from '../../support/quick-clock.ts';

/** A shard process whose queue has no worker, and in which a packet can only be put back as `putBack` says. */
async function startShard(putBack: () => Promise<void>): Promise<{ discord: EmbeddedDiscord; outcomes: string[] }> {
  const discord = await startDiscord();
  onTestFinished(() => discord.close());
  const clients = createDiscordClients(discord.apiUrl);
  onTestFinished(() => clients.close());
  const { client } = clients;
  const log = createLogger({ level: 'silent', secrets: [], isPretty: false, write: () => undefined });
  const inbox: Pick<Inbox, 'put' | 'withdraw' | 'isWaiting'> = {
    put: putBack,
    isWaiting: async () => true,
    withdraw: async () => true,
  };
  const outcomes: string[] = [];
  const untaken = new UntakenInteractions({
    ...{ inbox, outbox: new Outbox(clients, log), handlers, say: createSay(texts), clock: new FastClock(10), log },
    interactionIn: (data) => interactionIn(client, data),
    settings: { adminGuildIds: [] },
    privateCommandsOf: async () => [],
    onUntaken: (outcome) => outcomes.push(outcome),
  });
  client.on(Events.Raw, (packet: GatewayInteractionCreateDispatch) => {
    if (packet.t === GatewayDispatchEvents.InteractionCreate) untaken.watch(0, packet);
  });
  onTestFinished(() => untaken.finish());
  const isReady = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(discord.token);
  await isReady;
  await registerCommand(discord);
  return { discord, outcomes };
}

describe('An interaction that no worker takes in time', () => {
  it.each([
    ['fails', () => Promise.reject(new Error('read ECONNRESET'))],
    ['does not respond', () => new Promise<void>(() => undefined)],
  ])('The member is told to try again if the interaction is withdrawn and the queue then %s', async (_, putBack) => {
    const { discord, outcomes } = await startShard(putBack);
    const exchange = await discord.as('member').slash('models');
    const refused = await exchange.message();
    expect(text(refused)).toContain('Try again in a moment.');
    expect(refused.ephemeral).toBe(true);
    expect(outcomes).toEqual(['refused']);
  });
});
