import { randomBytes } from 'node:crypto';
import { buildPage } from './build.ts';
import { type StageOptions, startStage } from './open-stage.ts';
import { Resources } from './resources.ts';
import { createPageServer } from './server.ts';

export interface SandboxOptions extends StageOptions {
  /** 0 picks a free port. */
  readonly port: number;
}

export interface Sandbox {
  readonly url: string;
  readonly token: string;
  /** Whether this start had to build the page. */
  readonly wasBuilt: boolean;
  close(): Promise<void>;
}

/** Starts the embedded servers, the bot and the page server. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { signal } = options;
  const resources = new Resources();
  const abortion = Promise.withResolvers<never>();
  abortion.promise.catch(() => undefined);
  const abort = (): void => abortion.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([openSandbox(options, resources), abortion.promise]);
  } catch (error) {
    await resources.close();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function openSandbox(options: SandboxOptions, resources: Resources): Promise<Sandbox> {
  const { stage, ready } = await startStage(options, resources);
  const [{ folder, isCached }] = await Promise.all([buildPage(), ready]);
  const token = randomBytes(24).toString('base64url');
  const server = await createPageServer({ stage, token, folder });
  await resources.add(server, () => server.close());
  const url = await server.listen({ port: options.port, host: '127.0.0.1' });
  return { url, token, wasBuilt: !isCached, close: () => resources.close() };
}
