import { request } from 'undici';
import { startGateway } from '../../sandbox/gateway/gateway.ts';

/** The URL of the server, and a task that keeps running. */
export interface ServerInfo {
  url: string;
  key: string;
  taskId: string;
}

const key = 'sk-sandbox';
const gateway = await startGateway({ keys: [{ key }], profile: 'stock', speed: 50 });

const { body } = await request(`${gateway.url}/imgx/submit/imagine`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ prompt: 'a lighthouse in a storm, oil on canvas --ar 16:9' }),
});
const { result: taskId } = (await body.json()) as { result: string };

// The measured polls are for a running task, so this one never ends.
await new Promise<void>((resolve) => {
  gateway.jobs.on('change', ({ id, state, progress }) => {
    if (id !== taskId || state !== 'running' || progress === 0) return;
    gateway.jobs.freeze(id);
    resolve();
  });
});

process.send?.({ url: gateway.url, key, taskId } satisfies ServerInfo);
