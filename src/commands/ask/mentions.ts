import { customIds } from '../../discord/custom-ids.ts';
import type { Origin } from '../../discord/interaction-facts.ts';
import type { MemberMessage } from '../../discord/member-message.ts';
import { buttonPlan, type Control, type MessagePlan } from '../../discord/plan.ts';
import { type ReadPlace, ServerAccess } from '../../discord/server-access.ts';
import { type Language, languageOf } from '../../lib/languages.ts';
import { RecentMap } from '../../lib/recent-map.ts';
import { Refusal } from '../../lib/refusal.ts';
import { trackUntilDone } from '../../lib/track-until-done.ts';
import { type Say, sayIn } from '../../locales/index.ts';
import type { NewOrder } from '../../messages/pressed-task.ts';
import { markQuestionEdited } from '../../services/conversations/ask-transitions.ts';
import { GatewayError } from '../../services/gateway/errors.ts';
import { hasEnded, type MessagePlace, type Task } from '../../services/tasks/task.ts';
import type { Services } from '../feature.ts';
import { type MessageReader, originOfMessage } from '../reply-with-task.ts';
import { AnswerTurns, MAX_WAITING_QUESTIONS } from './answer-turns.ts';
import { hintFor, questionIn, questionOrder, withWayOut } from './questions.ts';

/** More questions than wait or can still be edited at the same time. */
const MAX_OPEN_QUESTIONS = 1_000;
/** How many members per channel are remembered as having read that Discord leaves out a text. */
const MAX_HINTED = 1_000;
/** A message does not say what its server lets members upload, so the smallest limit of Discord applies. */
const SMALLEST_UPLOAD_LIMIT = 10 * 1024 * 1024;

/** A message to the bot that has no task yet. */
interface OpenQuestion {
  message: MemberMessage;
  reply: MessagePlace | undefined;
  place: ReadPlace | undefined;
  /** The locale that its author had last. */
  locale: string | undefined;
  /** Whether the reply says that the question waits. */
  isShownAsWaiting: boolean;
  /** `refused`: nothing was submitted, so an edit is another try. */
  state: 'waiting' | 'starting' | 'refused';
  /** The proposal that asks its author, if the server wants that at its price. */
  proposalId?: string | undefined;
  isDeleted: boolean;
}

/** Answers messages to the bot as if their authors had used `/ask`. */
export class Mentions {
  readonly #services: Services;
  readonly #access: ServerAccess;
  readonly #turns: AnswerTurns;
  /** By the id of the message. */
  readonly #open = new RecentMap<string, OpenQuestion>(MAX_OPEN_QUESTIONS);
  readonly #hinted = new RecentMap<string, true>(MAX_HINTED);
  readonly #running = new Set<Promise<unknown>>();

  constructor(services: Services) {
    this.#services = services;
    this.#access = new ServerAccess(services.discord.clients, services.clock);
    this.#turns = new AnswerTurns(services.tasks.book);
  }

  readonly read: MessageReader = async (message) =>
    message.isForBot && this.#services.settings.discord.mentions
      ? () => trackUntilDone(this.#answer(message), this.#running)
      : undefined;

  /** Whether the edit of a message changes anything. */
  concernsEdit(messageId: string, isForBot: boolean): boolean {
    return this.#open.has(messageId) || (isForBot && this.#answersTo(messageId).length > 0);
  }

  /** Whether the deletion of a message changes anything. */
  concernsDeletion(messageId: string): boolean {
    return (
      this.#open.has(messageId) || this.#noticeTo(messageId) !== undefined || this.#answersTo(messageId).length > 0
    );
  }

  /** Follows an edit as long as nothing has been submitted. Later, the answer says that it is about the question before. */
  async edit(message: MemberMessage): Promise<void> {
    const open = this.#open.get(message.id);
    if (!open) return this.#noteLateEdit(message);
    // Discord also reports changes that no one made, such as the preview of a link.
    if (open.message.content === message.content && open.message.files.length === message.files.length) return;
    if (!message.isForBot && open.state !== 'starting') return this.remove([message.id]);
    open.message = { ...message, repliedTo: message.repliedTo ?? open.message.repliedTo };
    const sender = { userId: message.memberId, guildId: message.guildId };
    if (open.state !== 'refused' || this.#services.discord.rateLimiter.refuseInteraction(sender)) return;
    open.state = 'waiting';
    if (!(await this.#takeProposal(open))) return this.#noteLateEdit(message, open.reply);
    const turn = this.#turns.run(message, () => this.#submit(open));
    // If too many questions wait, its author may edit it again.
    if (!(await trackUntilDone(turn, this.#running))) open.state = 'refused';
  }

  /** Stops the answers to deleted messages. */
  async remove(messageIds: readonly string[]): Promise<void> {
    for (const id of messageIds) {
      // Without the reply, an edit of a refused question would have nowhere to show its answer.
      const refused = this.#noticeTo(id);
      if (refused) this.#open.delete(refused.message.id);
      const open = this.#open.get(id);
      this.#open.delete(id);
      if (open) {
        open.isDeleted = true;
        if (open.state !== 'starting' && (await this.#takeProposal(open))) await this.#showDeleted(open);
      }
      for (const task of this.#answersTo(id, open?.reply)) await this.#stop(task);
    }
  }

  async #noteLateEdit({ id, content }: MemberMessage, reply?: MessagePlace): Promise<void> {
    for (const { id: taskId } of this.#answersTo(id, reply))
      await this.#services.tasks.book.change(taskId, (task) => markQuestionEdited(task, content));
  }

  /** `reply`: where the answer is shown, if the author of the message confirmed its price in another interaction. */
  #answersTo(messageId: string, reply?: MessagePlace): Task[] {
    return this.#services.tasks.book.live(
      ({ kind, route, message }) =>
        kind === 'ask' && (route.interactionId === messageId || (reply !== undefined && message?.id === reply.id)),
    );
  }

  #noticeTo(replyId: string): OpenQuestion | undefined {
    return this.#open.values().find(({ reply, state }) => reply?.id === replyId && state === 'refused');
  }

  /** Tells the authors of the questions that still wait. */
  async finish(): Promise<void> {
    this.#turns.close();
    await Promise.all(this.#running);
  }

  async #answer(message: MemberMessage): Promise<void> {
    if (!this.#services.discord.rateLimiter.allowsMessageIn(message.channelId)) return;
    const isShownAsWaiting = this.#turns.isBusy(message);
    const unread = { reply: undefined, place: undefined, locale: undefined, isDeleted: false };
    const open: OpenQuestion = { ...unread, message, isShownAsWaiting, state: 'waiting' };
    this.#open.set(message.id, open);
    const opening = this.#openReply(open);
    // Joined before anything is awaited, so that a member's questions are answered in their order.
    const isAdmitted = await this.#turns.run(message, async () => {
      if (await opening) await this.#submit(open);
    });
    if (!isAdmitted && (await opening))
      await this.#refuse(open, new Refusal('refusals.tooManyMessages', { count: MAX_WAITING_QUESTIONS }));
  }

  /** Posts the reply that will show the answer. Returns false if there will be none. Never throws. */
  async #openReply(open: OpenQuestion): Promise<boolean> {
    const { message } = open;
    const { messages, discord, log } = this.#services;
    let hint = hintFor(message);
    try {
      open.locale = await discord.readers.lastOf(message.memberId);
      // Where mentions are not wanted, the bot says nothing.
      if (await this.#mayAsk(open)) {
        if (hint === 'response' && !this.#isFirstHint(message)) hint = undefined;
        else {
          const say = this.#sayFor(open);
          const progress = open.isShownAsWaiting ? say('ask.mention.waiting') : say('task.submitting');
          const content = hint ? say(`ask.mention.${hint}`) : progress;
          open.reply = await messages.answers.replyTo(message, hint ? this.#notice(open, content) : { content });
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'Could not find out whether a message may be answered.');
    }
    if (open.reply && !open.isDeleted) {
      // It may have been edited in the meantime.
      if (!hint || !hintFor(open.message)) return true;
      open.state = 'refused';
      return false;
    }
    this.#open.delete(message.id);
    if (open.isDeleted) await this.#showDeleted(open);
    return false;
  }

  async #mayAsk(open: OpenQuestion): Promise<boolean> {
    const { message } = open;
    const { guildId, channelId, roleIds } = message;
    const { safety, discord, tasks } = this.#services;
    if (guildId === undefined) return safety.rules.allowsMentions({ guildId, channelId });
    const serverMessage = { ...message, guildId };
    const place = await this.#access.placeOf(serverMessage);
    open.place = place;
    if (!safety.rules.allowsMentions({ guildId, channelId, parentChannelId: place.parentChannelId, roleIds }))
      return false;
    const here = { ...serverMessage, parentChannelId: place.parentChannelId, install: 'guild' } as const;
    if ((await tasks.preferences.read(here)).persona?.answersMentions === false) return false;
    const commandIds = await discord.registeredCommands({ guildId, install: 'guild' });
    return this.#access.mayUse(commandIds.get('ask'), serverMessage, place);
  }

  #isFirstHint({ channelId, memberId }: MemberMessage): boolean {
    const key = `${channelId} ${memberId}`;
    const isFirst = !this.#hinted.has(key);
    this.#hinted.set(key, true);
    return isFirst;
  }

  async #submit(open: OpenQuestion): Promise<void> {
    const { message, reply, place } = open;
    const { messages, tasks } = this.#services;
    const say = this.#sayFor(open);
    if (!reply || open.isDeleted) return;
    if (this.#turns.isClosed) return messages.answers.editReply(reply, this.#notice(open, say('refusals.interrupted')));
    const hint = hintFor(message);
    open.state = hint ? 'refused' : 'starting';
    if (hint) return messages.answers.editReply(reply, this.#notice(open, say(`ask.mention.${hint}`)));
    if (open.isShownAsWaiting) await messages.answers.editReply(reply, { content: say('task.submitting') });
    open.isShownAsWaiting = false;
    let previous: Task | undefined;
    try {
      const origin = this.#originOf(open);
      const isModerator = place?.mayManageMessages === true;
      const facts = { isModerator, origin, services: this.#services };
      const { question, previous: continued } = await questionIn(message, facts);
      previous = continued;
      const order = await questionOrder(question, previous, { services: this.#services, origin });
      if (open.isDeleted) return await this.#showDeleted(open);
      if (await this.#propose(open, order, origin)) return;
      const task = await tasks.orders.submit({ ...origin, ...order });
      this.#open.delete(message.id);
      if (open.isDeleted) await this.#stop(task);
      else if (open.message !== message) await this.#noteLateEdit(open.message);
    } catch (error) {
      await this.#refuse(open, withWayOut(error, previous));
    }
  }

  /** Messages do not say a language: the member's when they last used the bot, or else that of their server. */
  #languageFor({ message, place, locale }: OpenQuestion): Language {
    const here = { ...message, parentChannelId: place?.parentChannelId, install: 'guild' } as const;
    const { memberLanguage, placeLanguage } = this.#services.tasks.preferences.early(here);
    const language = locale === undefined ? placeLanguage : languageOf(locale);
    return memberLanguage ?? language ?? languageOf(place?.locale);
  }

  #sayFor(open: OpenQuestion): Say {
    return sayIn(this.#languageFor(open));
  }

  #originOf(open: OpenQuestion): Origin {
    const { message, reply, place } = open;
    const { discord, clock } = this.#services;
    return originOfMessage(message, reply, {
      parentChannelId: place?.parentChannelId,
      language: this.#languageFor(open),
      ...(place?.isAgeRestricted && { isAgeRestricted: true }),
      route: {
        applicationId: discord.clients.identity.applicationId ?? '',
        // By this, a deleted message finds its answer, also after a restart.
        interactionId: message.id,
        uploadLimit: SMALLEST_UPLOAD_LIMIT,
        locale: open.locale ?? place?.locale ?? 'en-US',
        maySpeak: false,
        ...(place?.isPrivateThread && { isInPrivateThread: true }),
        tokenExpiresAt: clock.now(),
      },
    });
  }

  /** Asks for a confirmation, if the server wants one at this price. The reply is public, so its button shows the price to the author only. */
  async #propose(open: OpenQuestion, order: NewOrder, origin: Origin): Promise<boolean> {
    const { tasks, messages } = this.#services;
    const say = this.#sayFor(open);
    const { guildId, requesterId: memberId } = origin;
    if (!open.reply || tasks.proposals.limitExceededBy(order, guildId) === undefined) return false;
    tasks.orders.check({ ...origin, ...order });
    const { parent, ...proposed } = order;
    const proposedOrders = [{ ...proposed, parentId: parent?.id }];
    const message = { ...open.reply, guildId };
    const { id } = await tasks.proposals.create({ memberId, orders: proposedOrders, message });
    open.state = 'refused';
    open.proposalId = id;
    const controls = [
      buttonPlan(say('ask.mention.showPrice'), customIds.showProposal.id(id), { style: 'primary' }),
      buttonPlan(say('task.buttons.delete'), customIds.cancelProposal.id(id), { emoji: '🗑️' }),
    ];
    await messages.answers.editReply(open.reply, { content: say('ask.mention.price'), controls });
    return true;
  }

  /** Takes back what its author has not confirmed. Returns false if they have decided. */
  async #takeProposal(open: OpenQuestion): Promise<boolean> {
    if (open.proposalId === undefined) return true;
    try {
      await this.#services.tasks.proposals.take(open.proposalId, open.message.memberId);
      open.proposalId = undefined;
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#open.delete(open.message.id);
      return false;
    }
  }

  /** Only the author may read why a question was refused, so in a server the reply only has a button that shows it. */
  async #refuse(open: OpenQuestion, error: unknown): Promise<void> {
    const { messages, tasks, discord } = this.#services;
    const say = this.#sayFor(open);
    const { id, memberId, guildId } = open.message;
    const reason = discord.funnel.messageFor(error, 'a mention', say);
    const wasNotSubmitted = error instanceof Refusal || (error instanceof GatewayError && !error.mayHaveTakenEffect);
    if (wasNotSubmitted) open.state = 'refused';
    else this.#open.delete(id);
    if (!open.reply) return;
    if (guildId === undefined) return messages.answers.editReply(open.reply, this.#notice(open, reason));
    const draftId = await tasks.drafts.keep(memberId, { reason }).catch((keepError: unknown) => {
      discord.funnel.messageFor(keepError, 'keeping the reason of a refusal');
      return undefined;
    });
    const controls =
      draftId === undefined ? [] : [buttonPlan(say('ask.mention.showReason'), customIds.showReason.id(draftId))];
    await messages.answers.editReply(open.reply, this.#notice(open, say('ask.mention.refused'), controls));
  }

  async #showDeleted(open: OpenQuestion): Promise<void> {
    const notice = this.#notice(open, this.#sayFor(open)('ask.mention.deleted'));
    if (open.reply) await this.#services.messages.answers.editReply(open.reply, notice);
  }

  /** A reply that answers nothing, which the author of the message can delete. */
  #notice(open: OpenQuestion, content: string, controls: readonly Control[] = []): MessagePlan {
    const label = this.#sayFor(open)('task.buttons.delete');
    const remove = buttonPlan(label, customIds.deleteNotice.id(open.message.memberId), { emoji: '🗑️' });
    return { content, controls: [...controls, remove] };
  }

  /** One that is being submitted is stopped when it has been accepted. */
  async #stop(task: Task): Promise<void> {
    if (!hasEnded(task) && task.state !== 'submitting')
      await this.#services.conversations.asks.stop(task, new Refusal('refusals.questionDeleted'));
  }
}
