import { customIds } from '../discord/custom-ids.ts';
import { escapeText } from '../discord/markdown.ts';
import { buttonPlan, type MessagePlan } from '../discord/plan.ts';
import type { Say } from '../locales/index.ts';
import { answerOf, answerText } from '../services/conversations/ask-transitions.ts';
import { hasEnded, type Task, type TaskOf } from '../services/tasks/task.ts';
import { promptOf, titleOf } from '../services/tasks/task-facts.ts';
import type { AnswerStyle } from './answer/style.ts';
import { fileNamePrefix } from './file-names.ts';
import { unconfirmedButtons } from './task-buttons.ts';

const MAX_MODEL_LENGTH = 60;
const MAX_VOICE_LENGTH = 60;
const MAX_INSTRUCTIONS_LENGTH = 300;

/** The first message of a talk, which is later edited to say how it ended. `readsMessages`: members can speak by writing in the thread. */
export function talkMessage(task: TaskOf<'talk'>, readsMessages: boolean, say: Say): MessagePlan {
  const { id, requesterId } = task;
  const { model, voice, instructions = '', who } = task.request;
  const owner = `<@${requesterId}>`;
  const shownInstructions = escapeText(instructions, MAX_INSTRUCTIONS_LENGTH);
  const head = [
    say('task.headline', { prompt: say('talk.title'), owner }),
    `-# ${[say('talk.model', { model: escapeText(model, MAX_MODEL_LENGTH) }), ...(voice ? [say('talk.voice', { voice: escapeText(voice, MAX_VOICE_LENGTH) })] : [])].join(' · ')}`,
    ...(shownInstructions === '' ? [] : [`-# ${say('talk.instructions', { instructions: shownInstructions })}`]),
  ];
  if (hasEnded(task)) return { content: [...head, say(`talk.ends.${endOf(task)}`), say('talk.another')].join('\n') };
  const usage = say(readsMessages ? 'talk.how.written' : 'talk.how.pressed');
  return {
    content: [...head, say(`talk.who.${who}`, { owner }), usage].join('\n'),
    controls: [
      buttonPlan(say('talk.buttons.speak'), customIds.speak.id(id), { emoji: '🎙️', style: 'primary' }),
      buttonPlan(say('talk.buttons.end'), customIds.endTalk.id(id), { emoji: '⏹️' }),
    ],
  };
}

/** A new message that says how the talk ended, because Discord does not notify anyone of an edit. */
export const talkNotice = (task: Task, say: Say): MessagePlan => ({
  content: [say(`talk.ends.${endOf(task)}`), say('talk.another')].join('\n'),
});

const endOf = ({ talk }: Task) => talk?.end ?? 'lost';

/** Long enough for members to recognise what they said. */
const MAX_TRANSCRIPT_LENGTH = 200;

export const talkStyle = (
  isInterrupted: (task: Task) => boolean,
  isTalkOver: (task: Task) => boolean,
): AnswerStyle => ({
  title(task, max, say) {
    const text = escapeText(promptOf(task), max);
    return text === '' ? say('talk.voiceMessage') : text;
  },
  facts(task, _link, say) {
    const { heard = '', voice } = answerOf(task);
    const text = escapeText(heard, MAX_TRANSCRIPT_LENGTH);
    return [...(text === '' ? [] : [say('talk.heard', { text })]), ...(voice?.isCut ? [say('talk.voiceCut')] : [])];
  },
  isTalk: true,
  stoppedText: (task, say) => say(isInterrupted(task) ? 'talk.bargedIn' : 'talk.stopped'),
  buttons(task, say) {
    const { id, parentId = '', state } = task;
    if (state === 'unconfirmed') return unconfirmedButtons(task, say);
    if (state === 'submitting') return [];
    if (!hasEnded(task)) return [buttonPlan(say('ask.buttons.stop'), customIds.stop.id(id), { emoji: '⏹️' })];
    const speak = buttonPlan(say('talk.buttons.speak'), customIds.speak.id(parentId), { emoji: '🎙️', style: 'primary' });
    const remove = buttonPlan(say('task.buttons.delete'), customIds.delete.id(id), { emoji: '🗑️' });
    return isTalkOver(task) ? [remove] : [speak, remove];
  },
});

const VOICE_FILE = 'voice-message.ogg';

/** A spoken answer as a voice message, or as a file with a line of text if voice messages are not allowed. */
export function voiceMessage(task: Task, say: Say, { asFile } = { asFile: false }): MessagePlan {
  const { seconds, waveform, sound } = task.answer?.voice ?? { seconds: 0, waveform: '' };
  const name = `${asFile ? fileNamePrefix(task, titleOf(task)) : ''}${VOICE_FILE}`;
  const files = sound === undefined ? [] : [{ name, bytes: Buffer.from(sound, 'base64') }];
  if (!asFile) return { files, voice: { seconds, waveform } };
  return { content: `-# ${say('talk.voiceReply', { duration: Math.max(1, Math.round(seconds)) })}`, files };
}

const MAX_LINE_LENGTH = 120;
/** More turns could not be read at a glance. */
const MAX_TURNS = 5;
const MAX_TURN_LENGTH = 100_000;

/** An utterance and its answer as text. The utterance is shown as it was typed, and as the model understood the audio. */
function turnText(task: Task, max: number, say: Say): string[] {
  const parts = [promptOf(task), answerOf(task).heard ?? ''].filter((text) => text.trim() !== '');
  const question = parts.length === 0 ? say('talk.voiceMessage') : parts.join('\n');
  const answer = escapeText(answerText(task), max);
  return [
    say('talk.memberMessage', { who: `<@${task.requesterId}>`, text: escapeText(question, max) }),
    ...(answer === '' ? [] : [say('talk.reply', { text: answer })]),
  ];
}

export function turnLines(turns: readonly Task[], say: Say): string[] {
  const shownLines = turns.slice(-MAX_TURNS).flatMap((task) => turnText(task, MAX_LINE_LENGTH, say));
  const count = turns.length - MAX_TURNS;
  return [...(count > 0 ? [`-# ${say('talk.earlier', { count })}`] : []), ...shownLines];
}

/** The whole talk as a message; a text that is too long is attached as a file. */
export function transcript({ id, requesterId }: Task, turns: readonly Task[], say: Say): MessagePlan {
  const lines = turns.flatMap((task) => turnText(task, MAX_TURN_LENGTH, say));
  const body = lines.length === 0 ? [say('talk.noMessages')] : lines;
  const head = say('task.headline', { prompt: say('talk.transcript'), owner: `<@${requesterId}>` });
  const remove = buttonPlan(say('task.buttons.delete'), customIds.delete.id(id), { emoji: '🗑️' });
  return { content: [head, ...body].join('\n'), overflow: 'file', controls: [remove] };
}
