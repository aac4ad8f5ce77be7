import type { Services } from '../commands/services.ts';
import { customId } from '../discord/custom-id.ts';
import type { Ask, Button } from '../discord/handlers.ts';
import { Refusal } from '../lib/refusal.ts';
import { mayGoOn } from '../services/tasks/follow-ups.ts';
import { partsOf } from '../services/tasks/kinds/music.ts';
import type { Task } from '../services/tasks/task.ts';
import { turnedTo } from '../services/tasks/transitions.ts';
import type { AlbumControls } from '../views/kinds/album.ts';
import { pressedTask } from './pressed-task.ts';

const PAGE = { verb: 'album', version: 1 } as const;
const SONG = { verb: 'song', version: 1 } as const;

export const albumIds: Pick<AlbumControls, 'pageId' | 'chooseId'> = {
  // Where there is no page before the first one, its button is there all the same, and cannot be pressed.
  pageId: (albumId, page) => customId(PAGE.verb, PAGE.version, albumId, String(page)),
  chooseId: (albumId) => customId(SONG.verb, SONG.version, albumId),
};

/** Turns the pages of an album. Whoever sees the message turns it for everybody: it is one message. */
export const albumPageButton: Button<Services> = {
  ...PAGE,
  answers: 'here',
  async run({ args }, ask) {
    const { id } = await pressedAlbum(args, ask);
    const page = args[1] ?? '';
    if (!/^\d{1,2}$/.test(page)) throw new Refusal('refusals.unknownButton');
    const turned = await ask.services.tasks.change(id, (album) => turnedTo(album, Number(page)));
    return ask.services.brought(turned, ask.place);
  },
};

/** Brings the tracks of one of its songs, or how it stands now, in a message of its own. */
export const songSelect: Button<Services> = {
  ...SONG,
  answers: 'beside',
  async run({ args, chosen: [chosen] }, ask) {
    const album = await pressedAlbum(args, ask);
    const part = partsOf(album.request).find(({ id }) => id === chosen);
    if (!part) throw new Refusal('refusals.unknownButton');
    const task = await ask.services.tasks.get(part.id);
    if (!task) throw new Refusal('refusals.unknownTask');
    if (!mayGoOn(task, ask.place.userId)) throw new Refusal('refusals.notYours');
    ask.services.tasks.lookedAt(task);
    return ask.services.brought(task, ask.place);
  },
};

/** Ids can be forged: another kind of task has no pages and no songs. */
async function pressedAlbum(args: readonly string[], ask: Ask<Services>): Promise<Task> {
  const task = await pressedTask(args, ask);
  if (task.kind !== 'album') throw new Refusal('refusals.unknownButton');
  return task;
}
