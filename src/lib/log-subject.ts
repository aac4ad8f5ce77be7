import { AsyncLocalStorage } from 'node:async_hooks';

/** The subject of the current work, which each of its log lines contains. */
export interface LogSubject {
  /** The reference of the interaction that began it. */
  readonly reference?: string;
  readonly task?: string;
}

interface Work {
  subject: LogSubject;
  /** Set later, once it is known which task the interaction is about. */
  readonly isInteraction: boolean;
}

// The parts that log, down to the codecs, do not know which task they work for, and should not.
const current = new AsyncLocalStorage<Work>();

/** The work for an interaction. `nameTask` says which task it turns out to be about. */
export const aboutInteraction = <T>(reference: string, work: () => T): T =>
  current.run({ subject: { reference }, isInteraction: true }, work);

/** The work for a task, also within work for another one. */
export const aboutTask = <T>(task: string, work: () => T): T =>
  current.run({ subject: { ...currentSubject(), task }, isInteraction: false }, work);

/** For work that serves many tasks, and may have been started or woken up by one of them. */
export const aboutNothing = <T>(work: () => T): T => current.exit(work);

/** Notes that the current interaction is about this task. */
export function nameTask(task: string): void {
  const work = current.getStore();
  if (work?.isInteraction) work.subject = { ...work.subject, task };
}

export const currentSubject = (): LogSubject => current.getStore()?.subject ?? NOTHING;

const NOTHING: LogSubject = {};
