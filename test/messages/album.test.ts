import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyOf } from '../../src/discord/message-body.ts';
import { say } from '../../src/locales/index.ts';
import { type AlbumEntry, albumLayout, albumMessage } from '../../src/messages/album/message.ts';
import { NOTHING_SHOWN, taskMessage } from '../../src/messages/task-message.ts';
import type { StoredTrack, Task } from '../../src/services/tasks/task.ts';
import { buildTask, minute, start } from '../services/orders/builders.ts';
import { context } from './context.ts';

const track = (title: string, changes: Partial<StoredTrack> = {}): StoredTrack => ({
  state: 'finished',
  title,
  audio: `https://g.example/${encodeURIComponent(title)}.mp3`,
  cover: `https://g.example/${encodeURIComponent(title)}.png`,
  style: 'folk',
  seconds: 125,
  lyrics: 'la la',
  ...changes,
});

const albumEntry = (index: number, changes: Partial<Task> = {}): AlbumEntry => ({
  remoteId: `remote-${index}`,
  task: buildTask({ id: `part-${index}`, kind: 'music', request: {}, remoteId: `remote-${index}`, ...changes }),
});

const deliveredEntry = (index: number, ...tracks: StoredTrack[]): AlbumEntry =>
  albumEntry(index, { state: 'delivered', tracks });

const album = (changes: Partial<Task> = {}): Task =>
  buildTask({ kind: 'album', state: 'accepted', request: { parts: [] }, ...changes });

const render = (task: Task, entries: readonly AlbumEntry[]) =>
  albumMessage(task, albumLayout(task, entries, say), { files: [], notes: [] }, say);

describe('The message of an album', () => {
  it.each(['\u200b\u2060', '\u3164', '\u2800', '\u001c', ' \u00ad\ufe0f'])(
    'A song whose title is invisible is named after its prompt in the menu of an album (%j)',
    (title) => {
      const songs = Array.from({ length: 6 }, (_, index) =>
        deliveredEntry(index, track(title), track(title, { audio: 'https://g.example/b.mp3' })),
      );
      const named = songs.map((one, index) =>
        one.task ? { ...one, task: { ...one.task, request: { prompt: `song ${index}` } } as Task } : one,
      );
      const { body } = bodyOf(render(album(), named));
      expect(JSON.stringify(body.components)).toContain('"label":"song 3"');
      expect(body.content).toContain('**song 3**');
      expect(JSON.stringify(bodyOf(render(album(), songs)).body.components)).toContain('"label":"remote-3"');
    },
  );

  it('The message of an album shows the status of each song', () => {
    const entries = [
      deliveredEntry(1, track('Light'), track('Light', { seconds: 61 })),
      albumEntry(2, { state: 'queued' }),
      albumEntry(3, {
        state: 'running',
        tracks: [track('Harbour', { lyrics: '' }), track('Harbour', { state: 'running', audio: undefined })],
      }),
      albumEntry(4, { state: 'failed', failure: { cause: 'failed', reason: 'too *loud*' } }),
      albumEntry(5, { state: 'failed', failure: { cause: 'forgotten' } }),
      albumEntry(6, { state: 'accepted', unknown: { answers: 3, since: start } }),
      albumEntry(7, { state: 'delivered', text: 'only words' }),
      { remoteId: 'remote-8', task: undefined },
    ];
    expect(render(album(), entries)).toMatchSnapshot();
    expect(
      render(album({ times: { created: start, overdue: start + minute } }), entries.slice(0, 2)).content,
    ).toMatchSnapshot();
  });

  it('The message of an album shows all songs together if they fit, and otherwise has pages', () => {
    const songs = (count: number) =>
      Array.from({ length: count }, (_, index) => deliveredEntry(index, track(`A${index}`), track(`B${index}`)));
    expect(albumLayout(album(), songs(5), say).mode).toBe('together');
    expect(albumLayout(album(), songs(6), say).mode).toBe('pages');
    // Before the number of tracks is known, two are assumed for each song.
    expect(
      albumLayout(
        album(),
        [1, 2, 3, 4, 5].map((index) => albumEntry(index)),
        say,
      ).mode,
    ).toBe('together');
    expect(
      albumLayout(
        album(),
        [1, 2, 3, 4, 5, 6].map((index) => albumEntry(index)),
        say,
      ).mode,
    ).toBe('pages');
    // A failed song needs no space; long lyrics need the space of one file.
    expect(
      albumLayout(album(), [...songs(5), albumEntry(9, { state: 'failed', failure: { cause: 'failed' } })], say).mode,
    ).toBe('together');
    const withLongLyrics = deliveredEntry(9, track('C', { lyrics: 'la '.repeat(500) }), track('D'));
    expect(albumLayout(album(), [...songs(4), withLongLyrics], say).mode).toBe('pages');
    expect(albumLayout(album(), [...songs(3), withLongLyrics], say)).toMatchObject({ mode: 'together', coverCount: 1 });
  });

  it('The message of an album links to the covers that cannot be attached', () => {
    const content = render(
      album(),
      [1, 2, 3].map((index) => deliveredEntry(index, track(`A${index}`), track(`B${index}`))),
    ).content;
    expect(content).toContain('-# Cover: [A3](<https://g.example/A3.png>) · [B3](<https://g.example/B3.png>)');
    expect(content).not.toContain('[B2]');
  });

  it('The message of an album that has pages shows the chosen page, with a select menu of its songs', () => {
    const entries = Array.from({ length: 300 }, (_, index) => deliveredEntry(index, track(`Song ${index + 1}`)));
    expect(render(album({ state: 'delivered', page: 1 }), entries)).toMatchSnapshot();
    expect(render(album({ page: 99 }), entries).content).toContain('Page 20 of 20');
  });

  it('Discord accepts the message of an album for any song names', () => {
    const title = fc.string({ unit: 'grapheme', maxLength: 250 });
    const state = fc.constantFrom('delivered', 'running', 'failed');
    fc.assert(
      fc.property(fc.array(fc.tuple(title, state), { minLength: 1, maxLength: 40 }), (songs) => {
        const entries = songs.map(([name, songState], index) =>
          albumEntry(index, {
            state: songState,
            tracks: [track(name, { lyrics: name, style: name })],
            ...(songState === 'failed' && { failure: { cause: 'failed', reason: name } }),
          }),
        );
        const plan = render(album(), entries);
        if (entries.length > 1) expect(plan.content?.length).toBeLessThanOrEqual(2_000);
        expect(bodyOf(plan).body.content?.length).toBeLessThanOrEqual(2_000);
      }),
    );
  });
});

describe('The message of a song', () => {
  it('The message of a song shows its tracks and short lyrics', () => {
    const task = buildTask({
      kind: 'song',
      state: 'ready',
      request: { prompt: 'a storm', instrumental: true },
      tracks: [track('Light', { lyrics: 'la la\nla' }), track('Light', { state: 'failed', failure: 'too loud' })],
      times: { created: start, ended: start + minute },
    });
    expect(taskMessage(task, context, say, NOTHING_SHOWN)).toMatchSnapshot();
  });

  it('The message of a running song says which tracks are ready', () => {
    const task = buildTask({
      kind: 'song',
      state: 'running',
      request: { prompt: '', title: 'Light' },
      tracks: [track('Light')],
    });
    expect(taskMessage(task, context, say).content).toMatchSnapshot();
  });
});
