import { customIds } from '../../discord/custom-ids.ts';
import { asText } from '../../discord/markdown.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import { talkRequest } from '../../services/talks/opening.ts';
import { hasEnded, type Task } from '../../services/tasks/task.ts';

const LONGEST_MODEL = 60;
const LONGEST_VOICE = 60;
const LONGEST_INSTRUCTIONS = 300;

/**
 * The message with which a live conversation begins, and which says how it ended. `hearsMessages`: whoever writes in the thread is heard,
 * without pressing anything.
 */
export function talkMessage(task: Task, hearsMessages: boolean, say: Say): MessagePlan {
  const { id, requesterId } = task;
  const { model, voice, instructions = '', who } = talkRequest.parse(task.request);
  const owner = `<@${requesterId}>`;
  const shown = asText(instructions, LONGEST_INSTRUCTIONS);
  const head = [
    say('task.headline', { prompt: say('talk.title'), owner }),
    `-# ${[say('talk.model', { model: asText(model, LONGEST_MODEL) }), ...(voice ? [say('talk.voice', { voice: asText(voice, LONGEST_VOICE) })] : [])].join(' · ')}`,
    ...(shown === '' ? [] : [`-# ${say('talk.instructions', { instructions: shown })}`]),
  ];
  if (hasEnded(task)) return { content: [...head, say(`talk.ends.${endOf(task)}`), say('talk.another')].join('\n') };
  const how = say(hearsMessages ? 'talk.how.written' : 'talk.how.pressed');
  return {
    content: [...head, say(`talk.who.${who}`, { owner }), how].join('\n'),
    controls: [
      { type: 'button', id: customIds.speak.id(id), label: say('talk.buttons.speak'), emoji: '🎙️', look: 'primary' },
      { type: 'button', id: customIds.endTalk.id(id), label: say('talk.buttons.end'), emoji: '⏹️' },
    ],
  };
}

/** The same as a message of its own, for nobody is told of a change. */
export const talkNotice = (task: Task, say: Say): MessagePlan => ({
  content: [say(`talk.ends.${endOf(task)}`), say('talk.another')].join('\n'),
});

const endOf = ({ talk }: Task) => talk?.end ?? 'lost';
