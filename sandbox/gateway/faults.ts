import { EventEmitter } from 'node:events';
import type { JobFault } from './fault.ts';
import { type Fault, type FaultTarget, isJobFault, isRealtimeFault, isTextFault, type ResponseFault } from './fault.ts';
import { faultPresets, type PresetName } from './fault-presets.ts';
import type { JobFaultEffects } from './job.ts';
import { type FaultTiming, type RealtimeFault, timingOf } from './realtime/fault.ts';
import { refusedFields, type TextFault } from './text/fault.ts';

export interface FaultRule {
  readonly on?: FaultTarget;
  readonly do: Fault | PresetName;
  /** The number of requests or jobs that the fault affects; 1 by default. */
  readonly times?: number;
  /** The number of matching requests or jobs that are skipped first; 0 by default. */
  readonly after?: number;
}

export interface ActiveFault {
  readonly id: number;
  readonly on: FaultTarget;
  readonly do: Fault;
  readonly left: number;
  readonly skips: number;
}

export interface RequestFacts {
  readonly method: string;
  readonly path: string;
  readonly kind?: string | undefined;
}

/** The injected faults. Response faults apply to requests, job faults to the next created job. */
export class FaultQueue extends EventEmitter<{ change: [] }> {
  #active: ActiveFault[] = [];
  #lastId = 0;

  add(rule: FaultRule): number {
    const { on = {}, times = 1, after = 0 } = rule;
    if (!(times > 0) || !(after >= 0))
      throw new RangeError('`times` must be above 0, and `after` must not be negative.');
    const fault = typeof rule.do === 'string' ? faultPresets[rule.do] : rule.do;
    this.#lastId += 1;
    this.#active.push({ id: this.#lastId, on, do: fault, left: times, skips: after });
    this.emit('change');
    return this.#lastId;
  }

  list(): readonly ActiveFault[] {
    return [...this.#active];
  }

  clear(): void {
    this.#active = [];
    this.emit('change');
  }

  remove(id: number): boolean {
    const previousCount = this.#active.length;
    this.#active = this.#active.filter((fault) => fault.id !== id);
    this.emit('change');
    return this.#active.length < previousCount;
  }

  /** Returns only the first match; the others wait for the next request. */
  takeForResponse(request: RequestFacts): ResponseFault | undefined {
    const isResponseFault = (fault: Fault): fault is ResponseFault =>
      !isJobFault(fault) && !isTextFault(fault) && !isRealtimeFault(fault);
    return this.#take(request, isResponseFault, 1)[0];
  }

  /** A fault that refuses a field applies only to requests that contain the field. */
  takeForText(request: RequestFacts, sentFields: readonly string[]): TextFault | undefined {
    const applies = ({ how }: TextFault) => {
      const field = refusedFields.get(how);
      return field === undefined || sentFields.includes(field);
    };
    return this.#take(request, (fault): fault is TextFault => isTextFault(fault) && applies(fault), 1)[0];
  }

  /** The first fault that applies at this point of a session. */
  takeForRealtime(request: RequestFacts, timing: FaultTiming, requestsTranscripts: boolean): RealtimeFault | undefined {
    const applies = (fault: RealtimeFault) =>
      timingOf(fault) === timing && (fault.how !== 'refuse-transcriber' || requestsTranscripts);
    return this.#take(request, (fault): fault is RealtimeFault => isRealtimeFault(fault) && applies(fault), 1)[0];
  }

  /** Job faults are combined: a job can be slow and fail. */
  takeForJob(request: RequestFacts): JobFaultEffects {
    const faults = this.#take(request, isJobFault, Number.POSITIVE_INFINITY);
    return Object.assign({}, ...faults.map(effectsOf));
  }

  #take<Match extends Fault>(request: RequestFacts, isMatch: (fault: Fault) => fault is Match, max: number): Match[] {
    const takenFaults: Match[] = [];
    this.#active = this.#active.flatMap((active) => {
      const fault = active.do;
      if (takenFaults.length >= max || !isMatch(fault) || !matches(active.on, request)) return [active];
      if (active.skips > 0) return [{ ...active, skips: active.skips - 1 }];
      takenFaults.push(fault);
      return active.left > 1 ? [{ ...active, left: active.left - 1 }] : [];
    });
    if (takenFaults.length > 0) this.emit('change');
    return takenFaults;
  }
}

function matches(target: FaultTarget, request: RequestFacts): boolean {
  if (target.method && target.method.toUpperCase() !== request.method) return false;
  if (target.kind && request.kind !== target.kind && !(target.kind === 'any' && request.kind)) return false;
  if (typeof target.path === 'string') return request.path.startsWith(target.path);
  // Patterns with the g or y flag keep state between calls.
  return (
    target.path === undefined ||
    new RegExp(target.path.source, target.path.flags.replace(/[gy]/g, '')).test(request.path)
  );
}

function effectsOf(fault: JobFault): JobFaultEffects {
  switch (fault.type) {
    case 'stick':
      return { sticks: true };
    case 'fail':
      return { failsWith: fault.reason ?? faultPresets.fail.reason };
    case 'slow':
      return { takesTimes: fault.times };
    case 'lose-files':
      return { losesFiles: true };
    case 'huge-file':
      return { paddedTo: Math.round((fault.megabytes ?? faultPresets['huge-file'].megabytes) * 1024 * 1024) };
    case 'no-media':
      return { withoutMedia: true };
    case 'imposter':
      return { pretends: fault.as ?? 'html' };
    case 'no-buttons':
      return { withoutButtons: true };
    case 'callbacks':
      return { callbacks: fault.how };
  }
}
