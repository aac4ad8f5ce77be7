import { computed, signal } from '@preact/signals';
import type {
  BotState,
  Exchange,
  Job,
  Live,
  LiveSession,
  LogLine,
  Trouble,
  TroubleResult,
  Workbench,
} from '../../protocol.ts';
import { say } from './announce.ts';
import { ask, sentenceOf, tell } from './session.ts';

const MOST_JOBS = 200;
const MOST_EXCHANGES = 300;
const MOST_LINES = 200;

export const bot = signal<BotState | undefined>(undefined);
export const log = signal<readonly LogLine[]>([]);
export const jobs = signal<readonly Job[]>([]);
/** Open live sessions, newest first. */
export const sessions = signal<readonly LiveSession[]>([]);
export const traffic = signal<readonly Exchange[]>([]);
export const gateway = signal<Omit<Workbench['gateway'], 'jobs'> | undefined>(undefined);
/** The result of the latest fault button. */
export const said = signal<
  { readonly text: string; readonly failed: boolean; readonly trouble: Trouble['do'] } | undefined
>(undefined);

const hasEnded = ({ state }: Job) => state === 'succeeded' || state === 'failed';
export const underWay = computed(() => jobs.value.filter((job) => !hasEnded(job)));
export const objections = computed(() => traffic.value.filter(({ verdict }) => verdict !== 'fine').length);

export async function loadWorkbench(): Promise<void> {
  const { bot: known, gateway: side, traffic: exchanges } = await ask<Workbench>('/api/workbench');
  const { log: lines, ...state } = known;
  const { jobs: all, ...rest } = side;
  bot.value = state;
  log.value = lines;
  jobs.value = all;
  sessions.value = side.talk?.sessions ?? [];
  gateway.value = rest;
  traffic.value = exchanges;
}

export function takeJob(job: Job): void {
  const at = jobs.value.findIndex(({ id }) => id === job.id);
  jobs.value = at < 0 ? [job, ...jobs.value].slice(0, MOST_JOBS) : jobs.value.with(at, job);
}

export function takeSession(session: LiveSession): void {
  const at = sessions.value.findIndex(({ id }) => id === session.id);
  sessions.value = at < 0 ? [session, ...sessions.value] : sessions.value.with(at, session);
}

export function dropSession(gone: string): void {
  sessions.value = sessions.value.filter(({ id }) => id !== gone);
}

export function takeExchange(exchange: Exchange): void {
  const at = traffic.value.findIndex(({ id }) => id === exchange.id);
  traffic.value = at < 0 ? [...traffic.value, exchange].slice(-MOST_EXCHANGES) : traffic.value.with(at, exchange);
}

export function takeLine(line: LogLine): void {
  log.value = [...log.value, line].slice(-MOST_LINES);
}

export function takeFaults({ faults, down, speed, dialect }: Extract<Live, { is: 'faults' }>): void {
  if (!gateway.value) return;
  const { talk } = gateway.value;
  gateway.value = {
    ...{ ...gateway.value, faults, down },
    ...(speed !== undefined && { speed }),
    ...(talk !== undefined && dialect !== undefined && { talk: { ...talk, dialect } }),
  };
}

export async function makeTrouble(trouble: Trouble): Promise<void> {
  try {
    const { said: text } = await tell<TroubleResult>('/api/trouble', trouble);
    said.value = { text, failed: false, trouble: trouble.do };
  } catch (error) {
    said.value = { text: sentenceOf(error), failed: true, trouble: trouble.do };
  }
  say(said.value.text);
}
