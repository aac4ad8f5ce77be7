import type { ActiveFault } from '../gateway/faults.ts';
import type { EmbeddedGateway } from '../gateway/gateway.ts';
import type { Job as GatewayJob } from '../gateway/job.ts';
import { CALLBACK_FAULT_DESCRIPTIONS } from './callback-troubles.ts';
import type { Fault, Job, Workbench } from './protocol.ts';
import { talkWorkbench } from './talk-side.ts';
import { describeTalkTrouble } from './talk-troubles.ts';

const MAX_JOBS = 200;

/** The bot's gateway: the embedded one, which can be inspected and controlled, or a real one, which cannot. */
export type BotGateway =
  | {
      readonly kind: 'embedded';
      readonly embedded: EmbeddedGateway;
      readonly initialSpeed: number;
      readonly key: string;
    }
  | { readonly kind: 'real'; readonly address: string };

export function gatewayWorkbench(gateway: BotGateway): Workbench['gateway'] {
  if (gateway.kind === 'real')
    return {
      kind: 'real',
      address: gateway.address,
      jobs: [],
      faults: [],
      down: false,
      jobsUnseen: 'The jobs of a real gateway are not visible here. Open Traffic to see what the bot sends to Discord.',
    };
  const { embedded } = gateway;
  const { url: address, settings, isDown: down } = embedded;
  return {
    kind: 'embedded',
    address,
    down,
    speed: settings.speed,
    faults: faultsOf(embedded),
    talk: talkWorkbench(embedded),
    jobs: embedded.jobs
      .list()
      .slice(-MAX_JOBS)
      .reverse()
      .map((job) => jobOf(job, embedded)),
  };
}

/** Converts a job for display, without its key and its bytes. */
export function jobOf(job: GatewayJob, { tally }: EmbeddedGateway): Job {
  const { id, kind, model, prompt, state, progress, reason, createdAt, startedAt, finishedAt } = job;
  return {
    id,
    kind,
    model,
    prompt,
    state,
    progress,
    createdAt,
    ...(reason !== undefined && { reason }),
    ...(startedAt !== undefined && { startedAt }),
    ...(finishedAt !== undefined && { finishedAt }),
    ...tally.countOf(id),
  };
}

export const faultsOf = ({ faults }: EmbeddedGateway): Fault[] =>
  faults.list().map((fault) => ({ id: String(fault.id), what: describeFault(fault) }));

function describeFault({ do: fault, left }: ActiveFault): string {
  const next = (noun: string) => (left === 1 ? `The next ${noun}` : `Each of the next ${left} ${noun}s`);
  switch (fault.type) {
    case 'status':
      return `${next('request')} fails with status ${fault.status}.`;
    case 'accepted-then':
      return `${next('submit')} is accepted, but its response is lost.`;
    case 'fail':
      return `${next('job')} fails${fault.reason === undefined ? '' : `: ${fault.reason}`}`.replace(/([^.])$/, '$1.');
    case 'callbacks':
      return CALLBACK_FAULT_DESCRIPTIONS[fault.how];
    case 'realtime':
      return `${describeTalkTrouble(fault.how)}${left > 1 ? ` This happens ${left} times.` : ''}`;
    default:
      return `${next('request')} is affected by the fault "${fault.type}".`;
  }
}
