import { customIds } from '../../discord/custom-ids.ts';
import type { Say } from '../../locales/index.ts';
import { areShort, finishedTracks, quoted, songTitle, trackLine, versesOf } from '../../messages/album/tracks.ts';
import type { KindView } from '../../messages/kind-view.ts';
import { hasEnded, type Task } from '../../services/tasks/task.ts';
import type { Feature } from '../feature.ts';
import { albumPageButton, songSelect } from './album.ts';
import { follow } from './follow.ts';
import { musicKinds, musicSpecs } from './kinds.ts';
import { make } from './make.ts';
import { text } from './text.ts';

/** A song, whether it was ordered here or is followed. */
const song: KindView<'song' | 'music'> = {
  title: (task, say) => songTitle(task) ?? say('music.untitled'),
  facts: (task, say) => [
    ...(task.kind === 'song' && task.request.instrumental ? [`-# ${say('music.instrumental')}`] : []),
    // What can be heard already stands there before all of it is done.
    ...(hasEnded(task) ? [] : finishedTracks(task).map((track) => trackLine(track, task, say))),
  ],
  result: (task, say) => [...(task.tracks ?? []).map((track) => trackLine(track, task, say)), ...lyricLines(task, say)],
  buttons: () => [],
  /** What is only followed was not ordered here, and is not ordered again here. */
  more({ id, kind }, _offering, say) {
    if (kind !== 'song') return [];
    return [
      { type: 'button', id: customIds.same.id(id), label: say('task.buttons.same'), emoji: '🔁' },
      { type: 'button', id: customIds.edit.id(id), label: say('task.buttons.editPrompt'), emoji: '✏️' },
    ];
  },
};

function lyricLines(task: Task, say: Say): string[] {
  const verses = versesOf(task);
  if (verses.length === 0) return [];
  return areShort(verses) ? quoted(verses) : [`-# ${say('music.inFile')}`];
}

export const music: Feature<typeof text> = {
  command: { name: 'music', subcommands: [make, follow] },
  text,
  buttons: [albumPageButton, songSelect],
  specs: musicSpecs,
  kinds: ({ gateway }) => musicKinds(gateway.music),
  views: { song, music: song },
};
