import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStudio, describeImages, sceneOf, shortenPrompt } from '../../../sandbox/gateway/studio/index.ts';

const studio = createStudio();
const draw = async (prompt: string, width: number, height: number) =>
  (await studio.drawImage(sceneOf(prompt, 1), { width, height })).bytes;

describe('The descriptions of the studio', () => {
  it('A description has four different lines, which depend only on the image', async () => {
    const [night, day] = await Promise.all([draw('night city', 192, 108), draw('pale winter valley', 108, 192)]);
    const lines = await describeImages([night]);
    expect(new Set(lines).size).toBe(4);
    expect(await describeImages([night])).toEqual(lines);
    expect(await describeImages([day])).not.toEqual(lines);
    expect(lines.join()).toMatch(/--ar 16:9/);
  });

  it('A description has four lines even for no image, an unreadable image or two images', async () => {
    expect(await describeImages([])).toHaveLength(4);
    expect(await describeImages([Buffer.from('nothing')])).toHaveLength(4);
    expect(await describeImages([await draw('sea', 64, 64), await draw('city', 64, 64)])).toHaveLength(4);
  });
});

describe('The shortened prompts of the studio', () => {
  const longPrompt =
    'A very beautiful painting of a red cat sitting in the enchanted forest, with golden light, highly detailed --ar 16:9';

  it('A prompt is shortened to at most five drafts, each shorter than the previous one and composed of words from the prompt', () => {
    const { drafts } = shortenPrompt(longPrompt);
    expect(drafts.length).toBeGreaterThan(2);
    expect(drafts.length).toBeLessThanOrEqual(5);
    const lengths = drafts.map((draft) => draft.length);
    expect(lengths).toEqual([...lengths].sort((one, other) => other - one));
    expect(drafts.at(-1)).not.toMatch(/\b(of|the|with)\b/);
    for (const word of drafts.join(' ').split(/\W+/)) expect(longPrompt).toContain(word);
  });

  it('The words of a prompt are returned in order with their weights, and filler words have no weight', () => {
    const { weights } = shortenPrompt(longPrompt);
    expect(weights.slice(0, 4).map(({ word }) => word)).toEqual(['A', 'very', 'beautiful', 'painting']);
    expect(weights[0]?.weight).toBe(0);
    expect(weights.find(({ word }) => word === 'enchanted')?.weight).toBeGreaterThan(0.5);
  });

  it('Any text can be shortened, and every draft is shorter than the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (prompt) => {
        const { drafts, weights } = shortenPrompt(prompt);
        expect(drafts.length).toBeLessThanOrEqual(5);
        expect(drafts.every((draft) => draft.length > 0 && draft.length < prompt.length)).toBe(true);
        expect(weights.every(({ weight }) => weight >= 0 && weight <= 1)).toBe(true);
      }),
    );
  });
});
