import { customIds } from '../../discord/custom-ids.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import {
  areLyricsInline,
  finishedTracks,
  quoteLines,
  songTitle,
  trackLine,
  versesOf,
} from '../../messages/album/lines.ts';
import type { KindView } from '../../messages/kind-view.ts';
import { pressedTask, requireKind } from '../../messages/pressed-task.ts';
import { againButtons } from '../../messages/task-buttons.ts';
import { turnPage } from '../../services/tasks/delivery-state.ts';
import { hasEnded, type Task } from '../../services/tasks/task.ts';
import { mayContinue } from '../../services/tasks/task-facts.ts';
import { type Feature, on } from '../feature.ts';
import { follow } from './follow.ts';
import { musicKinds, musicSpecs } from './kinds.ts';
import { make } from './make.ts';

/** The view of a song, whether the bot generated it or only follows it. */
const songView: KindView<'song' | 'music'> = {
  title: (task, say) => songTitle(task) ?? say('music.untitled'),
  facts: (task, say) => [
    ...(task.kind === 'song' && task.request.instrumental ? [`-# ${say('music.instrumental')}`] : []),
    // Finished tracks are shown before the whole song is done.
    ...(hasEnded(task) ? [] : finishedTracks(task).map((track) => trackLine(track, task, say))),
  ],
  result: (task, say) => [...(task.tracks ?? []).map((track) => trackLine(track, task, say)), ...lyricLines(task, say)],
  buttons: () => [],
  /** Followed songs were not submitted by the bot, so they cannot be run again. */
  moreButtons: ({ id, kind }, _offering, say) => (kind === 'song' ? againButtons(id, say) : []),
};

function lyricLines(task: Task, say: Say): string[] {
  const verses = versesOf(task);
  if (verses.length === 0) return [];
  return areLyricsInline(verses) ? quoteLines(verses) : [`-# ${say('music.lyricsInFile')}`];
}

/** Turns the pages of an album. It is one message, so the page changes for everyone. */
const albumPageButton = on(customIds.albumPage, {
  reply: 'here',
  async run({ taskId, index }, context) {
    const { id } = requireKind('album', await pressedTask(taskId, context));
    const updatedAlbum = await context.services.tasks.book.change(id, (album) => turnPage(album, index));
    return context.services.messages.prepareAgain(updatedAlbum, context.origin);
  },
});

/** Shows one song of an album, with its tracks or its state, in a new message. */
const songSelect = on(customIds.albumSong, {
  reply: 'new-message',
  async run(taskId, context, { selectedValues: [chosenId] }) {
    const album = requireKind('album', await pressedTask(taskId, context));
    const part = album.request.parts.find(({ id }) => id === chosenId);
    if (!part) throw new Refusal('refusals.unknownButton');
    const task = await context.services.tasks.book.get(part.id);
    if (!task) throw new Refusal('refusals.unknownTask');
    if (!mayContinue(task, context.facts)) throw new Refusal('refusals.notYours');
    context.services.tasks.recordView(task);
    return context.services.messages.prepareAgain(task, context.origin);
  },
});

export const music: Feature = {
  command: { name: 'music', subcommands: [make, follow] },
  handlers: [albumPageButton, songSelect],
  specs: musicSpecs,
  kinds: musicKinds,
  // `music` is a song that is only followed. The messages of albums are made in `messages/album/`.
  views: { song: songView, music: songView },
};
