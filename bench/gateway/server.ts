import { request } from 'undici';
import { startGateway } from '../../sandbox/gateway/gateway.ts';

/** What the callers need to know: where the server is, and a task that goes on running. */
export interface Served {
  url: string;
  key: string;
  taskId: string;
}

const key = 'sk-sandbox';
const gateway = await startGateway({ keys: [{ key }], profile: 'stock', speed: 100 });

const { body } = await request(`${gateway.url}/imgx/submit/imagine`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ prompt: 'a lighthouse in a storm, oil on canvas --ar 16:9' }),
});
const { result: taskId } = (await body.json()) as { result: string };

// A task in the middle of its work has the longest answer that is asked for again and again.
await new Promise<void>((resolve) => {
  const look = (): void => {
    if (gateway.jobs.get(taskId)?.state !== 'running') return;
    gateway.jobs.stick(taskId);
    resolve();
  };
  gateway.jobs.on('change', look);
  look();
});

process.send?.({ url: gateway.url, key, taskId } satisfies Served);
