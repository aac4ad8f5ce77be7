import { type TalkPlace, talkPlaceFor } from '../../discord/guards.ts';
import { Refusal } from '../../lib/refusal.ts';
import { audiences, type TalkRequest } from '../../services/conversations/talk-session.ts';
import { talkOf } from '../../services/conversations/talk-transitions.ts';
import { GatewayError } from '../../services/gateway/errors.ts';
import type { TaskBook } from '../../services/orders/book.ts';
import { setMessage } from '../../services/tasks/delivery-state.ts';
import { hasEnded, type MessagePlace, type Task } from '../../services/tasks/task.ts';
import { readChoices } from '../choices.ts';
import { type Context, command, type Services } from '../feature.ts';
import { chooseModel, modelOption, suggestionsFrom, suggestModels, usualModel } from '../options.ts';

const MAX_INSTRUCTIONS_LENGTH = 2_000;
const MAX_VOICE_LENGTH = 60;
const MAX_SUGGESTED_MODELS = 5;

/** The voices of current models; any other name is accepted too. */
const VOICES = ['alloy', 'ash', 'ballad', 'cedar', 'coral', 'echo', 'marin', 'sage', 'shimmer', 'verse'];

export const start = command({
  name: 'start',
  isPrivate: ({ who = 'me' }) => who === 'me',
  options: {
    model: modelOption,
    voice: { type: 'text', hasSuggestions: true, max: MAX_VOICE_LENGTH },
    instructions: { type: 'text', max: MAX_INSTRUCTIONS_LENGTH },
    who: { type: 'text', choices: audiences },
  },
  parse({ who = 'me', ...values }, facts) {
    const talkPlace = talkPlaceFor(facts, who);
    return talkPlace instanceof Refusal ? talkPlace : { ...values, who, where: talkPlace };
  },
  async suggest(option, input, context) {
    if (option === 'model') return suggestModels('voice', input, context);
    return suggestionsFrom(VOICES, input.trim());
  },
  async run({ model: modelInput, voice = '', instructions = '', who, where: talkPlace }, context: Context) {
    const { services, say } = context;
    services.discord.rateLimiter.assertAllowed('talk', context.facts);
    if (services.conversations.talks.findInChannel(talkPlace.channelId)) throw new Refusal('refusals.talkHere');
    const choices = await readChoices(context);
    const chosenModel = usualModel('voice', { option: modelInput }, choices, context);
    const request: TalkRequest = {
      model: await chooseModel('voice', chosenModel, services),
      ...choices.fields,
      who,
      ...(voice.trim() !== '' && { voice: voice.trim() }),
      ...(instructions.trim() !== '' && { instructions: instructions.trim() }),
      ...(talkPlace.isPrivate && { isClosed: true }),
      ...(choices.memberLanguage && { memberLanguage: choices.memberLanguage }),
    };
    const { channelId } = await placeTalk(await openTalk(request, talkPlace, context), talkPlace, context);
    if (talkPlace.type === 'this-thread') return { content: say('talk.startedHere') };
    const isVisibleToOthers = request.who === 'me' && !talkPlace.isPrivate;
    return {
      content: [
        say('talk.started', { channel: `<#${channelId}>` }),
        ...(isVisibleToOthers ? [say('talk.isReadable')] : []),
      ].join('\n'),
    };
  },
});

/** The talk's message is the bot's own and not an interaction's response, so it needs no token. */
async function openTalk(request: TalkRequest, talkPlace: TalkPlace, { origin, services }: Context): Promise<Task> {
  // Nothing is opened if the first message would be refused.
  services.tasks.orders.check({ ...origin, kind: 'said', request: { talk: '', model: request.model } });
  const { requesterId, guildId, route, language } = origin;
  const { token: _, ...routeWithoutToken } = route;
  const channelId = talkPlace.type === 'this-thread' ? talkPlace.channelId : undefined;
  const publicRoute = { ...routeWithoutToken, isPrivate: false, mayPost: true };
  const order = { requesterId, guildId, channelId, language, route: publicRoute };
  try {
    const task = await services.tasks.orders.submit({ ...order, kind: 'talk', request });
    if (!hasEnded(task)) return task;
    // The outcome is unknown, but an open session costs nothing until someone speaks.
    await services.tasks.orders.dismiss(task.id, requesterId);
  } catch (error) {
    throw error instanceof GatewayError && isAboutModel(error) ? await unsuitableModel(request.model, services) : error;
  }
  throw new Refusal('refusals.talkNotOpened');
}

/** The gateway refuses the upgrade with status 400 if the model does not support realtime (specification, part 7). If it refuses a setting, the error names that. */
const isAboutModel = ({ status, param = 'model' }: GatewayError): boolean => status === 400 && param === 'model';

async function unsuitableModel(model: string, { models }: Services): Promise<Refusal> {
  const voiceModels = (await models.listQuickly()).filter(({ kind, id }) => kind === 'voice' && id !== model);
  const suggestions = voiceModels.slice(0, MAX_SUGGESTED_MODELS).map(({ id }) => id);
  return suggestions.length === 0
    ? new Refusal('refusals.talkNoRealtime', { model })
    : new Refusal('refusals.talkNoRealtimeNear', { model, near: suggestions });
}

/** Talks without a thread, left over from a bot that stopped while it was opening them. */
export const talksWithoutThread = (book: TaskBook): string[] =>
  book.live(({ kind, message, state }) => kind === 'talk' && !message && state !== 'submitting').map(({ id }) => id);

/** Creates the talk's thread and its first message. If either fails, the talk is ended. */
async function placeTalk(task: Task, talkPlace: TalkPlace, context: Context): Promise<MessagePlace> {
  const { tasks } = context.services;
  const { outbox } = context.services.discord;
  const { talks } = context.services.conversations;
  const { messageOf } = context.services.messages;
  const { threads } = outbox;
  let threadId: string | undefined;
  try {
    // If two live conversations were started in this thread at the same time, only the first one stays.
    if (talkPlace.type === 'this-thread' && talks.findInChannel(talkPlace.channelId)?.id !== task.id)
      throw new Refusal('refusals.talkHere');
    if (talkPlace.type === 'new-thread') {
      const name = context.say('talk.threadName', { model: task.model ?? '' });
      threadId = await threads.create({ ...talkPlace, name, memberId: task.requesterId });
    }
    const message = await threads.postFirstMessage(threadId ?? talkPlace.channelId, `${task.id}-open`, messageOf(task));
    const isNamed = task.kind === 'talk' && task.request.who === 'everyone' && threadId !== undefined;
    await tasks.book.change(task.id, (current) => ({
      ...setMessage(current, message),
      channelId: message.channelId,
      ...(isNamed && { talk: { ...talkOf(current), namedBy: '' } }),
    }));
    return message;
  } catch (error) {
    await talks.end(task.id, 'lost');
    if (threadId !== undefined) await threads.archive(threadId);
    throw error;
  }
}
