/** The events that a worker process in a test reports. */
export interface WorkerEvent {
  /** The time on the wall clock of the machine on which all of them run. */
  at: number;
  event: 'joins' | 'taken' | 'gave' | 'stopped' | 'lost';
  partition?: number;
  holder?: string;
  why?: string;
}
