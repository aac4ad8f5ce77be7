import { expect, it } from 'vitest';
import { imageRequest } from '../../../src/commands/image/request.ts';
import { Refusal } from '../../../src/lib/refusal.ts';

const requestWith = (count: number) => {
  const links = Array.from({ length: count }, (_, index) => `https://files.example/${index}.png`).join(' ');
  return imageRequest({ prompt: 'a fox', links });
};

it('A request for an image may have more references than a video', () => {
  const request = requestWith(16);
  expect(request instanceof Refusal ? request.key : request.references?.length).toBe(16);
});

it('A request for an image has only so many references as one order may make the bot check', () => {
  expect(requestWith(17)).toMatchObject({ key: 'refusals.tooManyImages', variables: { count: '17', max: '16' } });
});
