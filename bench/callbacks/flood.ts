import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

const CONNECTION_COUNT = 32;
const STEP_MS = 10;
/** A request without a response this long after the last one was sent counts as unanswered. */
const RESPONSE_LIMIT_MS = 3_000;

export interface FloodOptions {
  port: number;
  perSecond: number;
}

export interface FloodFigures {
  /** Responses by status. */
  answers: Record<string, number>;
  perSecond: number;
}

/** A well-formed callback path that was never issued; the body is a task as gateways send it. */
const forgedPath = (): string => `/callbacks/${randomBytes(33).toString('base64url')}`;
const body = JSON.stringify({ id: '1320098173412546', status: 'SUCCESS', progress: '100%', prompt: 'x'.repeat(800) });

process.once('message', async ({ port, perSecond }: FloodOptions) => {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTION_COUNT });
  const answers: Record<string, number> = {};
  let isOver = false;
  process.once('message', () => {
    isOver = true;
  });
  const count = (name: string): void => {
    answers[name] = (answers[name] ?? 0) + 1;
    answeredCount += 1;
  };
  const start = performance.now();
  let sentCount = 0;
  let answeredCount = 0;
  process.send?.({});
  while (!isOver) {
    const dueCount = Math.floor(((performance.now() - start) * perSecond) / 1_000);
    for (; sentCount < dueCount; sentCount += 1) {
      pool
        .request({ path: forgedPath(), method: 'POST', headers: { 'content-type': 'application/json' }, body })
        .then(async (response) => {
          await response.body.dump();
          count(String(response.statusCode));
        })
        .catch(() => count('none'));
    }
    await sleep(STEP_MS);
  }
  const seconds = (performance.now() - start) / 1_000;
  for (
    const deadline = performance.now() + RESPONSE_LIMIT_MS;
    answeredCount < sentCount && performance.now() < deadline;
  )
    await sleep(STEP_MS);
  await pool.destroy();
  process.send?.({ answers, perSecond: sentCount / seconds } satisfies FloodFigures);
});
process.once('SIGTERM', () => process.exit());
// It must not outlive the process that measures it.
process.once('disconnect', () => process.exit());
