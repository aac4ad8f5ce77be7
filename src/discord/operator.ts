import type { PlainLog } from '../lib/log.ts';
import type { Outbox } from './outbox/outbox.ts';
import type { MessagePlan } from './plan.ts';

interface OperatorParts {
  /** Where notices are posted, if the operator chose a channel. */
  channelId: string | undefined;
  /** Those who operate the bot, beside the application's owners. */
  ids: readonly string[];
  owners(): Promise<ReadonlySet<string>>;
  outbox: Pick<Outbox, 'sendInChannel' | 'sendDirectMessage'>;
  log: Pick<PlainLog, 'warn'>;
}

/** Who operates the bot, and how they are told what they need to know. */
export class Operator {
  readonly #parts: OperatorParts;

  constructor(parts: OperatorParts) {
    this.#parts = parts;
  }

  async includes(userId: string): Promise<boolean> {
    const { ids, owners } = this.#parts;
    return ids.includes(userId) || (await owners()).has(userId);
  }

  /** In the operator's channel, or else directly: to those named, or else to the application's owners. */
  async tell(plan: MessagePlan): Promise<void> {
    const { channelId, ids, owners, outbox, log } = this.#parts;
    if (channelId !== undefined && (await outbox.sendInChannel(channelId, plan))) return;
    const people = ids.length > 0 ? ids : [...(await owners())];
    const told = await Promise.all(people.map((id) => outbox.sendDirectMessage(id, plan)));
    if (!told.includes(true)) log.warn({}, 'A notice reached no one: set OPERATOR_CHANNEL_ID or OPERATOR_IDS.');
  }
}
