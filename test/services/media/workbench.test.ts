import { describe, expect, it } from 'vitest';
import { MediaError } from '../../../src/services/media/index.ts';
import { Workbench } from '../../../src/services/media/pictures/workbench.ts';
import { noise } from './pictures.ts';

const never = new AbortController().signal;

/** Draws pictures and writes down who began and who ended. */
async function opened(picturesAtOnce: number) {
  const bench = new Workbench({ pixels: 1_000_000, picturesAtOnce });
  const png = await noise(300, 300).png().toBuffer();
  const events: string[] = [];
  const draw = async (name: string, signal = never, bytes = png): Promise<void> => {
    const drawing = {
      draw: (picture: ReturnType<typeof noise>) => {
        events.push(`${name} begins`);
        return picture.png();
      },
    };
    try {
      await bench.draw(bytes, drawing, signal);
    } finally {
      events.push(`${name} ends`);
    }
  };
  return { bench, events, draw };
}

describe('the workbench', () => {
  it('draws one picture after the other, in the order of asking', async () => {
    const { events, draw } = await opened(1);
    await Promise.all([draw('a'), draw('b'), draw('c')]);
    expect(events.map((event) => event.slice(0, 1)).join('')).toBe('aabbcc');
  });

  it('draws as many at once as it is told to', async () => {
    const { events, draw } = await opened(2);
    const all = Promise.all([draw('a'), draw('b'), draw('c')]);
    expect(events).toEqual([]);
    await Promise.resolve();
    expect(events).toEqual(['a begins', 'b begins']);
    await all;
  });

  it('lets go of whoever waits and no longer wants it, at once', async () => {
    const { events, draw } = await opened(1);
    const unwanted = new AbortController();
    const first = draw('a');
    const second = draw('b', unwanted.signal);
    const third = draw('c');
    unwanted.abort(new Error('no longer wanted'));
    await expect(second).rejects.toThrow('no longer wanted');
    expect(events).toEqual(['a begins', 'b ends']);
    await Promise.all([first, third]);
  });

  it('goes on after a picture that cannot be drawn', async () => {
    const { draw } = await opened(1);
    await expect(draw('a', never, Buffer.from('no picture'))).rejects.toBeInstanceOf(MediaError);
    await draw('b');
  });

  it('closes when what is being drawn is done', async () => {
    const { bench, events, draw } = await opened(1);
    const drawing = draw('a');
    await Promise.resolve();
    await bench.close();
    await drawing;
    expect(events).toEqual(['a begins', 'a ends']);
  });
});
