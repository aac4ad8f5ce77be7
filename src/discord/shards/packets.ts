import {
  GatewayDispatchEvents as Events,
  type GatewayDispatchPayload,
  type GatewayMessageCreateDispatch,
  type GatewayMessageDeleteDispatch,
  type GatewayMessageUpdateDispatch,
} from 'discord-api-types/v10';
import type { AppContext } from '../../lib/app-context.ts';
import { isRecord } from '../../lib/exact-json.ts';
import { callbackIn } from '../../services/cluster/cluster-callbacks.ts';
import { messageIn } from '../../services/cluster/every-partition.ts';
import type { TakenPacket } from '../../services/cluster/inbox.ts';
import type { Domains } from '../../services/operations/engine.ts';
import type { EarlyContext } from '../handlers.ts';
import type { Interaction } from '../interaction-facts.ts';
import type { interruptedInteractionHandler } from '../outbox/interrupted.ts';
import type { Acknowledgement } from '../outbox/responder.ts';
import type { Router } from '../router.ts';
import { timestampOf } from '../snowflake.ts';

/** A message that has waited this long is not answered, because the conversation has moved on. */
const MAX_MESSAGE_AGE_MS = 15 * 60_000;

type MessageDispatch = GatewayMessageCreateDispatch | GatewayMessageUpdateDispatch | GatewayMessageDeleteDispatch;
const MESSAGE_EVENTS: ReadonlySet<unknown> = new Set([
  Events.MessageCreate,
  Events.MessageUpdate,
  Events.MessageDelete,
]);

/** What handles packets in one partition. */
interface PacketSources<Services extends EarlyContext['services']> extends AppContext {
  domains: Domains;
  router: Router<Services>;
  readMessage(packet: GatewayDispatchPayload, options: { isRepeated: boolean }): Promise<void>;
  reportUnreadable(count: number): void;
  /** For an interaction whose process died while handling it. */
  interruptedState: ReturnType<typeof interruptedInteractionHandler>;
}

/** Handles what one partition takes from the inbox. Never throws: Discord accepts only one first response to an interaction, so a packet is not retried automatically. */
export async function handlePacket<Services extends EarlyContext['services']>(
  { content, isRepeated }: TakenPacket,
  { domains, router, readMessage, reportUnreadable, interruptedState, clock, log }: PacketSources<Services>,
): Promise<'declined' | undefined> {
  // The packet was fetched while its partition was being released. The next owner handles it.
  if (router.isFinishing) return 'declined';
  try {
    const message = messageIn(content);
    if (message?.do === 'use-preset') return void (await domains.tasks.presets.countUse(message));
    if (message?.do === 'unreadable') return void reportUnreadable(message.count);
    if (message) return void (await domains.tasks.erasure.receive(message));
    const callback = callbackIn(content);
    if (callback) return void domains.tasks.callbacks.process(callback.id, callback.said);
    if (isMessagePacket(content)) {
      const isLate = clock.now() - timestampOf(content.d.id) > MAX_MESSAGE_AGE_MS;
      if (isLate && content.t === Events.MessageCreate)
        return void log.info('A message waited too long for a worker and will not be answered.');
      return void (await readMessage(content, { isRepeated }));
    }
    if (!isInteractionPacket(content)) return;
    const { d: interaction, acknowledgement } = content;
    if (!isRepeated)
      return void (await router.route(interaction, acknowledgement && { acknowledgement, isCertain: false }));
    const state = await interruptedState(interaction, router.onlyOrders(interaction));
    if (state === 'ended') return;
    if (router.isFinishing) return 'declined';
    await router.route(
      interaction,
      state === 'not acknowledged' ? undefined : { acknowledgement: state, isCertain: true },
    );
  } catch (error) {
    log.error({ err: error }, 'A packet could not be answered.');
  }
}

const isMessagePacket = (content: unknown): content is MessageDispatch =>
  isRecord(content) && MESSAGE_EVENTS.has(content.t);

/** Shard processes put interactions there as Discord sent them. */
const isInteractionPacket = (content: unknown): content is { d: Interaction; acknowledgement?: Acknowledgement } =>
  isRecord(content) && content.t === Events.InteractionCreate;
