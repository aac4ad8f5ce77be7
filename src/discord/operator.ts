import { RESTJSONErrorCodes as Code } from 'discord-api-types/v10';
import type { Language } from '../lib/languages.ts';
import { Listeners } from '../lib/listeners.ts';
import type { PlainLog } from '../lib/log.ts';
import type { MessagePlace } from '../services/tasks/task.ts';
import { bodyOf } from './message-body.ts';
import { errorFacts, failureKindOf, hasCode, tryAndLog } from './outbox/errors.ts';
import { nonceOf, type Outbox } from './outbox/outbox.ts';
import type { MessagePlan } from './plan.ts';
import type { DiscordReader } from './reads.ts';

export interface OperatorSettings {
  /** The channel where notices are posted, if the operator has chosen one. */
  channelId?: string;
  /** Users who operate the bot, in addition to the application's owners. */
  ids: readonly string[];
  language?: Language;
}

/** Who operates the bot, and how they are notified. */
export class Operator {
  readonly #settings: OperatorSettings;
  readonly #outbox: Outbox;
  readonly #reads: DiscordReader;
  readonly #log: PlainLog;
  readonly #channelStatus = new Listeners<[isGone: boolean]>();
  /** Called after each message to the channel. `isGone`: the channel was deleted, or the bot has no access to it. */
  readonly onChannelStatus = this.#channelStatus.add;

  constructor(settings: OperatorSettings, outbox: Outbox, reads: DiscordReader, log: PlainLog) {
    this.#settings = settings;
    this.#outbox = outbox;
    this.#reads = reads;
    this.#log = log;
  }

  async isOperator(userId: string): Promise<boolean> {
    return this.#settings.ids.includes(userId) || (await this.#reads.owners()).has(userId);
  }

  /** Posts a notice in the operator's channel or, if there is none, sends it directly to the configured operators or else to the application's owners. Returns its messages. */
  async post(plan: MessagePlan): Promise<MessagePlace[]> {
    const channelMessage = await this.#postInChannel(plan);
    if (channelMessage) return [channelMessage];
    const { ids } = this.#settings;
    const recipients = ids.length > 0 ? ids : [...(await this.#reads.owners())];
    const failure = 'Could not send a direct message to an operator.';
    const sentMessages = await Promise.all(
      recipients.map((id) => tryAndLog(this.#log, failure, {}, () => this.#outbox.postDirectly(id, plan))),
    );
    const messages = sentMessages.filter((message) => message !== undefined);
    if (messages.length === 0) this.#log.warn({}, 'A notice reached no one: set OPERATOR_CHANNEL_ID or OPERATOR_IDS.');
    return messages;
  }

  /** Edits a notice. Returns the messages that still exist, and whether an edit has to be retried. */
  async edit(messages: readonly MessagePlace[], plan: MessagePlan) {
    const outcomes = await Promise.all(messages.map((message) => this.#editOne(message, plan)));
    return {
      messages: messages.filter((_, index) => outcomes[index] !== 'gone'),
      needsRetry: outcomes.includes('late'),
    };
  }

  async #postInChannel(plan: MessagePlan): Promise<MessagePlace | undefined> {
    const { channelId } = this.#settings;
    if (channelId === undefined) return undefined;
    try {
      const message = await this.#outbox.post(channelId, nonceOf(channelId, plan), bodyOf(plan));
      this.#channelStatus.notify(false);
      return message;
    } catch (error) {
      this.#log.info({ channel: channelId, ...errorFacts(error) }, "Could not post in the operator's channel.");
      if (isChannelGone(error)) this.#channelStatus.notify(true);
      return undefined;
    }
  }

  async #editOne(message: MessagePlace, plan: MessagePlan): Promise<'changed' | 'gone' | 'late'> {
    try {
      await this.#outbox.edit({ by: 'edit', message }, bodyOf(plan));
      return 'changed';
    } catch (error) {
      this.#log.info(errorFacts(error), 'Could not change a message to the operator.');
      if (isChannelGone(error) && message.channelId === this.#settings.channelId) this.#channelStatus.notify(true);
      return failureKindOf(error, 'edit') === 'later' ? 'late' : 'gone';
    }
  }
}

/** The channel was deleted, or the bot is not allowed to see it or write in it. */
const isChannelGone = (error: unknown): boolean =>
  hasCode(error, Code.UnknownChannel, Code.MissingAccess, Code.MissingPermissions);
