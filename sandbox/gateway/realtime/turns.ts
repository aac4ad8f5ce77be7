import { amountOf, times } from '../decimal.ts';
import { type Dialect, otherThan } from './dialect.ts';
import { Player } from './player.ts';
import { EventRefusal } from './refusal.ts';
import { Reply } from './reply.ts';
import type { ResponseRequest } from './requests/session.ts';
import type { SessionState } from './state.ts';
import { type Stroke, strokesOf } from './strokes.ts';
import { both, NO_TOKENS, sumOf, type Tokens, tokensIn } from './tokens.ts';
import { planFor } from './words.ts';

interface Running {
  readonly reply: Reply;
  readonly player: Player;
  readonly input: Tokens;
}

const USUAL: ResponseRequest = { settings: {}, isKept: true, metadata: null };

/** The answers of a session, one at a time. */
export class Turns {
  readonly #session: SessionState;
  #running: Running | undefined;
  /** What the model has read already. */
  #known = NO_TOKENS;
  /** A voice cannot change any more once it was heard. */
  hasSpoken = false;
  /** How many answers were begun. */
  begun = 0;

  constructor(session: SessionState) {
    this.#session = session;
  }

  get isAnswering(): boolean {
    return this.#running !== undefined;
  }

  answer({ settings: wanted, isKept, metadata }: ResponseRequest = USUAL): void {
    const { conversation, model, dialect, parts, freshId } = this.#session;
    if (this.#running) {
      throw new EventRefusal(
        `Conversation already has an active response in progress: ${this.#running.reply.id}. Wait until the response is finished before creating a new one.`,
        { code: 'conversation_already_has_active_response' },
      );
    }
    const settings = { ...this.#session.settings, ...wanted };
    if (this.hasSpoken && settings.voice !== this.#session.settings.voice) throw voiceIsSet('response', dialect);
    const fault = this.#session.faultAt('response');
    if (fault?.how === 'refused') {
      throw new EventRefusal('Rate limit reached for this model: try again in a moment.', {
        ...{ code: 'rate_limit_exceeded', type: 'rate_limit_error' },
      });
    }
    const input = both(conversation.tokens, tokensIn(settings.instructions + JSON.stringify(settings.tools)));
    const reply = new Reply({
      ...{ id: freshId('resp'), settings, metadata, input, known: this.#known, freshId },
      dialect: fault?.how === 'other-dialect' ? otherThan(dialect) : dialect,
      plan: planFor(conversation, model.id, settings),
      conversation: isKept ? conversation : undefined,
      conversationId: isKept ? this.#session.conversationId : null,
      splitsOddly: fault?.how === 'odd-bytes',
    });
    this.hasSpoken ||= settings.speaks;
    const player = new Player(parts.pace, strokesOf(reply, fault), (stroke) => this.#play(stroke));
    this.#running = { reply, player, input };
    this.begun += 1;
    parts.writing.add(reply);
    this.#session.changed();
    player.start();
  }

  cancel(id: string | undefined): void {
    if (!this.#running || (id !== undefined && id !== this.#running.reply.id)) {
      throw new EventRefusal('Cancellation failed: no active response found.', { code: 'response_cancel_not_active' });
    }
    this.breakOff('client_cancelled');
  }

  breakOff(reason: 'client_cancelled' | 'turn_detected'): void {
    const { reply } = this.#running ?? {};
    this.#running?.player.stop();
    for (const { event } of reply?.ending('cancelled', { reason }) ?? []) this.#play({ wait: 0, event });
  }

  /** It is not played any more. */
  stop(): void {
    this.#running?.player.stop();
    this.#settle();
  }

  #play(stroke: Stroke): void {
    const { line } = this.#session;
    if ('does' in stroke) {
      this.stop();
      this.#session.suffer(stroke.does);
    } else if ('frame' in stroke) {
      line.frame(stroke.frame);
    } else {
      if (stroke.event.type === 'response.done') this.#settle();
      line.tell(stroke.event, stroke.times);
    }
  }

  /** What was said is charged once, however it ended. */
  #settle(): void {
    if (!this.#running) return;
    const { reply, input } = this.#running;
    const { parts, grant, model } = this.#session;
    this.#running = undefined;
    this.#known = input;
    parts.writing.delete(reply);
    const amount = times(amountOf(model.price), sumOf(input) + sumOf(reply.output));
    this.#session.changed();
    parts.usage.book({ key: grant.key, model: model.id, at: parts.pace.now(), amount });
  }
}

export const voiceIsSet = (where: 'session' | 'response', dialect: Dialect) =>
  new EventRefusal("Cannot update a conversation's voice if assistant audio is present.", {
    ...{ code: 'cannot_update_voice', param: `${where}.${dialect === 'ga' ? 'audio.output.' : ''}voice` },
  });
