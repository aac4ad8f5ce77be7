import type { ChildProcess } from 'node:child_process';
import { end, messageFrom, start } from '../discord/child.ts';
import type { EngineFigures, EngineInput } from './engine.ts';

/** Runs the engine in a separate process, for as long as it is measured. */
export async function runEngine(input: EngineInput): Promise<EngineFigures> {
  const engine: ChildProcess = start(new URL('engine.ts', import.meta.url));
  try {
    engine.send(input);
    return await messageFrom<EngineFigures>(engine);
  } finally {
    await end(engine);
  }
}
