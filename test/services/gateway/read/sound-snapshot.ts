import { expect } from 'vitest';
import type { Medium, Snapshot } from '../../../../src/services/gateway/snapshot.ts';

const STATES = ['queued', 'running', 'needs-input', 'succeeded', 'failed'];

/** Checks the invariants of every snapshot, regardless of its source. */
export function expectValidSnapshot(snapshot: Snapshot): void {
  expect(STATES).toContain(snapshot.state);
  if (snapshot.state !== 'succeeded') expect(snapshot.media).toEqual([]);
  if (snapshot.state === 'succeeded') expect(snapshot.preview).toBeUndefined();
  if (snapshot.isEmpty) expect(snapshot).toMatchObject({ state: 'succeeded', media: [] });
  expect(snapshot.failure !== undefined).toBe(snapshot.state === 'failed');
  if (snapshot.progress !== undefined) expect(snapshot.progress >= 0 && snapshot.progress <= 100).toBe(true);

  expect(typeof snapshot.word).toBe('string');
  for (const text of [snapshot.remoteId, snapshot.action, snapshot.text, snapshot.seed]) expectText(text);
  if (snapshot.failure) {
    expect(['failed', 'cancelled', 'expired']).toContain(snapshot.failure.cause);
    expectText(snapshot.failure.reason);
    expectText(snapshot.failure.code);
  }
  for (const medium of snapshot.preview ? [...snapshot.media, snapshot.preview] : snapshot.media) expectMedium(medium);
  for (const track of snapshot.tracks) {
    expect(['running', 'finished', 'failed']).toContain(track.state);
    for (const text of [track.id, track.title, track.lyrics, track.style, track.failure]) expectText(text);
    for (const url of [track.audio, track.video, track.cover]) expectUrl(url);
    expectNumber(track.seconds);
  }
  for (const action of snapshot.actions) {
    expectText(action.customId);
    expect([typeof action.customId, typeof action.label, typeof action.emoji]).toEqual(['string', 'string', 'string']);
    expectNumber(action.style);
  }
  for (const time of [snapshot.submittedAt, snapshot.startedAt, snapshot.finishedAt]) expectTime(time);
}

function expectMedium(medium: Medium): void {
  expect(['image', 'video', 'audio']).toContain(medium.kind);
  expect((medium.address === undefined) !== (medium.base64 === undefined)).toBe(true);
  expectUrl(medium.address);
  expectUrl(medium.thumbnail);
  expectText(medium.base64);
  expectText(medium.mediaType);
  for (const number of [medium.width, medium.height, medium.seconds]) expectNumber(number);
  expectTime(medium.expiresAt);
}

function expectText(text: string | undefined): void {
  if (text !== undefined) expect(typeof text === 'string' && text !== '').toBe(true);
}

function expectUrl(url: string | undefined): void {
  if (url !== undefined) expect(URL.parse(url)?.protocol, url).toMatch(/^https?:$/);
}

function expectNumber(number: number | undefined): void {
  if (number !== undefined) expect(Number.isFinite(number)).toBe(true);
}

function expectTime(time: number | undefined): void {
  if (time !== undefined) expect(Number.isNaN(new Date(time).getTime()), `${time} is not a valid time`).toBe(false);
}
