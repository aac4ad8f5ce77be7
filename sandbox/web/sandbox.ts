import { randomBytes } from 'node:crypto';
import { Belongings } from './belongings.ts';
import { buildPage } from './build.ts';
import { openStage, type StageOptions } from './open-stage.ts';
import { pageServer } from './server.ts';

export interface SandboxOptions extends StageOptions {
  /** 0 picks a free port. */
  readonly port: number;
}

export interface Sandbox {
  readonly url: string;
  readonly token: string;
  /** Whether this start had to build the page. */
  readonly built: boolean;
  close(): Promise<void>;
}

/** Starts both embedded sides, the bot and the page server. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { signal } = options;
  const belongings = new Belongings();
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => undefined);
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([open(options, belongings), aborted.promise]);
  } catch (problem) {
    await belongings.close();
    throw problem;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function open(options: SandboxOptions, belongings: Belongings): Promise<Sandbox> {
  const { stage, ready } = await openStage(options, belongings);
  const [{ folder, cached }] = await Promise.all([buildPage(), ready]);
  const token = randomBytes(24).toString('base64url');
  const server = await pageServer({ stage, token, folder });
  await belongings.keep(server, () => server.close());
  const url = await server.listen({ port: options.port, host: '127.0.0.1' });
  return { url, token, built: !cached, close: () => belongings.close() };
}
