/** The messages to the process with the embedded servers, and its replies. */
export interface Orders {
  /** Members request these jobs, one at a time. */
  begin: { input: Workload; answer: null };
  /** How many of them are not settled, because their end has not been shown in Discord. */
  open: { input: null; answer: number };
  figures: { input: null; answer: JobFigures[] };
}

export type Order = { [Kind in keyof Orders]: { kind: Kind; input: Orders[Kind]['input'] } }[keyof Orders];

export interface Workload {
  jobs: readonly JobInput[];
  /** According to the machine's clock. */
  everyMs: number;
}

export interface JobInput {
  ends: 'fails' | 'image';
  /** The duration, as a multiple of what such a job usually takes. */
  times: number;
}

/** One job, in milliseconds of the clock that both embedded servers share. */
export interface JobFigures {
  ends: JobInput['ends'];
  lasted: number;
  /** From the end of the job at the gateway to the edit that shows it. */
  delay: number;
  /** The part caused by the schedule: until the poll that finds the end. */
  untilFound: number;
  /** The part caused by the bot: from that poll on. */
  ours: number;
  questions: number;
  progressEdits: number;
  endEdits: number;
}

/** How the embedded servers run, as arguments of their program. */
export interface SidesInput {
  clockSpeed: number;
  clockOrigin: number;
  gatewaySpeed: number;
}

export interface Served {
  settings: Record<string, string>;
}
