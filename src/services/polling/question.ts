import type { Lane, Trouble, Verdict } from './scheduler.ts';

export interface SchedulerLog {
  debug(facts: object, sentence: string): void;
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
  error(facts: object, sentence: string): void;
}

/** The verdict on each id, in the order of the ids, or the trouble. Whatever happens, there is an answer. */
export async function ask(
  lane: Lane,
  ids: readonly string[],
  log: SchedulerLog,
): Promise<(Verdict | undefined)[] | Trouble> {
  try {
    const answer = await lane.poll(ids);
    if ('kind' in answer) return answer;
    const verdicts = ids.map((id) => answer.get(id));
    const missing = ids.filter((_, place) => !verdicts[place]);
    if (missing.length > 0) log.debug({ lane: lane.name, missing }, 'An answer left out some of what was asked about.');
    return verdicts;
  } catch (error) {
    // A mistake of ours must not end a task: it is asked about again, and the stack is in the log.
    log.error({ lane: lane.name, err: error }, 'Asking about tasks failed unexpectedly.');
    return { kind: 'unreachable', reason: 'Asking failed unexpectedly.' };
  }
}
