/** What a worker process of a test reports. */
export interface WorkerEvent {
  /** By the wall clock of the machine that all of them run on. */
  at: number;
  event: 'joins' | 'taken' | 'gave' | 'stopped' | 'lost';
  partition?: number;
  holder?: string;
  why?: string;
}
