import type { Origin } from '../../discord/interaction-facts.ts';
import { withoutUndefined } from '../../lib/entries.ts';
import type { Say } from '../../locales/index.ts';
import { submitOrder } from '../../messages/pressed-task.ts';
import { type AskRequest, formats } from '../../services/conversations/ask-request.ts';
import { mayReuseInputs } from '../../services/conversations/conversation.ts';
import type { MemberFile } from '../../services/tasks/materials.ts';
import type { Task } from '../../services/tasks/task.ts';
import type { Services } from '../feature.ts';
import { fileKindOf } from '../file-kinds.ts';
import { chooseModel } from '../options.ts';
import { replyWithTask, type ThreadMessageReader } from '../thread-messages.ts';

interface QuestionFile extends MemberFile {
  mediaType?: string | undefined;
}

interface Question {
  prompt: string;
  model?: string | undefined;
  image?: MemberFile | undefined;
  file?: QuestionFile | undefined;
  instructions?: string | undefined;
  effort?: string | undefined;
  format?: string | undefined;
  /** A JSON Schema that has been checked. */
  schema?: string | undefined;
  web?: boolean | undefined;
  /** The number of files that a message had beyond these. */
  ignoredFiles?: number;
}

/** Submits a question. With `previous`, it continues that conversation. */
export async function submitQuestion(
  question: Question,
  previous: Task | undefined,
  { services, origin, say }: { services: Services; origin: Origin; say: Say },
) {
  const model = await chooseModel('text', question.model ?? previous?.model, services);
  const request = requestFrom(question, model, previous, origin);
  return submitOrder({ kind: 'ask', request, parent: previous }, { services, origin, say });
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
      ...filesRequest(image, file),
      after: previous?.id,
    }),
  };
}

/** Returns the file as an image, audio or a document, depending on its type. */
function filesRequest(
  image: MemberFile | undefined,
  file: QuestionFile | undefined,
): Partial<Pick<AskRequest, 'pictures' | 'sound' | 'documents'>> {
  const kind = file && fileKindOf(file);
  const plain = ({ address, name }: MemberFile) => ({ address, name });
  const images = [image, kind === 'image' ? file : undefined].flatMap((one) => (one ? [plain(one)] : []));
  return {
    ...(images.length > 0 && { pictures: images }),
    ...(file && kind === 'audio' && { sound: plain(file) }),
    ...(file && kind !== 'audio' && kind !== 'image' && { documents: [plain(file)] }),
  };
}

/** A member who has used `/ask` in a thread can continue the conversation there by posting messages. */
export function questionReader(services: Services): ThreadMessageReader {
  return async (message) => {
    const { memberId, channelId, content, files } = message;
    if (!(await services.discord.reads.isThread(channelId))) return undefined;
    const previous = await services.conversations.asks.newestAnswer({ memberId, channelId, isPrivate: false });
    if (!previous) return undefined;
    // Like `/ask`, a message passes at most one image and one more file.
    const image = files.find((one) => fileKindOf(one) === 'image');
    const file = files.find((one) => one !== image);
    // A message has no options of its own.
    const { effort, web } = previous.request;
    const ignoredFiles = files.filter((one) => one !== image && one !== file).length;
    const question = { prompt: content, image, file, effort, web, ignoredFiles };
    return () =>
      replyWithTask(message, previous, services, (origin) =>
        submitQuestion(question, previous, { services, origin, say: services.say }),
      );
  };
}
