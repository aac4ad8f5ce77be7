/** The messages to the process with the embedded servers, and its replies. */
export interface Commands {
  /** Members request these jobs, one at a time. */
  begin: { input: Workload; output: null };
  /** How many of these jobs have not yet been shown in Discord as ended. */
  open: { input: null; output: number };
  figures: { input: null; output: JobFigures[] };
}

export type Command = { [Kind in keyof Commands]: { kind: Kind; input: Commands[Kind]['input'] } }[keyof Commands];

export interface Workload {
  jobs: readonly JobInput[];
  /** The interval between two orders, by the machine's clock. */
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
  durationMs: number;
  /** From the end of the job at the gateway to the edit that shows it. */
  delay: number;
  /** The part caused by the schedule: until the poll that finds the end. */
  untilFound: number;
  /** The part caused by the bot: from that poll on. */
  botDelay: number;
  polls: number;
  progressEdits: number;
  endEdits: number;
}

/** How the embedded servers run, as arguments of their program. */
export interface EmbeddedServersInput {
  clockSpeed: number;
  clockOrigin: number;
  gatewaySpeed: number;
}

export interface ServerInfo {
  settings: Record<string, string>;
}
