import { amountOf, times } from '../decimal.ts';
import { type Dialect, otherDialect } from './dialect.ts';
import { EventError } from './event-error.ts';
import { planFor } from './plan-reply.ts';
import { Player } from './player.ts';
import { Reply } from './reply.ts';
import { type ReplyStep, replySteps } from './reply-steps.ts';
import type { ResponseRequest } from './requests/session.ts';
import type { SessionState } from './state.ts';
import { addTokens, NO_TOKENS, sumOf, type Tokens, tokensIn } from './tokens.ts';

interface RunningReply {
  readonly reply: Reply;
  readonly player: Player;
  readonly input: Tokens;
}

const DEFAULT_REQUEST: ResponseRequest = { settings: {}, isInConversation: true, metadata: null };

/** The replies of a session, one at a time. */
export class Turns {
  readonly #session: SessionState;
  #running: RunningReply | undefined;
  /** The input of the previous reply, which counts as cached. */
  #cachedInput = NO_TOKENS;
  /** Whether there has been an audio reply, after which the voice can no longer be changed. */
  hasSpoken = false;
  /** The number of replies started. */
  startedCount = 0;

  constructor(session: SessionState) {
    this.#session = session;
  }

  get isAnswering(): boolean {
    return this.#running !== undefined;
  }

  respond({ settings: requestedSettings, isInConversation, metadata }: ResponseRequest = DEFAULT_REQUEST): void {
    const { conversation, model, dialect, parts, createId } = this.#session;
    if (this.#running) {
      throw new EventError(
        `Conversation already has an active response in progress: ${this.#running.reply.id}. Wait until the response is finished before creating a new one.`,
        { code: 'conversation_already_has_active_response' },
      );
    }
    const settings = { ...this.#session.settings, ...requestedSettings };
    if (this.hasSpoken && settings.voice !== this.#session.settings.voice) throw voiceChangeError('response', dialect);
    const fault = this.#session.faultAt('response');
    if (fault?.how === 'refused') {
      throw new EventError('Rate limit reached for this model: try again in a moment.', {
        code: 'rate_limit_exceeded',
        type: 'rate_limit_error',
      });
    }
    const input = addTokens(conversation.tokens, tokensIn(settings.instructions + JSON.stringify(settings.tools)));
    const reply = new Reply({
      id: createId('resp'),
      settings,
      metadata,
      input,
      cachedInput: this.#cachedInput,
      createId,
      dialect: fault?.how === 'other-dialect' ? otherDialect(dialect) : dialect,
      plan: planFor(conversation, model.id, settings),
      conversation: isInConversation ? conversation : undefined,
      conversationId: isInConversation ? this.#session.conversationId : null,
      splitsSamples: fault?.how === 'odd-bytes',
    });
    this.hasSpoken ||= settings.hasAudio;
    const player = new Player(parts.pace, replySteps(reply, fault), (step) => this.#play(step));
    this.#running = { reply, player, input };
    this.startedCount += 1;
    parts.openStreams.add(reply);
    this.#session.notifyChange();
    player.start();
  }

  cancel(id: string | undefined): void {
    if (!this.#running || (id !== undefined && id !== this.#running.reply.id)) {
      throw new EventError('Cancellation failed: no active response found.', { code: 'response_cancel_not_active' });
    }
    this.cancelCurrent('client_cancelled');
  }

  cancelCurrent(reason: 'client_cancelled' | 'turn_detected'): void {
    const { reply } = this.#running ?? {};
    this.#running?.player.stop();
    for (const { event } of reply?.endEvents('cancelled', { reason }) ?? []) this.#play({ wait: 0, event });
  }

  /** Stops the current reply without an event. */
  stop(): void {
    this.#running?.player.stop();
    this.#finish();
  }

  #play(step: ReplyStep): void {
    const { client } = this.#session;
    if ('effect' in step) {
      this.stop();
      this.#session.endBy(step.effect);
    } else if ('frame' in step) {
      client.sendFrame(step.frame);
    } else {
      if (step.event.type === 'response.done') this.#finish();
      client.send(step.event, step.times);
    }
  }

  /** Charges for the reply once, regardless of how it ended. */
  #finish(): void {
    if (!this.#running) return;
    const { reply, input } = this.#running;
    const { parts, grant, model } = this.#session;
    this.#running = undefined;
    this.#cachedInput = input;
    parts.openStreams.delete(reply);
    const amount = times(amountOf(model.price), sumOf(input) + sumOf(reply.output));
    this.#session.notifyChange();
    parts.usage.charge({ key: grant.key, model: model.id, at: parts.pace.now(), amount });
  }
}

export const voiceChangeError = (subject: 'session' | 'response', dialect: Dialect) =>
  new EventError("Cannot update a conversation's voice if assistant audio is present.", {
    code: 'cannot_update_voice',
    param: `${subject}.${dialect === 'ga' ? 'audio.output.' : ''}voice`,
  });
