/** The events that a worker process in a test reports. */
export interface WorkerEvent {
  /** The wall-clock time of the machine on which all worker processes run. */
  at: number;
  event: 'joins' | 'checked' | 'taken' | 'gave' | 'stopped' | 'lost';
  partition?: number;
  /** The partitions that have no owner at this check. */
  free?: number;
  holder?: string;
  why?: string;
}
