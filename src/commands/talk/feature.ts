import { customIds } from '../../discord/custom-ids.ts';
import type { HandlerResult } from '../../discord/handlers.ts';
import { mayManageMessages } from '../../discord/interaction-facts.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { KindView } from '../../messages/kind-view.ts';
import { pressedTask, requireKind } from '../../messages/pressed-task.ts';
import { talkMessage } from '../../messages/talk-message.ts';
import { talkSpecs } from '../../services/conversations/talk-session.ts';
import { hasEnded, type Task } from '../../services/tasks/task.ts';
import { type Context, command, type Feature, on } from '../feature.ts';
import { start } from './start.ts';
import { speakOpener, speakSubmit } from './utterances.ts';

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

const talkView: KindView<'talk'> = {
  message: (task, { readsMessages }, say) => talkMessage(task, readsMessages, say),
};

export const talk: Feature = {
  command: { name: 'talk', isForServers: true, subcommands: [start, end] },
  specs: talkSpecs,
  handlers: [endTalkButton, speakOpener, speakSubmit],
  views: { talk: talkView },
};
