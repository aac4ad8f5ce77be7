import { customIds } from '../discord/custom-ids.ts';
import { mayOpenThread, requirePostPermissions } from '../discord/guards.ts';
import type { HandlerResult } from '../discord/handlers.ts';
import { listText } from '../lib/formats.ts';
import { Refusal, throwIfRefusal } from '../lib/refusal.ts';
import { sayIn } from '../locales/index.ts';
import { mayBeRetried } from '../services/orders/batches.ts';
import type { Proposal } from '../services/orders/proposals.ts';
import { addExtraMessage, markCollected } from '../services/tasks/delivery-state.ts';
import { isLive, type Task } from '../services/tasks/task.ts';
import { mayContinue, titleOf } from '../services/tasks/task-facts.ts';
import { confirmationReason } from './money.ts';
import { refusalLines } from './prepare-batch.ts';
import { type MessageHandlerContext, onPress, ownTask, pressedTask, propose, requireKind } from './pressed-task.ts';
import { proposalQuestion } from './proposal.ts';

/** Stores a batch once its message is posted. The proposal is removed afterwards, so a crash in between loses nothing; both have the same id. */
export async function runBatch({ id, memberId }: Proposal, context: MessageHandlerContext): Promise<HandlerResult> {
  const { services, facts, say } = context;
  const { proposals, batches, book } = services.tasks;
  const stored = await proposals.runOnce(id, memberId, async (proposal) => {
    const { orders, messages, batch } = proposal;
    if (await book.get(id)) return 'before';
    if (batch?.retries) await batches.requireNotRetried(batch.retries);
    const isPrivate = messages === 'private';
    throwIfRefusal(requirePostPermissions(facts, { private: isPrivate }));
    for (const order of orders) services.tasks.orders.check({ ...context.origin, ...order });
    let isStored = false;
    await context.postAnother(
      (sayThere) => ({ content: sayThere('task.submitting') }),
      async (origin) => {
        const name = sayIn(origin.language)('batch.threadName', { count: orders.length });
        const mayOpen = !isPrivate && origin.message !== undefined && mayOpenThread(facts);
        const threadId =
          mayOpen && origin.message ? await services.discord.outbox.threads.startOn(origin.message, name) : undefined;
        await batches.create({ id, origin, orders, ...batch, threadId });
        isStored = true;
      },
      { isPrivate },
    );
    return isStored && 'now';
  });
  if (stored === 'before') throw new Refusal('refusals.questionGone');
  if (stored) return { content: say('batch.submitted'), controls: [] };
  const proposal = await proposals.find(id, memberId);
  return proposalQuestion(proposal, { reason: say('proposal.notSubmitted'), outlook: services.tasks.outlook }, say);
}

const showPromptsButton = onPress(customIds.showPrompts, {
  reply: 'new-private',
  async run(id, { services, facts, say }) {
    const { orders } = await services.tasks.proposals.find(id, facts.userId);
    const prompts = orders.map(({ request }, index) => `${index + 1}. ${request.prompt ?? ''}\n`);
    return {
      content: say('batch.prompts', { count: orders.length }),
      files: [{ name: 'prompts.txt', bytes: Buffer.from(prompts.join('\n')) }],
    };
  },
});

const cancelRestButton = onPress(customIds.cancelRest, {
  reply: 'here',
  async run(id, context) {
    const batch = requireKind('batch', await ownTask(id, context));
    const canceled = await context.services.tasks.batches.cancelRest(batch.id, context.facts.userId);
    return context.services.messages.prepareAgain(canceled, context.origin);
  },
});

/** Asks the member to confirm the definite failures again, as a batch of its own. */
const retryFailedButton = onPress(customIds.retryFailed, {
  reply: 'new-private',
  async run(id, context, { message }) {
    const batch = requireKind('batch', await ownTask(id, context));
    const failed = (await context.services.tasks.batches.entriesOf(batch)).filter(mayBeRetried);
    if (failed.length === 0) throw new Refusal('refusals.alreadyRetried');
    const question = context.say('batch.retry', { count: failed.length });
    const reason = [question, ...refusalLines(failed, context.say)].join('\n');
    const messages = batch.route.isPrivate || message.isPrivate ? 'private' : 'public';
    const orders = failed.map(({ order }) => order);
    const prompts = new Set(orders.map(({ request: { typed, prompt = '' } }) => typed ?? prompt));
    const typed = titleOf(batch) && listText([...prompts], context.say);
    const retries = { batchId: batch.id, childIds: failed.map((one) => one.id) };
    return propose(orders, { reason }, context, messages, { typed, retries });
  },
});

const taskSelect = onPress(customIds.batchTask, {
  reply: 'new-message',
  async run(id, context, { selectedValues: [chosenId = ''] }) {
    const { services, facts, origin } = context;
    const batch = requireKind('batch', await pressedTask(id, context));
    if (!batch.request.children.some((one) => one.id === chosenId)) throw new Refusal('refusals.unknownButton');
    const task = await services.tasks.book.get(chosenId);
    if (!task) throw new Refusal('refusals.unknownTask');
    if (!mayContinue(task, facts)) throw new Refusal('refusals.notYours');
    services.tasks.recordView(task);
    const shown = origin.route.isPrivate ? task : await services.messages.judgeAgain(task, facts);
    const prepared = await services.messages.prepareAgain(shown, origin);
    return {
      ...prepared,
      async onPosted(message) {
        const copy = message && !origin.route.isPrivate ? { ...message, guildId: facts.guildId } : undefined;
        const withCopy = (known: Task): Task => (copy ? addExtraMessage(known, copy) : known);
        await services.tasks.book.change(task.id, (known) => withCopy(isLive(known) ? known : markCollected(known)));
      },
    };
  },
});

/** Sends the braces as they are: takes the proposal, and asks again in its place if the single order has a price to confirm. */
export async function takeAsTyped(id: string, { services, facts, say }: MessageHandlerContext) {
  const { proposals, outlook } = services.tasks;
  const asked = await proposals.find(id, facts.userId);
  if (!asked.batch?.asTyped) throw new Refusal('refusals.unknownButton');
  if (proposals.hasExpired(asked)) throw new Refusal('refusals.questionExpired');
  const { batch: _, ...proposal } = await proposals.take(id, facts.userId);
  const single = { ...proposal, orders: [asked.batch.asTyped] };
  const limit = proposals.limitExceededBy(asked.batch.asTyped, facts.guildId);
  if (limit === undefined) return { single };
  const reason = confirmationReason(limit, say);
  return { question: proposalQuestion(await proposals.create(single, id), { reason, outlook }, say) };
}

export const batchButtons = [showPromptsButton, cancelRestButton, retryFailedButton, taskSelect];
