import { WebSocketShardEvents } from '@discordjs/ws';
import { GatewayDispatchEvents, type GatewayInteractionCreateDispatch, InteractionType } from 'discord-api-types/v10';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type EmbeddedDiscord, startDiscord, text } from '../../../sandbox/discord/discord.ts';
import { handlers } from '../../../src/commands/index.ts';
import { customIds } from '../../../src/discord/custom-ids.ts';
import { bodyOf } from '../../../src/discord/message-body.ts';
import { createDiscordClients } from '../../../src/discord/outbox/clients.ts';
import { Outbox } from '../../../src/discord/outbox/outbox.ts';
import type { ButtonPlan } from '../../../src/discord/plan.ts';
import { UntakenInteractions } from '../../../src/discord/shards/untaken.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { sayIn } from '../../../src/locales/index.ts';
import type { Inbox } from '../../../src/services/cluster/inbox.ts';
import type { EarlyPreferences } from '../../../src/services/orders/preference-set.ts';
import { earliestTaskId } from '../../../src/services/tasks/task-id.ts';
import { registerCommand } from '../../sandbox/discord/shards/fixture.ts';
import { ManualClock } from '../../support/manual-clock.ts';

interface Shard {
  discord: EmbeddedDiscord;
  clock: ManualClock;
  outbox: Outbox;
  outcomes: string[];
  /** Resolves when the process has received an interaction. */
  received: Promise<void>;
}

/** A shard process whose queue has no worker, and in which a packet can only be put back as `putBack` says. */
async function startShard(
  putBack: () => Promise<void>,
  settings: EarlyPreferences | Error = {},
  sent = asSent,
): Promise<Shard> {
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
  const outbox = new Outbox(clients, log);
  const untaken = new UntakenInteractions({
    inbox,
    outbox,
    handlers,
    clock,
    log,
    settings: { discord: { adminGuildIds: [] } },
    privateCommandsOf: async () => [],
    async earlyPreferences() {
      if (settings instanceof Error) throw settings;
      return settings;
    },
    onUntaken: (outcome) => outcomes.push(outcome),
  });
  connection.socket.on(WebSocketShardEvents.Dispatch, ({ data: packet }) => {
    if (packet.t !== GatewayDispatchEvents.InteractionCreate) return;
    untaken.watch(0, sent(packet));
    resolve();
  });
  onTestFinished(() => untaken.finish());
  await connection.open(discord.token);
  await registerCommand(discord);
  return { discord, clock, outbox, outcomes, received };
}

const asSent = (packet: GatewayInteractionCreateDispatch): GatewayInteractionCreateDispatch => packet;

/** As if the member had submitted a form that a worker had opened before. */
const asForm = (packet: GatewayInteractionCreateDispatch): GatewayInteractionCreateDispatch => {
  if (packet.d.type !== InteractionType.ApplicationCommand) return packet;
  const data = { custom_id: customIds.speakFilled.id(earliestTaskId(0)), components: [] };
  return { ...packet, d: { ...packet.d, type: InteractionType.ModalSubmit, data } };
};

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

  it.each([
    ['a command', 'by the settings', asSent, { memberLanguage: 'ja' }, 'ja'],
    ['a command', 'of Discord without a setting', asSent, {}, 'de'],
    ['a form', 'by the settings', asForm, { memberLanguage: 'ja' }, 'ja'],
    ['a form', 'of Discord if the settings cannot be read', asForm, new Error('read ECONNRESET'), 'de'],
  ] as const)(
    'The refusal of %s is in the language of the member %s',
    async (_what, _whose, sent, settings, language) => {
      const shard = await startShard(() => Promise.reject(new Error('read ECONNRESET')), settings, sent);
      shard.discord.world.user('member').locale = 'de';
      const exchange = await shard.discord.as('member').slash('models');
      await shard.received;
      const outcomesLater = () => {
        shard.clock.advance(100);
        return shard.outcomes;
      };
      await expect.poll(outcomesLater, { interval: 5 }).toEqual(['refused']);
      expect(text(await exchange.message())).toBe(sayIn(language)('refusals.notTaken'));
    },
  );

  it.each([
    ['waits for a worker without them', {}, 'waiting'],
    ['is refused with them, because only a form could answer it', { remix: true }, 'refused'],
  ] as const)('A press that opens a form by some settings %s', async (_, settings, outcome) => {
    const { discord, clock, outbox, outcomes, received } = await startShard(async () => undefined, settings);
    const controls: ButtonPlan[] = [
      { type: 'button', label: 'Reroll', id: customIds.reroll.id(earliestTaskId(clock.now())) },
    ];
    await outbox.post(discord.world.channel('studio').id, 'a nonce', bodyOf({ content: 'A result.', controls }));
    const [message] = discord.messages('studio');
    const exchange = message && (await discord.as('member').click(message, 'Reroll'));
    await received;
    const outcomesLater = () => {
      clock.advance(100);
      return outcomes;
    };
    await expect.poll(outcomesLater, { interval: 5 }).toEqual([outcome]);
    if (outcome === 'waiting') await exchange?.acknowledged();
    else expect(exchange && text(await exchange.message())).toContain('Try again in a moment.');
  });
});
