import { customIds } from '../../discord/custom-ids.ts';
import type { Filled } from '../../discord/form.ts';
import { type Ask, form, opener } from '../../discord/handlers.ts';
import type { FormPlan } from '../../discord/plan.ts';
import { definedIn } from '../../lib/entries.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { Refusal, throwRefusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import { pressedTask, soon, submitOrder } from '../../messages/pressed-task.ts';
import type { SaidRequest } from '../../services/talks/opening.ts';
import type { GivenPicture } from '../../services/tasks/materials.ts';
import { hasEnded, type Task, type TaskOf } from '../../services/tasks/task.ts';
import { type Hearer, type ReplyParts, replyWithTask } from '../in-threads.ts';
import { saysAnything } from '../options.ts';
import type { Services } from '../services.ts';

const isHeardIn = ({ requesterId, request }: TaskOf<'talk'>, memberId: string): boolean =>
  requesterId === memberId || request.who === 'everyone';

/** The talk, if it is still open and this member may speak in it. */
export function openFor(
  talk: Task,
  { memberId, channelId }: { memberId: string; channelId: string | undefined },
): TaskOf<'talk'> {
  if (talk.kind !== 'talk') throw new Refusal('refusals.unknownButton');
  if (hasEnded(talk)) throw new Refusal('refusals.talkOver');
  if (!isHeardIn(talk, memberId)) throw new Refusal('refusals.talkOnlyOwner');
  // The answer must appear where the talk takes place.
  if (talk.channelId !== channelId) throw new Refusal('refusals.talkElsewhere');
  return talk;
}

type Utterance = Pick<SaidRequest, 'prompt' | 'sound'>;

export function utteranceFrom({ words, sound }: { words: string; sound?: GivenPicture | undefined }) {
  const prompt = saysAnything(words) ? words.trim() : undefined;
  if (prompt === undefined && !sound) return new Refusal('refusals.talkNothing');
  return definedIn({ prompt, sound: sound && { address: sound.address, name: sound.name } });
}

export function saidIn({ id, request: { model, isClosed } }: TaskOf<'talk'>, utterance: Utterance): SaidRequest {
  return { talk: id, model, ...utterance, ...(isClosed && { isClosed }) };
}

/** Lets a member speak in a talk without the bot reading messages. */
export const speakOpener = opener(customIds.speak, async (taskId, ask: Ask<Services>) => {
  const talk = openFor(await soon(pressedTask(taskId, ask), ask), speakerOf(ask));
  return speakForm(customIds.speakFilled.id(talk.id), ask.say);
});

export const spokenForm = form(customIds.speakFilled, {
  // Even from a copy that only one member sees, the utterance goes into the talk.
  answers: 'openly',
  guards: [
    (_place, filled: Filled) => {
      const utterance = utteranceIn(filled);
      return utterance instanceof Refusal ? utterance : undefined;
    },
  ],
  async run(taskId, filled, ask: Ask<Services>) {
    const talk = openFor(await pressedTask(taskId, ask), speakerOf(ask));
    return submitOrder({ kind: 'said', request: saidIn(talk, throwRefusal(utteranceIn(filled))), parent: talk }, ask);
  },
});

const utteranceIn = ({ fields, files }: Filled) => utteranceFrom({ words: fields.words ?? '', sound: files.sound });

const speakerOf = ({ place }: Ask<Services>) => ({ memberId: place.userId, channelId: place.channelId });

function speakForm(id: string, say: Say): FormPlan {
  return {
    id,
    title: say('talk.form.title'),
    fields: [
      { type: 'text', name: 'words', label: say('talk.form.words'), long: true },
      { type: 'file', name: 'sound', label: say('talk.form.sound'), hint: say('talk.form.soundHint') },
    ],
  };
}

/** Recognizes audio by what Discord says about a file; the content is checked before it is sent. */
const SOUND = /^audio\//i;
const SOUND_NAME = /\.(?:ogg|oga|opus|mp3|wav|m4a|aac|flac)$/i;

/** A member who may speak in a talk does so by writing in its thread, or by sending an audio file. */
export function talkInThreads(parts: ReplyParts): Hearer {
  // Utterances are answered in their order, however long it takes to fetch their audio.
  const turns = new KeyedLock();
  const { services } = parts;
  return async (spoken) => {
    const { channelId, memberId, content: words, files } = spoken;
    const talk = services.talks.in(channelId);
    if (!talk || !isHeardIn(talk, memberId)) return undefined;
    const sound = files.find(({ mediaType, name }) => (mediaType ? SOUND.test(mediaType) : SOUND_NAME.test(name)));
    const utterance = utteranceFrom({ words, sound });
    // An image without text is for the people in the thread.
    if (utterance instanceof Refusal) return async () => undefined;
    const submit: Parameters<typeof replyWithTask>[3] = (origin) => {
      const request = saidIn(openFor(talk, { memberId, channelId }), utterance);
      return submitOrder({ kind: 'said', request, parent: talk }, { services, origin });
    };
    return () => turns.run(channelId, () => replyWithTask(spoken, talk.route, parts, submit));
  };
}
