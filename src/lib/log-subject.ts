import { AsyncLocalStorage } from 'node:async_hooks';

/** The subject of the current work. It is added to each log line that the work writes. */
export interface LogSubject {
  /** The reference of the interaction that started the work. */
  readonly reference?: string;
  readonly task?: string;
}

interface Work {
  subject: LogSubject;
  /** The task of an interaction is only set once it is known which task it is about. */
  readonly isInteraction: boolean;
}

// The code that logs, down to the codecs, does not know which task it works for, and should not.
const currentWork = new AsyncLocalStorage<Work>();

/** Runs the work for an interaction. Once its task is known, `setSubjectTask` sets it. */
export const runForInteraction = <T>(reference: string, work: () => T): T =>
  currentWork.run({ subject: { reference }, isInteraction: true }, work);

/** Runs the work for a task, possibly within work for another one. */
export const runForTask = <T>(task: string, work: () => T): T =>
  currentWork.run({ subject: { ...currentSubject(), task }, isInteraction: false }, work);

/** Runs work that serves many tasks, although one of them may have started it. */
export const runWithoutSubject = <T>(work: () => T): T => currentWork.exit(work);

/** Sets the task that the current interaction is about. */
export function setSubjectTask(task: string): void {
  const work = currentWork.getStore();
  if (work?.isInteraction) work.subject = { ...work.subject, task };
}

export const currentSubject = (): LogSubject => currentWork.getStore()?.subject ?? EMPTY_SUBJECT;

const EMPTY_SUBJECT: LogSubject = {};
