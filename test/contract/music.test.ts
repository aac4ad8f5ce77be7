import { describe, expect, it } from 'vitest';
import { failureOf, lastRequest, openFixture, profiles, requestsAt } from './both.ts';

describe.each(profiles)('Music of a %s gateway', (profile) => {
  it('Music is created and polled until its tracks are ready', async () => {
    const fixture = await openFixture({ profile });
    const { music } = fixture.gateway;
    const { remoteId } = await music.makeSong({
      about: 'a lighthouse',
      style: 'folk',
      instrumental: false,
      title: 'Light',
    });
    expect(lastRequest(fixture, '/music/submit/music').body).toEqual({
      gpt_description_prompt: 'a lighthouse',
      tags: 'folk',
      title: 'Light',
      make_instrumental: false,
    });
    const done = await fixture.pollUntil(() => music.get(remoteId));
    expect(done.tracks.length).toBeGreaterThan(0);
    expect(done.media).toHaveLength(done.tracks.length);
    for (const track of done.tracks) {
      expect(track).toMatchObject({ state: 'finished', failure: undefined });
      expect(track.title).toBeTruthy();
      expect(track.seconds).toBeGreaterThan(0);
    }
    const audio = await fetch(done.tracks[0]?.audio ?? '');
    expect(audio.headers.get('content-type')).toMatch(/^audio\//);
    expect(
      Buffer.from(await audio.arrayBuffer())
        .subarray(0, 4)
        .toString(),
    ).toBe('RIFF');
  });

  it('Many music tasks are returned in one response that omits unknown ones', async () => {
    const fixture = await openFixture({ profile });
    const { music } = fixture.gateway;
    const first = await music.makeSong({ about: 'one' });
    const second = await music.makeSong({ lyrics: 'two' });
    const snapshots = await music.getMany([first.remoteId, 'nobody', second.remoteId]);
    expect([...snapshots.keys()].toSorted()).toEqual([first.remoteId, second.remoteId].toSorted());
    expect(requestsAt(fixture, '/music/fetch')).toHaveLength(1);
  });

  it('A list of unknown music tasks is empty', async () => {
    for (const nullBatches of [true, false]) {
      const fixture = await openFixture({ profile, quirks: { nullBatches } });
      await expect(fixture.gateway.music.getMany(['unknown'])).resolves.toEqual(new Map());
    }
  });

  it('An unknown music task is reported as not found', async () => {
    const { gateway } = await openFixture({ profile });
    expect(await failureOf(gateway.music.get('nobody'))).toMatchObject({ kind: 'not-found' });
  });
});

describe('A request for a song', () => {
  it('A request for a song is refused locally when it is empty', async () => {
    const { gateway, embedded } = await openFixture();
    expect(await failureOf(gateway.music.makeSong({}))).toMatchObject({ kind: 'invalid', code: 'bad_input' });
    expect(embedded.requests).toEqual([]);
  });

  it('A song is reported as not offered by a gateway without the music route, and no job is created', async () => {
    const fixture = await openFixture({
      settings: { paths: { imgx: '/imgx', music: '/nowhere', videoa: '/videoa', compat: '/c' } },
    });
    expect(await failureOf(fixture.gateway.music.makeSong({ about: 'x' }))).toMatchObject({
      kind: 'not-offered',
      mayHaveTakenEffect: false,
    });
  });
});
