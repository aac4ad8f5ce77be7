import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import { ofKind, pressedTask } from '../../messages/buttons/pressed-task.ts';
import { turnedTo } from '../../services/tasks/delivery-state.ts';
import { mayGoOn } from '../../services/tasks/follow-ups.ts';
import type { Services } from '../services.ts';

/** Turns the pages of an album. Whoever sees the message turns it for everybody: it is one message. */
export const albumPageButton = button(customIds.albumPage, {
  answers: 'here',
  async run({ taskId, place }, ask: Ask<Services>) {
    const { id } = ofKind('album', await pressedTask(taskId, ask));
    const turned = await ask.services.tasks.book.change(id, (album) => turnedTo(album, place));
    return ask.services.brought(turned, ask.place);
  },
});

/** Brings the tracks of one of its songs, or how it stands now, in a message of its own. */
export const songSelect = button(customIds.albumSong, {
  answers: 'beside',
  async run(taskId, ask: Ask<Services>, [chosen]) {
    const album = ofKind('album', await pressedTask(taskId, ask));
    const part = album.request.parts.find(({ id }) => id === chosen);
    if (!part) throw new Refusal('refusals.unknownButton');
    const task = await ask.services.tasks.book.get(part.id);
    if (!task) throw new Refusal('refusals.unknownTask');
    if (!mayGoOn(task, ask.place.userId)) throw new Refusal('refusals.notYours');
    ask.services.tasks.lookedAt(task);
    return ask.services.brought(task, ask.place);
  },
});
