import type { ChildProcess } from 'node:child_process';
import { end, messageFrom, start } from '../discord/child.ts';
import type { EngineFigures, EngineWish } from './engine.ts';

/** The engine in a process of its own, for as long as it is measured. */
export async function runEngine(wish: EngineWish): Promise<EngineFigures> {
  const engine: ChildProcess = start(new URL('engine.ts', import.meta.url));
  try {
    engine.send(wish);
    return await messageFrom<EngineFigures>(engine);
  } finally {
    await end(engine);
  }
}
