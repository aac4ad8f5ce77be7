import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../src/lib/exact-json.ts';
import type { Snapshot } from '../../../src/services/gateway/snapshot.ts';
import { type BodyCase, read } from './read/body.ts';
import { imageBodies } from './read/image.bodies.ts';
import { imgxBodies } from './read/imgx.bodies.ts';
import { musicBodies } from './read/music.bodies.ts';
import { videoBodies } from './read/video.bodies.ts';

const families = { imgx: imgxBodies, image: imageBodies, video: videoBodies, music: musicBodies } as const;

describe.each(Object.keys(families) as (keyof typeof families)[])('The reader of the %s family', (family) => {
  it.each(families[family])(
    'A response body is read correctly: $what',
    ({ body, expected, notices = [] }: BodyCase) => {
      const result = read(family, body);
      const actual = Object.fromEntries(
        (Object.keys(expected) as (keyof Snapshot)[]).map((key) => [key, result.snapshot[key]]),
      );
      expect(actual).toEqual(expected);
      expect(result.notices).toEqual(notices);
    },
  );
});

describe('The table of response bodies', () => {
  const allBodies = Object.values(families).flat();

  it('The table of response bodies has more than a hundred bodies and no duplicates', () => {
    expect(allBodies.length).toBeGreaterThan(100);
    expect(new Set(allBodies.map(({ body }) => JSON.stringify(parseExact(body)))).size).toBe(allBodies.length);
  });
});
