import { describe, expect, it } from 'vitest';
import { aspectOf, panned, relative, sceneOf, sizeOf, zoomedOut } from '../../../sandbox/gateway/studio/index.ts';

describe('The aspect ratio in a prompt', () => {
  it.each([
    ['a cat --ar 16:9', 16 / 9],
    ['a cat --aspect 9:16 --v 6', 9 / 16],
    ['a cat --ar 3:2 --ar 1:2', 0.5],
    ['a cat --ar=4:3', 4 / 3],
    ['a cat', 1],
    ['a cat --ar wide', 1],
    ['a cat --ar 0:3', 1],
    ['a cat --ar 16:', 1],
    ['a cat --ar 100:1', 4],
    ['a cat --ar 1:100', 0.25],
    ['a star:1 far 16:9', 1],
  ])('The aspect ratio in %j is %d', (prompt, aspect) => {
    expect(aspectOf(prompt)).toBeCloseTo(aspect, 5);
  });

  it('The sides of an image of any aspect ratio are even and at least sixteen pixels long, and the longer side is as requested', () => {
    expect(sizeOf(16 / 9, 1024)).toEqual({ width: 1024, height: 576 });
    expect(sizeOf(9 / 16, 1024)).toEqual({ width: 576, height: 1024 });
    expect(sizeOf(1, 3)).toEqual({ width: 16, height: 16 });
    expect(sizeOf(Number.NaN, 100)).toEqual({ width: 100, height: 100 });
  });
});

describe('The scenes of the studio', () => {
  it('A scene can be serialized and restored with all of its changes', () => {
    const scene = panned(zoomedOut(relative(sceneOf('a fox', 7), 3, 'strong'), 2), 'left');
    expect(JSON.parse(JSON.stringify(scene))).toEqual(scene);
  });

  it('A scene stays small even after many changes', () => {
    let scene = sceneOf('a fox', 7);
    for (let turn = 0; turn < 50; turn++) scene = zoomedOut(panned(relative(scene, turn, 'subtle'), 'right'), 2);
    expect(scene.variations.length).toBeLessThanOrEqual(8);
    expect(scene.view.zoom).toBeLessThanOrEqual(4);
    expect(Math.abs(scene.view.x)).toBeLessThanOrEqual(6);
  });
});
