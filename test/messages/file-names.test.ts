import { describe, expect, it } from 'vitest';
import { fileNamePrefix } from '../../src/messages/file-names.ts';
import { buildTask } from '../services/orders/builders.ts';

const prefixOf = (title: string) => fileNamePrefix(buildTask(), title);

describe('The names of files', () => {
  it.each([
    ['Lullaby for a Lighthouse', 'lullaby-for-a-lighthouse-'],
    ['a fox, **red** & quick; don’t run!', 'a-fox-red-quick-dont-run-'],
    ['https://a.example/secret.png <@123> <:wave:456> a fox', 'a-fox-'],
    ['雪の中の狐', '雪の中の狐-'],
    ['Ёжик в тумане', 'ёжик-в-тумане-'],
    ['Cafe\u0301 İstanbul', 'café-istanbul-'],
    ['a.png + Summer.2026.JPEG', 'a-summer-2026-'],
    ['../../.bashrc\r\n\0', 'bashrc-'],
    ['CON', 'con-'],
    ['SPOILER_fox', 'spoiler-fox-'],
    ['one of the foxes that live behind the old lighthouse', 'one-of-the-foxes-that-live-behind-the-'],
    ['\u202egnp.exe', 'gnp-exe-'],
  ])('The file of %j begins with its first words', (title, prefix) => {
    expect(prefixOf(title)).toBe(prefix);
  });

  it('The files of images do not name the flags of the prompt, and those of songs keep what looks like one', () => {
    const song = { ...buildTask(), traits: {} };
    expect(prefixOf('a fox --chaos 20 --seed 5')).toBe('a-fox-');
    expect(prefixOf('a well-lit fox — at night —ar 3:2\n--tile')).toBe('a-well-lit-fox-at-night-');
    expect(prefixOf('--ar 16:9')).toBe('');
    expect(fileNamePrefix(song, 'gone --away with the tide')).toBe('gone-away-with-the-tide-');
  });

  it('A word that Discord would not keep is left out, and without any words nothing is left', () => {
    expect(prefixOf('नमस्ते fox 1️⃣ ❤️')).toBe('fox-');
    for (const title of ['', '🦊❤️', '...', 'नमस्ते', '▇▇▇']) expect(prefixOf(title)).toBe('');
  });

  it('A very long word is cut, and never inside a character', () => {
    expect(prefixOf('x'.repeat(300))).toBe(`${'x'.repeat(40)}-`);
    expect(prefixOf(`x${'𠀀'.repeat(300)}`)).toBe(`x${'𠀀'.repeat(19)}-`);
  });

  it('The files of private tasks and of held results do not name the prompt', () => {
    const privateTask = buildTask({ route: { ...buildTask().route, isPrivate: true } });
    const closedTask = buildTask({ request: { prompt: 'a fox', isClosed: true } });
    const heldTask = buildTask({ state: 'ready', review: { outcome: 'held', at: 0 } });
    for (const task of [privateTask, closedTask, heldTask]) expect(fileNamePrefix(task, 'a fox')).toBe('');
  });
});
