import { type Ask, command } from '../../discord/handlers.ts';
import { mayManageMessages } from '../../discord/place.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import { hasEnded, type Task } from '../../services/tasks/task.ts';
import type { Services } from '../services.ts';

/** Ends the conversation of this thread. */
export const end = command({
  name: 'end',
  isPrivate: true,
  options: {},
  async run(_values, ask: Ask<Services>) {
    const { channelId } = ask.place;
    const task = channelId === undefined ? undefined : ask.services.talks.in(channelId);
    if (!task) throw new Refusal('refusals.talkNone');
    return ended(task, ask);
  },
});

export async function ended(task: Task, { place, services, say }: Ask<Services>): Promise<MessagePlan> {
  if (hasEnded(task)) throw new Refusal('refusals.talkOver');
  const maySay = place.userId === task.requesterId || (mayManageMessages(place) && place.channelId === task.channelId);
  if (!maySay) throw new Refusal('refusals.talkNotYours');
  // One that is just being opened has not begun.
  if (!hasEnded(await services.talks.end(task.id, 'ended'))) throw new Refusal('refusals.talkNone');
  return { content: say('talk.over') };
}
