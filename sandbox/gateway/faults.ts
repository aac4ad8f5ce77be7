import { EventEmitter } from 'node:events';
import type { JobFault } from './fault.ts';
import { type AnswerFault, type Fault, type FaultTarget, isJobFault, isRealtimeFault, isTextFault } from './fault.ts';
import { faultPresets, type PresetName } from './fault-presets.ts';
import type { JobOrders } from './job.ts';
import { type Moment, momentOf, type RealtimeFault } from './realtime/fault.ts';
import { refusedFields, type TextFault } from './text/fault.ts';

export interface FaultOrder {
  readonly on?: FaultTarget;
  readonly do: Fault | PresetName;
  /** How many it strikes; one, unless told. */
  readonly times?: number;
  /** How many that match are spared first. */
  readonly after?: number;
}

export interface StandingFault {
  readonly id: number;
  readonly on: FaultTarget;
  readonly do: Fault;
  readonly left: number;
  readonly spare: number;
}

export interface Occasion {
  readonly method: string;
  readonly path: string;
  readonly kind?: string | undefined;
}

/** Trouble on demand. Faults on an answer strike a request, faults on a job the next job that is created. */
export class FaultBook extends EventEmitter<{ change: [] }> {
  #standing: StandingFault[] = [];
  #last = 0;

  add(order: FaultOrder): number {
    const { on = {}, times = 1, after = 0 } = order;
    if (!(times > 0) || !(after >= 0)) throw new RangeError('A fault strikes at least once, after at least none.');
    const fault = typeof order.do === 'string' ? faultPresets[order.do] : order.do;
    this.#last += 1;
    this.#standing.push({ id: this.#last, on, do: fault, left: times, spare: after });
    this.emit('change');
    return this.#last;
  }

  list(): readonly StandingFault[] {
    return [...this.#standing];
  }

  clear(): void {
    this.#standing = [];
    this.emit('change');
  }

  remove(id: number): boolean {
    const before = this.#standing.length;
    this.#standing = this.#standing.filter((fault) => fault.id !== id);
    this.emit('change');
    return this.#standing.length < before;
  }

  /** The first that matches strikes; the others wait for the next request. */
  forAnswer(occasion: Occasion): AnswerFault | undefined {
    const ofAnswers = (fault: Fault): fault is AnswerFault =>
      !isJobFault(fault) && !isTextFault(fault) && !isRealtimeFault(fault);
    return this.#take(occasion, ofAnswers, 1)[0];
  }

  /** A refusal of something strikes those alone who ask for it. */
  forText(occasion: Occasion, sentFields: readonly string[]): TextFault | undefined {
    const concerns = ({ how }: TextFault) => {
      const field = refusedFields.get(how);
      return field === undefined || sentFields.includes(field);
    };
    return this.#take(occasion, (fault): fault is TextFault => isTextFault(fault) && concerns(fault), 1)[0];
  }

  /** The first that strikes at such a moment. */
  forRealtime(occasion: Occasion, moment: Moment, asksForTranscripts: boolean): RealtimeFault | undefined {
    const concerns = (fault: RealtimeFault) =>
      momentOf(fault) === moment && (fault.how !== 'refuse-transcriber' || asksForTranscripts);
    return this.#take(occasion, (fault): fault is RealtimeFault => isRealtimeFault(fault) && concerns(fault), 1)[0];
  }

  /** Faults on a job add up: one may be slow and fail. */
  forJob(occasion: Occasion): JobOrders {
    const faults = this.#take(occasion, isJobFault, Number.POSITIVE_INFINITY);
    return Object.assign({}, ...faults.map(ordersOf));
  }

  #take<Wanted extends Fault>(occasion: Occasion, wanted: (fault: Fault) => fault is Wanted, most: number): Wanted[] {
    const struck: Wanted[] = [];
    this.#standing = this.#standing.flatMap((standing) => {
      const fault = standing.do;
      if (struck.length >= most || !wanted(fault) || !matches(standing.on, occasion)) return [standing];
      if (standing.spare > 0) return [{ ...standing, spare: standing.spare - 1 }];
      struck.push(fault);
      return standing.left > 1 ? [{ ...standing, left: standing.left - 1 }] : [];
    });
    if (struck.length > 0) this.emit('change');
    return struck;
  }
}

function matches(target: FaultTarget, occasion: Occasion): boolean {
  if (target.method && target.method.toUpperCase() !== occasion.method) return false;
  if (target.kind && occasion.kind !== target.kind && !(target.kind === 'any' && occasion.kind)) return false;
  if (typeof target.path === 'string') return occasion.path.startsWith(target.path);
  // A pattern with the flag g or y remembers where it stopped.
  return (
    target.path === undefined ||
    new RegExp(target.path.source, target.path.flags.replace(/[gy]/g, '')).test(occasion.path)
  );
}

function ordersOf(fault: JobFault): JobOrders {
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
  }
}
