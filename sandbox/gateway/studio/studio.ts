import { drawEdit } from './edit.ts';
import { type Film, type FilmOptions, shoot } from './film.ts';
import { drawGrid } from './grid.ts';
import { drawPicture, type Picture, type PictureOptions } from './picture.ts';
import type { Scene } from './scene.ts';
import { compose, type Sound } from './sound.ts';
import { Workshop } from './workshop.ts';

export interface Studio {
  drawPicture(scene: Scene, options: PictureOptions): Promise<Picture>;
  drawGrid(scenes: readonly Scene[], options: PictureOptions): Promise<Picture>;
  drawEdit(before: Scene, after: Scene, mask: Buffer, options: PictureOptions): Promise<Picture>;
  shoot(scene: Scene, options: FilmOptions): Promise<Film>;
  compose(prompt: string, seed: number, seconds: number): Promise<Sound>;
  close(): Promise<void>;
}

/** Pictures are drawn on libuv's threads; films and sound have a worker each, so that a song does not wait for a film. */
export function openStudio(): Studio {
  const films = new Workshop(new URL('./film.worker.ts', import.meta.url));
  const sounds = new Workshop(new URL('./sound.worker.ts', import.meta.url));
  return {
    drawPicture,
    drawGrid,
    drawEdit,
    shoot: (scene, options) => shoot(films, scene, options),
    compose: (prompt, seed, seconds) => compose(sounds, prompt, seed, seconds),
    close: async () => {
      await Promise.all([films.close(), sounds.close()]);
    },
  };
}
