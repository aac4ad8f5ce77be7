import { DEFAULT_FIXED_MS, DEFAULT_MS_PER_KB, type Target } from './target.ts';

export interface Finding {
  readonly kind: 'exception' | 'slow' | 'memory';
  /** Identifies the finding; it is the same for all inputs that cause it. */
  readonly name: string;
  readonly detail: string;
}

/**
 * How often an input that seems slow is read again. The fastest run counts, so that a busy machine does not cause
 * findings.
 */
const CONFIRMATIONS = 4;

function allowedMs(target: Target, bytes: number): number {
  return (target.fixedMs ?? DEFAULT_FIXED_MS) + ((target.msPerKb ?? DEFAULT_MS_PER_KB) * bytes) / 1024;
}

/** Reads one input, and returns a finding if the reader throws, returns a wrong value or takes too long. */
export async function judge(target: Target, input: Buffer): Promise<Finding | undefined> {
  const first = await measure(target, input);
  if (first.finding) return first.finding;
  const max = allowedMs(target, input.length);
  if (first.ms <= max) return undefined;
  let fastest = first.ms;
  for (let attempt = 0; attempt < CONFIRMATIONS && fastest > max; attempt++) {
    fastest = Math.min(fastest, (await measure(target, input)).ms);
  }
  if (fastest <= max) return undefined;
  const detail = `${fastest.toFixed(0)} ms for ${input.length} bytes; at most ${max.toFixed(0)} ms are allowed`;
  return { kind: 'slow', name: 'slow', detail };
}

async function measure(target: Target, input: Buffer): Promise<{ ms: number; finding?: Finding }> {
  const usageBefore = process.threadCpuUsage();
  try {
    const result = target.run(input);
    if (result instanceof Promise) await result;
  } catch (error) {
    if (!target.isExpected(error)) return { ms: 0, finding: exceptionOf(error) };
  }
  const { user, system } = process.threadCpuUsage(usageBefore);
  return { ms: (user + system) / 1000 };
}

function exceptionOf(error: unknown): Finding {
  if (!(error instanceof Error)) return { kind: 'exception', name: 'not an error', detail: String(error) };
  const stackLine = error.stack?.split('\n').find((line) => line.includes('/src/')) ?? '';
  return { kind: 'exception', name: `${error.name} ${stackLine.trim()}`, detail: error.stack ?? error.message };
}
