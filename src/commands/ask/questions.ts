import type { Origin } from '../../discord/interaction-facts.ts';
import type { MemberMessage, MessageFile, RepliedMessage } from '../../discord/member-message.ts';
import { withoutUndefined } from '../../lib/entries.ts';
import { SeveralRefusals } from '../../lib/mistakes.ts';
import { PriceRefusal, Refusal } from '../../lib/refusal.ts';
import { hasVisibleText } from '../../lib/text.ts';
import { type Say, sayIn } from '../../locales/index.ts';
import { submitOrder } from '../../messages/pressed-task.ts';
import { type AskRequest, formats } from '../../services/conversations/ask-request.ts';
import { answerOf } from '../../services/conversations/ask-transitions.ts';
import { mayReuseInputs } from '../../services/conversations/conversation.ts';
import type { MemberFile } from '../../services/tasks/materials.ts';
import { hasEnded, isOfKind, type Task, type TaskOf } from '../../services/tasks/task.ts';
import { mayContinue } from '../../services/tasks/task-facts.ts';
import { type ChoiceContext, readChoices } from '../choices.ts';
import type { Services } from '../feature.ts';
import { fileKindOf } from '../file-kinds.ts';
import { chooseModel, usualModel } from '../options.ts';
import { type MessageReader, replyWithTask } from '../reply-with-task.ts';

type QuestionFile = MemberFile & { mediaType?: string | undefined };

/** The schema has been checked. `about`: the message that is quoted, if the answer can link to it. `ignoredFiles`: how many more files a message had. */
type Question = Partial<Omit<AskRequest, 'format' | 'model'>> & {
  prompt: string;
  model?: string | undefined;
  format?: string | undefined;
  image?: MemberFile | undefined;
  file?: QuestionFile | undefined;
};

/** Submits a question. With `previous`, it continues that conversation. */
export async function submitQuestion(
  question: Question,
  previous: Task | undefined,
  context: ChoiceContext & { say: Say },
) {
  const order = await questionOrder(question, previous, context);
  return submitOrder(order, context).catch((error: unknown) => {
    throw withWayOut(error, previous);
  });
}

/** A conversation costs more with every question, so if a limit refuses its price, the refusal says how to start a new one. */
export function withWayOut(error: unknown, previous: Task | undefined): unknown {
  if (!previous || !(error instanceof PriceRefusal)) return error;
  return new SeveralRefusals(error, [new Refusal('refusals.conversationPrice')]);
}

export async function questionOrder(question: Question, previous: Task | undefined, context: ChoiceContext) {
  const { services, origin } = context;
  const choices = await readChoices(context);
  const given = { option: question.model, conversation: previous?.model };
  const model = await chooseModel('text', usualModel('text', given, choices, context), services);
  const { persona } = choices;
  const { guildId } = origin;
  if (persona && services.safety.rules.blocksText({ guildId, kind: 'ask' }, `${persona.name}\n${persona.instructions}`))
    throw new Refusal('refusals.settings.personaRefused');
  const preferred = withoutUndefined({
    personaName: persona?.name,
    persona: persona?.instructions,
    length: choices.pick('length', (set) => set.length),
    tone: choices.pick('tone', (set) => set.tone),
    memberLanguage: choices.memberLanguage,
  });
  const request = { ...requestFrom(question, model, previous, origin), ...preferred, ...choices.fields };
  return { kind: 'ask', request, parent: previous } as const;
}

/** A question with the options of the answer that it continues. A conversation that has ended is not continued. */
export function nextQuestion(question: Question, previous: TaskOf<'ask'>, origin: Origin) {
  // None of an ended conversation is sent again, its instructions included, so the question starts a new one.
  if (answerOf(previous).isForgotten)
    return { question: { ...question, model: previous.model, startsAnew: true }, previous: undefined };
  const { effort, web, schema, format } = previous.request;
  // Like instructions, a schema is not shown in any message.
  const canReuseSchema = schema === undefined || mayReuseInputs(previous, origin);
  return { question: { ...question, effort, web, ...(canReuseSchema && { format, schema }) }, previous };
}

/** Instructions apply to the whole conversation, if they can be shown where it continues; the other options apply to one question, unless the caller repeats them. */
function requestFrom(question: Question, model: string, previous: Task | undefined, origin: Origin): AskRequest {
  const { image, file } = question;
  const inherited = previous && mayReuseInputs(previous, origin) ? previous.request : undefined;
  return {
    prompt: question.prompt.trim(),
    model,
    ...withoutUndefined({
      instructions: question.instructions?.trim() || inherited?.instructions || undefined,
      effort: question.effort?.trim() || undefined,
      format: question.schema === undefined ? formats.find((one) => one === question.format) : 'json',
      schema: question.schema,
      web: question.web || undefined,
      ignoredFiles: question.ignoredFiles || undefined,
      quote: question.quote,
      about: question.about,
      startsAnew: question.startsAnew,
      ...filesRequest(image, file),
      after: previous?.id,
    }),
  };
}

/** Returns the file as an image, audio or a document, depending on its type. */
function filesRequest(image: MemberFile | undefined, file: QuestionFile | undefined) {
  const kind = file && fileKindOf(file);
  const plain = ({ address, name }: MemberFile) => ({ address, name });
  const images = [image, kind === 'image' ? file : undefined].flatMap((one) => (one ? [plain(one)] : []));
  return {
    ...(images.length > 0 && { pictures: images }),
    ...(file && kind === 'audio' && { sound: plain(file) }),
    ...(file && kind !== 'audio' && kind !== 'image' && { documents: [plain(file)] }),
  };
}

/** Like `/ask`, a message passes at most one image and one more file. Further files are ignored. */
export function filesIn(files: readonly MessageFile[]): Pick<Question, 'image' | 'file' | 'ignoredFiles'> {
  const image = files.find((one) => fileKindOf(one) === 'image');
  const file = files.find((one) => one !== image);
  return { image, file, ignoredFiles: files.filter((one) => one !== image && one !== file).length };
}

/** A member who has used `/ask` in a thread can continue the conversation there by posting messages. */
export function questionReader(services: Services): MessageReader {
  return async (message) => {
    const { memberId, guildId, channelId, content, files } = message;
    if (guildId === undefined || !(await services.discord.reads.isThread(channelId))) return undefined;
    const previous = await services.conversations.asks.newestAnswer({ memberId, channelId, isPrivate: false });
    if (!previous) return undefined;
    // A message has no options of its own.
    const { effort, web } = previous.request;
    const question = { prompt: content, ...filesIn(files), effort, web };
    return () =>
      replyWithTask(message, previous, services, (origin) =>
        submitQuestion(question, previous, { services, origin, say: sayIn(origin.language) }),
      );
  };
}

/** What a member reads if their message cannot be a question: a key in `ask.mention`. */
type MessageHint = 'empty' | 'response' | 'unreadable';

/** Why a message to the bot is not a question; undefined if it is one. */
export function hintFor({ content, files, repliedTo }: MemberMessage): MessageHint | undefined {
  const isEmpty = !hasVisibleText(content) && files.length === 0;
  if (!repliedTo || repliedTo.isFromBot) {
    if (!isEmpty) return undefined;
    return repliedTo?.isResponse ? 'response' : 'empty';
  }
  return hasVisibleText(repliedTo.content) || repliedTo.files.length > 0 ? undefined : 'unreadable';
}

/** Reads a message to the bot as a question, and finds the answer that it continues: the one it replies to, or else, like `/ask`, the newest one here. */
export async function questionIn(
  message: MemberMessage,
  { isModerator, origin, services }: { isModerator: boolean; origin: Origin; services: Services },
): Promise<{ question: Question; previous: Task | undefined }> {
  const { content, files, repliedTo, memberId, channelId } = message;
  const continued = repliedTo && (await answerRepliedTo(repliedTo, message, isModerator, services));
  if (continued) return nextQuestion({ prompt: content, ...filesIn(files) }, continued, origin);
  const previous = await services.conversations.asks.newestAnswer({ memberId, channelId, isPrivate: false });
  const quote = repliedTo && quoteOf(repliedTo);
  const question = { prompt: content, quote, ...filesIn([...files, ...(repliedTo?.files ?? [])]) };
  return { question, previous };
}

/** Throws a refusal if the member may not continue the answer. */
async function answerRepliedTo(
  { taskIds }: RepliedMessage,
  { memberId: userId, guildId, channelId, roleIds }: MemberMessage,
  isModerator: boolean,
  { tasks, safety }: Services,
): Promise<TaskOf<'ask'> | undefined> {
  for (const id of taskIds) {
    const task = await tasks.book.get(id);
    if (!task || !isOfKind('ask', task)) continue;
    if (!mayContinue(task, { userId, channelId })) throw new Refusal('refusals.notYours');
    if (!isModerator) safety.rules.assertMayPress({ requesterId: task.requesterId, guildId }, { userId, roleIds });
    if (!hasEnded(task)) throw new Refusal('refusals.answerInProgress');
    return task;
  }
  return undefined;
}

/** The text of a message that a question is about, and the names of its files, which are sent with the question. */
export function quoteOf({ content, files }: Pick<RepliedMessage, 'content' | 'files'>): string {
  const names = files.map(({ name }) => name).join(', ');
  return [content, ...(names === '' ? [] : [`[Files of this message: ${names}]`])].join('\n').trim();
}
