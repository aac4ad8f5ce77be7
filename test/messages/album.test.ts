import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { texts } from '../../src/commands/index.ts';
import { bodyOf } from '../../src/discord/adapter.ts';
import { createSay } from '../../src/locales/index.ts';
import type { AlbumEntry } from '../../src/messages/album/lines.ts';
import { albumLayout, albumMessage } from '../../src/messages/album/message.ts';
import { NOTHING_SHOWN, taskMessage } from '../../src/messages/task-message.ts';
import type { StoredTrack, Task } from '../../src/services/tasks/task.ts';
import { madeTask, minute, start } from '../services/tasks/made.ts';
import { context } from './context.ts';

const say = createSay(texts);

const track = (title: string, more: Partial<StoredTrack> = {}): StoredTrack => ({
  ...{ state: 'finished', title, audio: `https://g.example/${encodeURIComponent(title)}.mp3` },
  ...{ cover: `https://g.example/${encodeURIComponent(title)}.png`, style: 'folk', seconds: 125, lyrics: 'la la' },
  ...more,
});

const part = (place: number, changes: Partial<Task> = {}): AlbumEntry => ({
  remoteId: `remote-${place}`,
  task: madeTask({ id: `part-${place}`, kind: 'music', request: {}, remoteId: `remote-${place}`, ...changes }),
});

const done = (place: number, ...tracks: StoredTrack[]): AlbumEntry => part(place, { state: 'delivered', tracks });

const album = (changes: Partial<Task> = {}): Task =>
  madeTask({ kind: 'album', state: 'accepted', request: { parts: [] }, ...changes });

const shown = (of: Task, entries: readonly AlbumEntry[]) =>
  albumMessage(of, albumLayout(of, entries, say), { files: [], notes: [] }, say);

describe('The message of an album', () => {
  it('The message of an album shows the status of each song', () => {
    const entries = [
      done(1, track('Light'), track('Light', { seconds: 61 })),
      part(2, { state: 'queued' }),
      part(3, {
        state: 'running',
        tracks: [track('Harbour', { lyrics: '' }), track('Harbour', { state: 'running', audio: undefined })],
      }),
      part(4, { state: 'failed', failure: { cause: 'failed', reason: 'too *loud*' } }),
      part(5, { state: 'failed', failure: { cause: 'forgotten' } }),
      part(6, { state: 'accepted', unknown: { answers: 3, since: start } }),
      part(7, { state: 'delivered', text: 'only words' }),
      { remoteId: 'remote-8', task: undefined },
    ];
    expect(shown(album(), entries)).toMatchSnapshot();
    expect(
      shown(album({ times: { created: start, overdue: start + minute } }), entries.slice(0, 2)).content,
    ).toMatchSnapshot();
  });

  it('The message of an album is a single message while everything fits, and then has pages', () => {
    const songs = (count: number) =>
      Array.from({ length: count }, (_, place) => done(place, track(`A${place}`), track(`B${place}`)));
    expect(albumLayout(album(), songs(5), say).mode).toBe('together');
    expect(albumLayout(album(), songs(6), say).mode).toBe('pages');
    // Before the number of tracks is known, two are assumed for each song.
    expect(
      albumLayout(
        album(),
        [1, 2, 3, 4, 5].map((place) => part(place)),
        say,
      ).mode,
    ).toBe('together');
    expect(
      albumLayout(
        album(),
        [1, 2, 3, 4, 5, 6].map((place) => part(place)),
        say,
      ).mode,
    ).toBe('pages');
    // A failed song needs no space; long lyrics need the space of one file.
    expect(
      albumLayout(album(), [...songs(5), part(9, { state: 'failed', failure: { cause: 'failed' } })], say).mode,
    ).toBe('together');
    const long = done(9, track('C', { lyrics: 'la '.repeat(500) }), track('D'));
    expect(albumLayout(album(), [...songs(4), long], say).mode).toBe('pages');
    expect(albumLayout(album(), [...songs(3), long], say)).toMatchObject({ mode: 'together', covers: 1 });
  });

  it('The message of an album links to the covers that do not fit', () => {
    const content = shown(
      album(),
      [1, 2, 3].map((place) => done(place, track(`A${place}`), track(`B${place}`))),
    ).content;
    expect(content).toContain('-# Cover: [A3](<https://g.example/A3.png>) · [B3](<https://g.example/B3.png>)');
    expect(content).not.toContain('[B2]');
  });

  it('The message of an album shows a page of lines with a select menu on the chosen page', () => {
    const entries = Array.from({ length: 300 }, (_, place) => done(place, track(`Song ${place + 1}`)));
    expect(shown(album({ state: 'delivered', page: 1 }), entries)).toMatchSnapshot();
    expect(shown(album({ page: 99 }), entries).content).toContain('Page 20 of 20');
  });

  it('Discord accepts the message of an album for any song names', () => {
    const title = fc.string({ unit: 'grapheme', maxLength: 250 });
    const state = fc.constantFrom('delivered', 'running', 'failed');
    fc.assert(
      fc.property(fc.array(fc.tuple(title, state), { minLength: 1, maxLength: 40 }), (songs) => {
        const entries = songs.map(([name, now], place) =>
          part(place, {
            ...{ state: now, tracks: [track(name, { lyrics: name, style: name })] },
            ...(now === 'failed' && { failure: { cause: 'failed', reason: name } }),
          }),
        );
        const plan = shown(album(), entries);
        if (entries.length > 1) expect(plan.content?.length).toBeLessThanOrEqual(2_000);
        expect(bodyOf(plan).body.content?.length).toBeLessThanOrEqual(2_000);
      }),
    );
  });
});

describe('The message of a song', () => {
  it('The message of a song shows its tracks and short lyrics', () => {
    const task = madeTask({
      ...{ kind: 'song', state: 'ready', request: { prompt: 'a storm', instrumental: true } },
      tracks: [track('Light', { lyrics: 'la la\nla' }), track('Light', { state: 'failed', failure: 'too loud' })],
      times: { created: start, ended: start + minute },
    });
    expect(taskMessage(task, context, say, NOTHING_SHOWN)).toMatchSnapshot();
  });

  it('The message of a running song says which tracks are ready', () => {
    const task = madeTask({
      kind: 'song',
      state: 'running',
      request: { prompt: '', title: 'Light' },
      tracks: [track('Light')],
    });
    expect(taskMessage(task, context, say).content).toMatchSnapshot();
  });
});
