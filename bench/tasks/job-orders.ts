/** What the process of the embedded sides is asked, and what it then answers. */
export interface Orders {
  /** Members order these jobs, one after the other. */
  begin: { wish: Workload; answer: null };
  /** How many of them are not settled: Discord has not heard of their end. */
  open: { wish: null; answer: number };
  figures: { wish: null; answer: JobFigures[] };
}

export type Order = { [Kind in keyof Orders]: { kind: Kind; wish: Orders[Kind]['wish'] } }[keyof Orders];

export interface Workload {
  jobs: readonly JobWish[];
  /** By the machine's clock. */
  everyMs: number;
}

export interface JobWish {
  ends: 'fails' | 'picture';
  /** So many times as long as such a job usually takes. */
  times: number;
}

/** One job, in milliseconds of the clock that both sides share. */
export interface JobFigures {
  ends: JobWish['ends'];
  lasted: number;
  /** From its end at the gateway to the edit that shows it. */
  delay: number;
  /** The part of it that is the schedule's: until the question that finds the end. */
  untilFound: number;
  /** The part of it that is the bot's: from that question on. */
  ours: number;
  questions: number;
  progressEdits: number;
  endEdits: number;
}

/** How the sides are to run, as arguments of their program. */
export interface SidesWish {
  clockSpeed: number;
  clockOrigin: number;
  gatewaySpeed: number;
}

export interface Served {
  settings: Record<string, string>;
}
