import { customIds } from '../../discord/custom-ids.ts';
import { asText } from '../../discord/markdown.ts';
import type { ButtonPlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import { answerOf } from '../../services/asks/transitions.ts';
import { promptOf } from '../../services/tasks/follow-ups.ts';
import { hasEnded, type Task } from '../../services/tasks/task.ts';
import { button, undecidedButtons } from '../answer/buttons.ts';
import { type Manner, reasonOf } from '../answer/manner.ts';

/** Enough to recognise what one has said oneself. */
const LONGEST_HEARD = 200;

/** Something said in a live conversation, and its answer. */
export const saidManner = (isSpokenOver: (task: Task) => boolean): Manner => ({
  title(task, most, say) {
    const words = asText(promptOf(task), most);
    return words === '' ? say('talk.spoken') : words;
  },
  facts(task, _link, say) {
    const { heard = '', voice } = answerOf(task);
    const words = asText(heard, LONGEST_HEARD);
    return [...(words === '' ? [] : [say('talk.heard', { words })]), ...(voice?.isCut ? [say('talk.voiceCut')] : [])];
  },
  failed(task, say) {
    const reason = reasonOf(task);
    switch (task.failure?.cause) {
      case 'stopped':
        return say(isSpokenOver(task) ? 'talk.spokenOver' : 'talk.broken');
      case 'interrupted':
        return say('talk.interrupted');
      case 'cut':
        return say('talk.cut');
      case 'dismissed':
        return say('task.dismissed');
      default:
        return reason === '' ? say('talk.failedSilently') : say('talk.failed', { reason });
    }
  },
  incomplete: (reason, say) => (reason === '' ? say('talk.incomplete') : say('talk.incompleteBecause', { reason })),
  buttons: saidButtons,
});

function saidButtons(task: Task, say: Say): ButtonPlan[] {
  const { id, state, request } = task;
  if (state === 'unconfirmed') return undecidedButtons(task, say);
  if (state === 'submitting') return [];
  if (!hasEnded(task)) return [button(say('ask.buttons.stop'), customIds.stop.id(id), { emoji: '⏹️' })];
  return [
    button(say('talk.buttons.speak'), customIds.speak.id(String(request.talk)), { emoji: '🎙️', look: 'primary' }),
    button(say('task.buttons.delete'), customIds.delete.id(id), { emoji: '🗑️' }),
  ];
}
