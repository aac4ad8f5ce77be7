import type { ChildProcess } from 'node:child_process';
import { messageFrom } from '../discord/child.ts';
import { launch, stop } from '../harness/program.ts';
import type { EngineFigures, EngineInput } from './engine.ts';

/** Runs the engine in a separate process while it is measured. */
export async function runEngine(input: EngineInput): Promise<EngineFigures> {
  const engine: ChildProcess = launch(new URL('engine.ts', import.meta.url));
  try {
    engine.send(input);
    return await messageFrom<EngineFigures>(engine);
  } finally {
    await stop(engine);
  }
}
