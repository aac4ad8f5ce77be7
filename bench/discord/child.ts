import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Hardly any response takes this long; a benchmark that hangs fails after this time. */
const WAIT_LIMIT_MS = 40_000;

/** Resolves with the next message from the process. */
export async function messageFrom<Message>(child: ChildProcess, limitMs = WAIT_LIMIT_MS): Promise<Message> {
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(limitMs)]);
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`A measured process ended early with code ${String(code)}.`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), ended]);
    return message as Message;
  } finally {
    controller.abort();
  }
}
