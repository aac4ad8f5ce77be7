import { Refusal } from '../../lib/refusal.ts';
import { trackUntilDone } from '../../lib/track-until-done.ts';
import { GatewayError, TOO_LARGE } from '../gateway/errors.ts';
import type { TextResponse } from '../gateway/response-events.ts';
import { defineKind, type Kind } from '../tasks/kind.ts';
import { hasEnded, isOfKind, type Task, type TaskOf } from '../tasks/task.ts';
import { orderOfTask } from '../tasks/transitions.ts';
import type { AnswerSchemas } from './answer-schemas.ts';
import { runTools } from './ask-tools.ts';
import {
  addRound,
  answerOf,
  answerText,
  areCallsSettled,
  type CallOutcome,
  completeAnswer,
  endAnswerEarly,
  isLastRound,
  isWaitingForMember,
  markAnswering,
  markAwaitingApproval,
  markContinuing,
  markForgotten,
  type StopReason,
  settleCall,
  updateDraft,
  waitingCalls,
  withPartialText,
  withSchemaCheck,
  withUnfinishedResponse,
} from './ask-transitions.ts';
import { leftOutFiles } from './asks/earlier-files.ts';
import { reportDraft } from './asks/report-draft.ts';
import { type OpenStream, QuestionSender } from './asks/sender.ts';
import { answersOfConversation, earlierTurns, newestAnswer } from './conversation.ts';
import type { ConversationContext } from './conversation-context.ts';

/** Runs the answers of `/ask` from start to end. An answer that is cut off by a restart ends as interrupted. */
export class Asks {
  readonly kind: Kind;
  readonly #context: ConversationContext;
  readonly #schemas: AnswerSchemas;
  readonly #abortControllers = new Map<string, AbortController>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #sender: QuestionSender;
  #isStopping = false;

  constructor(context: ConversationContext, schemas: AnswerSchemas) {
    this.#context = context;
    this.#schemas = schemas;
    context.book.onChange((task) => this.#endIfUnwanted(task));
    this.#sender = new QuestionSender(context);
    this.kind = defineKind({
      name: 'ask',
      follow: (task) => this.#follow(task),
      waitLimit: () => 'text',
      durationKey: ({ model }) => `ask:${model}`,
      submit: async (request, { id, materials, requester }) => {
        const stream = await this.#sender.send({
          request,
          materials,
          asker: requester,
          stop: this.#newAbortController(),
        });
        return { remoteId: stream.id ?? id, needsInput: false, follow: (task) => this.#follow(task, stream) };
      },
    });
  }

  get streamCount(): number {
    return this.#abortControllers.size;
  }

  newestAnswer(query: Parameters<typeof newestAnswer>[1]): Promise<TaskOf<'ask'> | undefined> {
    return newestAnswer(this.#context.answers, query, this.#context.clock.now());
  }

  async countEarlierTurns(task: TaskOf<'ask'>): Promise<number> {
    return (await earlierTurns(this.#context.answers, task.request.after, task)).length;
  }

  /** Stops an answer. The text received so far is kept. `reason`: what its message says, if no one pressed **Stop**. */
  async stop(task: Task, reason?: Refusal): Promise<void> {
    const stop = this.#abortControllers.get(task.id);
    if (stop) stop.abort(reason ?? ('stopped' satisfies StopReason));
    else
      await this.#context.change(task.id, (current) =>
        endAnswerEarly(current, 'stopped', reason, this.#context.clock.now()),
      );
  }

  /** Returns the ids of the answers that no longer belong to a conversation, the given one first. */
  async forget(task: Task): Promise<string[]> {
    const ids = await answersOfConversation(this.#context.answers, task);
    for (const id of ids) await this.#context.change(id, markForgotten);
    return ids;
  }

  /** The approval is stored before anything is submitted, so after a crash the call cannot be approved twice. If the request is refused, the call waits for approval again. */
  async approveCall(id: string, callId: string, output: string, order: () => Promise<unknown>): Promise<void> {
    await this.#context.book.change(id, (current) => this.#decide(current, callId, { state: 'allowed' }));
    try {
      await order();
    } catch (error) {
      await this.#context.change(id, (current) => settleCall(current, callId, { state: 'waiting' }));
      throw error;
    }
    this.#continueIfSettled(
      await this.#context.change(id, (current) => settleCall(current, callId, { state: 'done', output })),
    );
  }

  async declineCall(id: string, callId: string, output: string): Promise<void> {
    this.#continueIfSettled(
      await this.#context.change(id, (current) => this.#decide(current, callId, { state: 'declined', output })),
    );
  }

  async finish(): Promise<void> {
    this.#isStopping = true;
    for (const stop of this.#abortControllers.values()) stop.abort('interrupted' satisfies StopReason);
    await Promise.all(this.#running);
  }

  #follow(task: Task, stream?: OpenStream): void {
    if (stream && this.#isStopping) stream.stop.abort('interrupted' satisfies StopReason);
    if (stream) this.#track(this.#run(task.id, stream.stop, stream));
    // A call that waits for approval survives a restart; an open stream does not.
    else if (task.unwanted || !isWaitingForMember(task)) this.#track(this.#breakOff(task.id, 'interrupted', undefined));
  }

  /** An answer that waits for its member would never end after the member has erased it. */
  #endIfUnwanted(task: Task): void {
    if (task.unwanted && isOfKind('ask', task) && task.state === 'needs-input' && isWaitingForMember(task))
      this.#track(this.#breakOff(task.id, 'stopped', undefined));
  }

  #newAbortController(): AbortController {
    const stop = new AbortController();
    if (this.#isStopping) stop.abort('interrupted' satisfies StopReason);
    return stop;
  }

  /** The outputs of all calls are sent to the model together, once the last call has been decided. */
  #continueIfSettled(task: Task): void {
    if (areCallsSettled(task) && !hasEnded(task)) this.#track(this.#run(task.id, this.#newAbortController()));
  }

  /** Runs an answer until it ends or waits for its member. `stop` also works between two responses. */
  async #run(id: string, stop: AbortController, firstStream?: OpenStream): Promise<void> {
    this.#abortControllers.set(id, stop);
    try {
      let stream = firstStream ?? (await this.#openNext(id, stop));
      while (stream) {
        const mustContinue = await this.#conclude(id, await this.#receive(id, stream), stop.signal);
        stream = mustContinue ? await this.#openNext(id, stop) : undefined;
      }
    } catch (error) {
      await this.#breakOff(id, stopReason(stop.signal) ?? 'failed', error, refusalIn(stop.signal));
    } finally {
      this.#abortControllers.delete(id);
    }
  }

  /** Requests the next response. It is reserved first, so a member cannot exceed a limit with a model that keeps calling tools. */
  async #openNext(id: string, stop: AbortController): Promise<OpenStream | undefined> {
    const { book, money, gather, settings } = this.#context;
    const task = await book.get(id);
    if (!task || !isOfKind('ask', task) || hasEnded(task)) return undefined;
    const { request } = task;
    const answer = answerOf(task);
    // The transcript is enough, because the audio may no longer be stored.
    const continuedRequest = answer.heard === undefined ? request : { ...request, sound: undefined };
    const materials = await gather(continuedRequest, {
      memberId: task.requesterId,
      timeLimitMs: settings.maxWaitMs.text,
    });
    const estimate = money.prices.estimateOf(orderOfTask(task));
    await money.ledger.extend(markContinuing(task, estimate));
    await book.change(id, (current) => markContinuing(current, estimate));
    return this.#sender.send({ request, materials, asker: task, answer, stop });
  }

  /** Receives a response, without the features that the model refuses before its first word. */
  async #receive(id: string, stream: OpenStream): Promise<TextResponse> {
    const { stop, omission, draft } = stream;
    const { earlierFiles, pastTurns, sound, requestCount: requests } = draft;
    const isMemoryCut = pastTurns.some(({ isCut }) => isCut) || undefined;
    const leftOut = earlierFiles.flatMap(leftOutFiles);
    const { guessed } = omission;
    const sentInputs = { leftOut, isMemoryCut, heard: sound?.transcript, requests, guessed };
    const task = await this.#context.change(id, (current) => markAnswering(current, omission.announced, sentInputs));
    // The member stopped the answer before it began.
    if (hasEnded(task)) stop.abort('stopped' satisfies StopReason);
    const response = await this.#readStream(id, stream);
    const { end, error } = response;
    const hasFailed = end === 'failed' && isEmpty(response);
    const retriedStream = hasFailed && error && this.#sender.sendAgain(stream, error);
    if (retriedStream) return this.#receive(id, await retriedStream);
    if (!hasFailed) this.#sender.learn(stream);
    return response;
  }

  async #readStream(id: string, { events, stop }: OpenStream): Promise<TextResponse> {
    const draft = reportDraft(this.#context.clock, async (text, doing) => {
      try {
        await this.#context.change(id, (task) => updateDraft(task, text, doing, this.#context.clock.now()));
      } catch (error) {
        // The member has deleted the task, so nothing more is stored.
        if (error instanceof Refusal) stop.abort('stopped' satisfies StopReason);
        else this.#context.log.warn({ task: id, err: error }, 'The partial answer of a model could not be stored.');
      }
    });
    try {
      for await (const event of events) {
        if (event.type === 'text' || event.type === 'refusal') draft.add(event.delta);
        else if (event.type === 'reasoning') draft.setActivity('thinking');
        else if (event.type === 'web-search') draft.setActivity(event.isDone ? undefined : 'searching');
        if ('response' in event) return event.response;
      }
    } finally {
      await draft.end();
    }
    throw new Error('The gateway closed the stream before its final event.');
  }

  /** Returns whether the model has to continue, with the outputs of its calls. */
  async #conclude(id: string, response: TextResponse, signal: AbortSignal): Promise<boolean> {
    const now = (): number => this.#context.clock.now();
    const { end, calls, reason, error } = response;
    if (end === 'failed' || end === 'ended-early') {
      const cause = stopReason(signal) ?? (end === 'failed' || error?.code === TOO_LARGE ? 'failed' : 'cut');
      const reported = cause === 'stopped' ? refusalIn(signal) : error;
      await this.#context.change(id, (task) =>
        endAnswerEarly(
          withPartialText(task, response, this.#context.money.prices.costOfAnswer(task, response)),
          cause,
          reported,
          now(),
        ),
      );
      return false;
    }
    const storedTask = await this.#context.book.get(id);
    if (!storedTask || hasEnded(storedTask)) return false;
    const mustRun = end === 'completed' && calls.length > 0 && !isLastRound(answerOf(storedTask));
    const usedCalls = mustRun ? await runTools(calls, storedTask, this.#context) : [];
    const checked = end === 'completed' && !mustRun ? await this.#check(storedTask, response) : undefined;
    const task = await this.#context.change(id, (current) => {
      const updated = withSchemaCheck(
        addRound(current, response, usedCalls, this.#context.money.prices.costOfAnswer(current, response)),
        checked,
      );
      const cause = stopReason(signal);
      if (mustRun && cause) return endAnswerEarly(updated, cause, refusalIn(signal), now());
      if (mustRun) return waitingCalls(updated).length > 0 ? markAwaitingApproval(updated) : updated;
      const isCutOff = end === 'incomplete' || calls.length > 0;
      return completeAnswer(updated, isCutOff ? (reason ?? '') : undefined, now());
    });
    return mustRun && waitingCalls(task).length === 0;
  }

  async #check(task: Task, response: TextResponse) {
    const { schema } = task.request;
    const text = answerText(addRound(task, response, []));
    return schema === undefined || text === '' ? undefined : await this.#schemas.check(schema, text);
  }

  async #breakOff(id: string, cause: StopReason | 'failed', error: unknown, reason?: Refusal): Promise<void> {
    const known = error instanceof GatewayError || error instanceof Refusal ? error : undefined;
    const wasNeverSent = known instanceof Refusal || known?.mayHaveTakenEffect === false;
    if (error !== undefined && !known)
      this.#context.log.error({ task: id, err: error }, 'An answer could not be completed.');
    const isRefused = cause === 'failed' && known instanceof Refusal;
    await this.#context.change(id, (task) =>
      endAnswerEarly(
        wasNeverSent ? task : withUnfinishedResponse(task),
        isRefused ? 'refused' : cause,
        cause === 'failed' ? known : reason,
        this.#context.clock.now(),
      ),
    );
  }

  #decide(task: Task, callId: string, outcome: CallOutcome): Task {
    const isWaiting = !hasEnded(task) && waitingCalls(task).some((call) => call.callId === callId);
    if (!isWaiting) throw new Refusal('refusals.alreadyDecided');
    const times = { ...task.times, decided: this.#context.clock.now() };
    return settleCall({ ...task, times }, callId, outcome);
  }

  #track(work: Promise<void>): void {
    const done = work.catch((error: unknown) =>
      this.#context.log.error({ err: error }, 'An answer could not be completed.'),
    );
    void trackUntilDone(done, this.#running);
  }
}

function stopReason({ aborted, reason }: AbortSignal): StopReason | undefined {
  if (!aborted) return undefined;
  return reason === 'stopped' || reason instanceof Refusal ? 'stopped' : 'interrupted';
}

const refusalIn = ({ reason }: AbortSignal): Refusal | undefined => (reason instanceof Refusal ? reason : undefined);

const isEmpty = ({ text, refusal, calls }: TextResponse): boolean =>
  text === '' && refusal === '' && calls.length === 0;
