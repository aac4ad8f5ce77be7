import { customIds } from '../../discord/custom-ids.ts';
import type { HandlerResult } from '../../discord/handlers.ts';
import { mayManageMessages } from '../../discord/interaction-facts.ts';
import type { FormPlan } from '../../discord/plan.ts';
import { withoutUndefined } from '../../lib/entries.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { hasVisibleText } from '../../lib/text.ts';
import type { KindView } from '../../messages/kind-view.ts';
import { loadForForm, pressedTask, requireKind, submitConfirmed } from '../../messages/pressed-task.ts';
import { talkMessage } from '../../messages/talk-message.ts';
import { talkSpecs, type UtteranceRequest } from '../../services/conversations/talk-session.ts';
import type { MemberFile } from '../../services/tasks/materials.ts';
import { hasEnded, type Task, type TaskOf } from '../../services/tasks/task.ts';
import { type Context, command, type Feature, on, type Services } from '../feature.ts';
import { fileKindOf } from '../file-kinds.ts';
import { type MessageReader, replyWithTask } from '../reply-with-task.ts';
import { start } from './start.ts';

const end = command({
  name: 'end',
  options: {},
  async run(_values, context) {
    const { channelId } = context.facts;
    const task = channelId === undefined ? undefined : context.services.conversations.talks.findInChannel(channelId);
    if (!task) throw new Refusal('refusals.talkNone');
    return endTalk(task, context);
  },
});

/** Ends a talk. This edits the talk's own message, even if the button was pressed on another one. */
const endTalkButton = on(customIds.endTalk, {
  reply: 'new-private',
  run: async (taskId, context) => endTalk(requireKind('talk', await pressedTask(taskId, context)), context),
});

async function endTalk(task: Task, { facts, services, say }: Context): Promise<HandlerResult> {
  if (hasEnded(task)) throw new Refusal('refusals.talkOver');
  const mayEnd = facts.userId === task.requesterId || (mayManageMessages(facts) && facts.channelId === task.channelId);
  if (!mayEnd) throw new Refusal('refusals.talkNotYours');
  // A talk that is still being opened cannot be ended yet.
  if (!hasEnded(await services.conversations.talks.end(task.id, 'ended'))) throw new Refusal('refusals.talkNone');
  // A notice for everyone in the thread says so too.
  return task.traits.hearsEveryone?.(task.request) && facts.channelId === task.channelId
    ? 'deleted'
    : { content: say('talk.over') };
}

const maySpeakIn = ({ requesterId, request }: TaskOf<'talk'>, memberId: string): boolean =>
  requesterId === memberId || request.who === 'everyone';

/** Returns the talk if it is still open and this member can speak in it; otherwise throws a refusal. */
export function requireOpenTalk(
  talk: Task,
  { memberId, channelId }: { memberId: string; channelId: string | undefined },
): TaskOf<'talk'> {
  if (talk.kind !== 'talk') throw new Refusal('refusals.unknownButton');
  if (hasEnded(talk)) throw new Refusal('refusals.talkOver');
  if (!maySpeakIn(talk, memberId)) throw new Refusal('refusals.talkOnlyOwner');
  // The answer must appear where the live conversation takes place.
  if (talk.channelId !== channelId) throw new Refusal('refusals.talkElsewhere');
  return talk;
}

type Utterance = Pick<UtteranceRequest, 'prompt' | 'sound'>;

export function readUtterance(said: { words: string; sound?: MemberFile | undefined }): Utterance | Refusal {
  const { words, sound } = said;
  const prompt = hasVisibleText(words) ? words.trim() : undefined;
  if (prompt === undefined && !sound) return new Refusal('refusals.talkNothing');
  return withoutUndefined({ prompt, sound: sound && { address: sound.address, name: sound.name } });
}

export function utteranceRequest(
  { id, request: { model, isClosed } }: TaskOf<'talk'>,
  utterance: Utterance,
): UtteranceRequest {
  return { talk: id, model, ...utterance, ...(isClosed && { isClosed }) };
}

async function openSpeakForm(taskId: string, context: Context): Promise<FormPlan> {
  const talk = requireOpenTalk(await loadForForm(pressedTask(taskId, context), context), speakerOf(context));
  const { say } = context;
  return {
    id: customIds.speakFilled.id(talk.id),
    title: say('talk.form.title'),
    fields: [
      { type: 'text', name: 'words', label: say('talk.form.message'), isLong: true },
      {
        type: 'file',
        name: 'sound',
        accept: ['audio'],
        label: say('talk.form.audio'),
        hint: say('talk.form.audioHint'),
      },
    ],
  };
}

/** Lets a member speak in a talk even if the bot cannot read messages. */
const speakOpener = on(customIds.speak, { open: openSpeakForm });

const speakSubmit = on(customIds.speakFilled, {
  // Even from a copy that only one member sees, the utterance goes into the talk.
  reply: 'new-public',
  reopen: openSpeakForm,
  parse: ({ fields, files }) => readUtterance({ words: fields.words ?? '', sound: files.sound?.[0] }),
  async run(taskId, context, utterance) {
    const talk = requireOpenTalk(await pressedTask(taskId, context), speakerOf(context));
    // The conversation stays in its language.
    const origin = { ...context.origin, language: talk.language };
    const order = { kind: 'said', request: utteranceRequest(talk, utterance), parent: talk } as const;
    return submitConfirmed(order, { services: context.services, origin });
  },
});

const speakerOf = ({ facts }: Context) => ({ memberId: facts.userId, channelId: facts.channelId });

/** A member who can speak in a talk does so by writing in its thread, or by sending an audio file. */
export function utteranceReader(services: Services): MessageReader {
  // Utterances are answered in the order in which they were sent, however long it takes to fetch their audio.
  const utteranceLock = new KeyedLock();
  return async (message) => {
    const { channelId, memberId, content: words, files } = message;
    const talk = services.conversations.talks.findInChannel(channelId);
    if (!talk || !maySpeakIn(talk, memberId)) return undefined;
    const sound = files.find((file) => fileKindOf(file) === 'audio');
    const utterance = readUtterance({ words, sound });
    const ignoredFiles = files.filter((one) => one !== sound).length;
    // An image without text is meant for the other members in the thread.
    if (utterance instanceof Refusal) return async () => undefined;
    const submit: Parameters<typeof replyWithTask>[3] = (origin) => {
      const request = {
        ...utteranceRequest(requireOpenTalk(talk, { memberId, channelId }), utterance),
        ...(ignoredFiles > 0 && { ignoredFiles }),
      };
      return submitConfirmed({ kind: 'said', request, parent: talk }, { services, origin });
    };
    return () => utteranceLock.run(channelId, () => replyWithTask(message, talk, services, submit));
  };
}

const talkView: KindView<'talk'> = {
  message: (task, { readsMessages }, say) => talkMessage(task, readsMessages, say),
};

export const talk: Feature = {
  command: { name: 'talk', isForServers: true, subcommands: [start, end] },
  specs: talkSpecs,
  handlers: [endTalkButton, speakOpener, speakSubmit],
  views: { talk: talkView },
};
