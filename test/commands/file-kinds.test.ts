import { expect, it } from 'vitest';
import { fileKindOf } from '../../src/commands/file-kinds.ts';

it.each([
  ['audio', 'tones.m4a', undefined],
  ['audio', 'TONES.FLAC', undefined],
  ['audio', 'tones.m4a', 'video/mp4'],
  ['audio', 'tones.opus', 'application/octet-stream'],
  ['audio', 'recording', 'Audio/X-M4A'],
  ['image', 'photo.JPG', undefined],
  ['image', 'photo', 'image/heic'],
  ['video', 'clip.mov', undefined],
  ['video', 'clip', 'video/mp4'],
  [undefined, 'notes.txt', 'text/plain'],
  [undefined, 'm4a', undefined],
] as const)('The kind is %s for a file with the name %s and the type %s', (kind, name, mediaType) => {
  expect(fileKindOf({ name, mediaType })).toBe(kind);
});
