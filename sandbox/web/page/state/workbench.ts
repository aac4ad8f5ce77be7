import { computed, signal } from '@preact/signals';
import type {
  BotState,
  Exchange,
  Job,
  LiveEvent,
  LiveSession,
  LogLine,
  Trouble,
  TroubleResult,
  Workbench,
} from '../../protocol.ts';
import { announceText } from './announce.ts';
import { errorMessage, getJson, postJson } from './api.ts';

const MAX_JOBS = 200;
const MAX_EXCHANGES = 300;
const MAX_LOG_LINES = 200;

export const bot = signal<BotState | undefined>(undefined);
export const log = signal<readonly LogLine[]>([]);
export const jobs = signal<readonly Job[]>([]);
/** Open live sessions, newest first. */
export const sessions = signal<readonly LiveSession[]>([]);
export const traffic = signal<readonly Exchange[]>([]);
export const gateway = signal<Omit<Workbench['gateway'], 'jobs'> | undefined>(undefined);
/** The result of the latest fault button. */
export const troubleResult = signal<
  { readonly text: string; readonly failed: boolean; readonly trouble: Trouble['do'] } | undefined
>(undefined);

const hasEnded = ({ state }: Job) => state === 'succeeded' || state === 'failed';
export const runningJobs = computed(() => jobs.value.filter((job) => !hasEnded(job)));
export const violationCount = computed(() => traffic.value.filter(({ verdict }) => verdict !== 'fine').length);

export async function loadWorkbench(): Promise<void> {
  const { bot: botWithLog, gateway: gatewayState, traffic: exchanges } = await getJson<Workbench>('/api/workbench');
  const { log: lines, ...state } = botWithLog;
  const { jobs: allJobs, ...rest } = gatewayState;
  bot.value = state;
  log.value = lines;
  jobs.value = allJobs;
  sessions.value = gatewayState.talk?.sessions ?? [];
  gateway.value = rest;
  traffic.value = exchanges;
}

export function applyJob(job: Job): void {
  const index = jobs.value.findIndex(({ id }) => id === job.id);
  jobs.value = index < 0 ? [job, ...jobs.value].slice(0, MAX_JOBS) : jobs.value.with(index, job);
}

export function applySession(session: LiveSession): void {
  const index = sessions.value.findIndex(({ id }) => id === session.id);
  sessions.value = index < 0 ? [session, ...sessions.value] : sessions.value.with(index, session);
}

export function removeSession(sessionId: string): void {
  sessions.value = sessions.value.filter(({ id }) => id !== sessionId);
}

export function applyExchange(exchange: Exchange): void {
  const index = traffic.value.findIndex(({ id }) => id === exchange.id);
  traffic.value = index < 0 ? [...traffic.value, exchange].slice(-MAX_EXCHANGES) : traffic.value.with(index, exchange);
}

export function addLine(line: LogLine): void {
  log.value = [...log.value, line].slice(-MAX_LOG_LINES);
}

export function applyFaults({ faults, down, speed, dialect }: Extract<LiveEvent, { is: 'faults' }>): void {
  if (!gateway.value) return;
  const { talk } = gateway.value;
  gateway.value = {
    ...gateway.value,
    faults,
    down,
    ...(speed !== undefined && { speed }),
    ...(talk !== undefined && dialect !== undefined && { talk: { ...talk, dialect } }),
  };
}

export async function makeTrouble(trouble: Trouble): Promise<void> {
  try {
    const { said: text } = await postJson<TroubleResult>('/api/trouble', trouble);
    troubleResult.value = { text, failed: false, trouble: trouble.do };
  } catch (error) {
    troubleResult.value = { text: errorMessage(error), failed: true, trouble: trouble.do };
  }
  announceText(troubleResult.value.text);
}
