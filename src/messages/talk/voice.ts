import type { MessagePlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import type { Task } from '../../services/tasks/task.ts';

const NAME = 'voice-message.ogg';

/** A spoken answer, to be played; as a plain file with a line of text where no voice message may be sent. */
export function voiceMessage(task: Task, say: Say, { asFile } = { asFile: false }): MessagePlan {
  const { seconds, waveform, sound } = task.answer?.voice ?? { seconds: 0, waveform: '' };
  const files = sound === undefined ? [] : [{ name: NAME, bytes: Buffer.from(sound, 'base64') }];
  if (!asFile) return { files, voice: { seconds, waveform } };
  return { content: `-# ${say('talk.spokenAnswer', { seconds: String(Math.max(1, Math.round(seconds))) })}`, files };
}
