import { randomBytes } from 'node:crypto';
import { buildPage } from './build.ts';
import { openStage, type StageOptions } from './open-stage.ts';
import { Resources } from './resources.ts';
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
  const resources = new Resources();
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => undefined);
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([open(options, resources), aborted.promise]);
  } catch (problem) {
    await resources.close();
    throw problem;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function open(options: SandboxOptions, resources: Resources): Promise<Sandbox> {
  const { stage, ready } = await openStage(options, resources);
  const [{ folder, cached }] = await Promise.all([buildPage(), ready]);
  const token = randomBytes(24).toString('base64url');
  const server = await pageServer({ stage, token, folder });
  await resources.keep(server, () => server.close());
  const url = await server.listen({ port: options.port, host: '127.0.0.1' });
  return { url, token, built: !cached, close: () => resources.close() };
}
