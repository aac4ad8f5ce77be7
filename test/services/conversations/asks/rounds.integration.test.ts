import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../../../../sandbox/gateway/gateway.ts';
import { kindSpecs } from '../../../../src/commands/index.ts';
import { waitingCalls } from '../../../../src/services/conversations/ask-transitions.ts';
import { QuestionSender } from '../../../../src/services/conversations/asks/sender.ts';
import { Asks } from '../../../../src/services/conversations/asks.ts';
import type { ConversationContext } from '../../../../src/services/conversations/conversation-context.ts';
import { createGateway } from '../../../../src/services/gateway/gateway.ts';
import { defaultSettings } from '../../../../src/services/gateway/settings.ts';
import { amountOf, withAmountsOf } from '../../../../src/services/money/entry.ts';
import { Ledger } from '../../../../src/services/money/ledger.ts';
import type { Limits } from '../../../../src/services/money/limits.ts';
import { TaskBook } from '../../../../src/services/orders/book.ts';
import { openStore } from '../../../../src/services/store/open-store.ts';
import { EMPTY_ANSWER } from '../../../../src/services/tasks/answer.ts';
import { StoreError } from '../../../../src/services/tasks/store-error.ts';
import { hasEnded, isOfKind, type Task } from '../../../../src/services/tasks/task.ts';
import { markAccepted } from '../../../../src/services/tasks/transitions.ts';
import { addCleanup } from '../../../support/ending.ts';
import { silentDiscord } from '../../../support/silent-discord.ts';
import { createSpending } from '../../money/spending/fixture.ts';
import { createStoreFixture, makeTask, type StoreFixture } from '../../store/store-fixture.ts';

const PRICE = '0.1';
const FIND_MODELS = 'find models';
const MAKE_IMAGE = 'make image';

interface Options {
  setup?: StoreFixture;
  gateway?: Awaited<ReturnType<typeof openGateway>>;
  /** The member's limits. */
  limits?: Limits;
  listModels?: () => Promise<[]>;
  gather?: () => Promise<object>;
}

async function openGateway() {
  const embedded = await startGateway({ speed: 1_000, seed: 1 });
  addCleanup(() => embedded.close());
  const client = createGateway(
    { ...defaultSettings, baseUrl: embedded.url, apiKey: 'sk-sandbox' },
    { log: { info: () => undefined, warn: () => undefined } },
    { attempts: 1 },
  );
  addCleanup(() => client.close());
  return { embedded, client };
}

/** Runs answers with the real client, book and ledger. */
async function openAsks({ setup = createStoreFixture(), limits = {}, ...options }: Options = {}) {
  const { clock, log, logged } = setup;
  const gateway = options.gateway ?? (await openGateway());
  const { embedded, client } = gateway;
  const store = await openStore({ url: `sqlite://${setup.file}`, scheme: 'sqlite' }, { specs: kindSpecs, log, clock });
  onTestFinished(() => store.close());
  const book = new TaskBook(store, log, clock);
  const spending = createSpending({ settings: { total: {}, server: {}, direct: {}, member: limits }, clock });
  const ledger = new Ledger({ clock, log }, store.entries, spending);
  const { listModels = async () => [], gather = async () => ({}) } = options;
  const answers = { get: (id: string) => book.get(id), page: store.page.bind(store) };
  const models = { list: listModels, listQuickly: async () => [], get: async () => undefined } as never;
  const estimate = { amount: PRICE, source: 'operator', at: 0 } as const;
  const prices = {
    estimateOf: () => estimate,
    costOfAnswer: (_: Task, { cost }: { cost?: string | undefined }) => cost,
  };
  const context: ConversationContext = {
    clock,
    log,
    settings: { models: {}, maxWaitMs: { text: 60_000 } },
    book,
    change: (id, transition) => book.change(id, transition, { mustHold: true }),
    answers,
    gateway: client,
    discord: silentDiscord,
    money: { ledger, prices } as never,
    models,
    gather,
    audio: undefined as never,
  };
  const asks = new Asks(context, { check: async () => undefined } as never);
  const tasks = await book.open();
  await ledger.open(tasks);
  book.onChange((task) => ledger.onTaskChange(task));
  for (const task of tasks) if (isOfKind('ask', task) && !hasEnded(task)) asks.kind.follow?.(task);
  const current = async (id: string): Promise<Task> => {
    const task = await book.get(id);
    if (!task) throw new Error('There is no such task.');
    return task;
  };
  return {
    asks,
    book,
    current,
    logged,
    gateway,
    embedded,
    sender: new QuestionSender(context),
    requests: () => embedded.requests.filter(({ path }) => path.endsWith('/responses')),
    async ask(prompt: string, effort?: string): Promise<string> {
      const request = { prompt, model: 'quill-5', ...(effort !== undefined && { effort }) };
      const task = makeTask({ kind: 'ask', state: 'submitting', request, model: request.model, estimate });
      await ledger.reserve(task);
      await book.add(task);
      const context = { id: task.id, materials: {}, requester: task };
      const submission = await asks.kind.submit?.(request as never, context);
      if (!submission) throw new Error('Questions cannot be submitted.');
      submission.follow?.((await book.change(task.id, (one) => markAccepted(one, submission, clock.now()))) as never);
      return task.id;
    },
    async ended(id: string): Promise<Task> {
      await expect.poll(async () => hasEnded(await current(id))).toBe(true);
      return current(id);
    },
    async waiting(id: string, rounds: number): Promise<void> {
      const isWaiting = (task: Task): boolean =>
        waitingCalls(task).length > 0 && task.answer?.rounds.length === rounds && task.state === 'needs-input';
      await expect.poll(async () => isWaiting(await current(id))).toBe(true);
    },
    async decline(id: string): Promise<void> {
      for (const { callId } of waitingCalls(await current(id))) await asks.declineCall(id, callId, 'no');
    },
    async entry(id: string) {
      await ledger.flush();
      const entry = await store.entries.find(`2026-01-01:${id}`);
      if (!entry) throw new Error('There is no entry.');
      // The doctor finds nothing to repair.
      expect(withAmountsOf(entry, await current(id))).toBe(entry);
      return { standing: entry.facts.at(-1)?.standing, amount: amountOf(entry)?.amount };
    },
    async stop(): Promise<void> {
      await asks.finish();
      await ledger.flush();
      await store.close();
    },
  };
}

describe('An answer of a model that calls tools for ever', () => {
  it('Six requests are sent, calls of the last response are not run, and each response is reserved', async () => {
    let runs = 0;
    const listModels = async (): Promise<[]> => {
      runs += 1;
      return [];
    };
    // A further response is not a further task.
    const limits = { day: { amount: '0.6', tasks: 1 }, atOnce: 1 };
    const { ask, ended, embedded, requests, entry } = await openAsks({ listModels, limits });
    embedded.faults.add({ do: 'text-calls-tools', times: 30 });
    const id = await ask(FIND_MODELS);
    const task = await ended(id);
    expect(requests()).toHaveLength(6);
    expect(requests().at(-1)?.body).toMatchObject({ tool_choice: 'none' });
    expect(runs).toBe(5);
    expect(task).toMatchObject({ state: 'ready', answer: { incomplete: '', requests: 6 } });
    expect(task.answer?.rounds).toHaveLength(6);
    expect(await entry(id)).toEqual({ standing: 'settled', amount: '0.6' });
  });

  it('Approvals and restarts do not add rounds', async () => {
    const setup = createStoreFixture();
    const gateway = await openGateway();
    gateway.embedded.faults.add({ do: 'text-calls-tools', times: 30 });
    let bot = await openAsks({ setup, gateway });
    const id = await bot.ask(MAKE_IMAGE);
    for (let round = 1; round <= 5; round += 1) {
      await bot.waiting(id, round);
      await bot.stop();
      bot = await openAsks({ setup, gateway });
      await bot.decline(id);
    }
    expect(await bot.ended(id)).toMatchObject({ state: 'ready', answer: { requests: 6 } });
    expect(bot.requests()).toHaveLength(6);
    expect(await bot.entry(id)).toEqual({ standing: 'settled', amount: '0.6' });
  });

  it('A feature that the model refuses adds one request', async () => {
    const { ask, ended, embedded, requests } = await openAsks();
    embedded.faults.add({ do: 'no-reasoning', times: 30 });
    embedded.faults.add({ do: 'text-calls-tools', times: 30 });
    expect(await ended(await ask(FIND_MODELS, 'high'))).toMatchObject({ answer: { requests: 7 } });
    expect(requests()).toHaveLength(7);
  });

  it('A limit that a further response would exceed ends the answer with what there is', async () => {
    const { ask, ended, embedded, requests, entry } = await openAsks({ limits: { day: { amount: '0.25' } } });
    embedded.faults.add({ do: 'text-calls-tools', times: 30 });
    const id = await ask(FIND_MODELS);
    const task = await ended(id);
    expect(requests()).toHaveLength(2);
    expect(task.failure).toMatchObject({ cause: 'refused', refusal: { key: 'refusals.overBudget.member' } });
    expect(task.answer?.rounds).toHaveLength(2);
    expect(await entry(id)).toEqual({ standing: 'settled', amount: '0.2' });
  });

  it('A decision about a call is stored with its time, however long the call has waited', async () => {
    const setup = createStoreFixture();
    const { ask, waiting, decline, ended } = await openAsks({ setup });
    const id = await ask(MAKE_IMAGE);
    await waiting(id, 1);
    setup.clock.advance(10 * 60_000);
    await decline(id);
    expect((await ended(id)).times.decided).toBe(setup.clock.now());
  });

  it('Stop works while no response is being received', async () => {
    const { promise, resolve } = Promise.withResolvers<[]>();
    const { ask, asks, ended, current, embedded, requests } = await openAsks({ listModels: () => promise });
    embedded.faults.add({ do: 'text-calls-tools', times: 30 });
    const id = await ask(FIND_MODELS);
    await expect.poll(() => requests().at(-1)?.responseText).toBeDefined();
    await asks.stop(await current(id));
    resolve([]);
    expect(await ended(id)).toMatchObject({ state: 'cancelled', failure: { cause: 'stopped' } });
    expect(requests()).toHaveLength(1);
  });
});

it('An answer takes at most twelve requests, whatever the model refuses', async () => {
  const { sender, embedded, requests } = await openAsks();
  embedded.faults.add({ do: 'no-tools', times: 30 });
  const answer = { ...EMPTY_ANSWER, requests: 11 };
  const request = { prompt: 'why?', model: 'quill-5' };
  const question = { request, materials: {}, asker: makeTask({ kind: 'ask', request }) };
  await expect(sender.send({ ...question, answer, stop: new AbortController() })).rejects.toThrow('tools');
  expect(requests()).toHaveLength(1);
});

it('A question that is sent again with smaller images continues the count of its requests', async () => {
  const { sender, embedded } = await openAsks();
  embedded.faults.add({ do: 'too-large' });
  const request = { prompt: 'why?', model: 'quill-5' };
  const ask = () => {
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    return sender.send({ request, materials: {}, asker: makeTask({ kind: 'ask', request }), stop });
  };
  await expect(ask()).rejects.toMatchObject({ status: 413 });
  expect((await ask()).draft.requestCount).toBe(2);
  // Another answer to the same question.
  expect((await ask()).draft.requestCount).toBe(1);
});

it('An answer ends if the store fails after the last call was decided', async () => {
  const gather = () => Promise.reject(new StoreError('unreachable', 'The store cannot be reached.'));
  const { ask, ended, waiting, decline, embedded, logged, requests } = await openAsks({ gather });
  embedded.faults.add({ do: 'text-calls-tools', times: 30 });
  const id = await ask(MAKE_IMAGE);
  await waiting(id, 1);
  await decline(id);
  expect(await ended(id)).toMatchObject({ state: 'failed', failure: { cause: 'failed' } });
  expect(requests()).toHaveLength(1);
  expect(logged.join()).toContain('An answer could not be completed.');
});
