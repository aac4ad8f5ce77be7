import { AsyncLocalStorage } from 'node:async_hooks';

/** The subject of the current work. It is added to each log line that the work writes. */
export interface LogSubject {
  /** The reference of the interaction that began it. */
  readonly reference?: string;
  readonly task?: string;
}

interface Work {
  subject: LogSubject;
  /** The task of an interaction is only set once it is known which task it is about. */
  readonly isInteraction: boolean;
}

// The code that logs, down to the codecs, does not know which task it works for, and should not.
const current = new AsyncLocalStorage<Work>();

/** Runs the work for an interaction. Once its task is known, `nameTask` sets it. */
export const aboutInteraction = <T>(reference: string, work: () => T): T =>
  current.run({ subject: { reference }, isInteraction: true }, work);

/** Runs the work for a task, possibly within work for another one. */
export const aboutTask = <T>(task: string, work: () => T): T =>
  current.run({ subject: { ...currentSubject(), task }, isInteraction: false }, work);

/** Runs work that serves many tasks, although one of them may have started it. */
export const aboutNothing = <T>(work: () => T): T => current.exit(work);

/** Sets the task that the current interaction is about. */
export function nameTask(task: string): void {
  const work = current.getStore();
  if (work?.isInteraction) work.subject = { ...work.subject, task };
}

export const currentSubject = (): LogSubject => current.getStore()?.subject ?? NOTHING;

const NOTHING: LogSubject = {};
