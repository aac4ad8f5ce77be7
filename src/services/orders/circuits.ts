import type { Clock } from '../../lib/clock.ts';
import { RecentMap } from '../../lib/recent-map.ts';
import { Refusal } from '../../lib/refusal.ts';
import { blamesRequest } from '../gateway/error-responses.ts';
import { GatewayError } from '../gateway/errors.ts';
import type { TaskKind } from '../tasks/kind-spec.ts';
import { hasEnded, type Task } from '../tasks/task.ts';
import type { OrderedRequest } from '../tasks/transitions.ts';
import type { TaskBook } from './book.ts';

/**
 * After this many failures in a row within this time a model is considered failing, unless all are from one member, whose requests may
 * be the cause.
 */
const MIN_FAILURES = 5;
const WINDOW_MS = 10 * 60_000;
const MIN_MEMBERS = 2;
/** How long orders are refused before one is let through as a trial. It doubles with each failed trial. */
const FIRST_PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 30 * 60_000;
/** A model is forgotten if no one requests it for this long after its pause. */
const RETENTION_MS = 60 * 60_000;
/** Limits the memory that invented model ids can take. */
const MAX_CIRCUITS = 500;

interface Probe {
  readonly id: string;
}

interface Opening {
  since: number;
  until: number;
  pauseMs: number;
  /** The trial order. */
  probe?: Probe | undefined;
}

interface Circuit {
  kind: TaskKind;
  /** Undefined if orders of this kind name no model. */
  model: string | undefined;
  failures: { at: number; memberId: string }[];
  opening?: Opening | undefined;
}

export interface FailingModel {
  kind: TaskKind;
  model: string | undefined;
  since: number;
  until: number;
  isBeingProbed: boolean;
}

/**
 * Refuses orders for a model whose jobs fail, until a trial order succeeds. Only jobs that failed at the model or the gateway count: refused
 * requests and unknown outcomes do not, nor do problems that concern all models, such as missing credit, a wrong key or an unreachable gateway.
 * This is kept in memory only, so after a restart every model is accepted again.
 */
export class ModelCircuits {
  readonly #clock: Clock;
  /** Sorted so that models with the latest failures come last. */
  readonly #circuits = new RecentMap<string, Circuit>(MAX_CIRCUITS);

  constructor({ book, clock }: { book: TaskBook; clock: Clock }) {
    this.#clock = clock;
    book.onChange((task, previous) => {
      if (hasEnded(task) && previous && !hasEnded(previous)) this.#recordEnd(task);
      // The trial order is taking long, so another one is let through.
      else if (task.times.overdue !== undefined) this.#release(task.id);
    });
    book.onRemove(({ id }) => this.#release(id));
  }

  /** Throws if the model is failing. After a pause, a single order is let through as a trial. */
  admit(id: string, order: OrderedRequest<TaskKind>): Probe | undefined {
    this.#removeExpired();
    const { model } = order.request;
    const opening = this.#circuits.get(keyOf(order))?.opening;
    if (!opening) return undefined;
    const { probe } = opening;
    const since = toSeconds(opening.since);
    const until = toSeconds(opening.until);
    if (probe && probe.id !== id)
      throw model === undefined
        ? new Refusal('refusals.probing.kind', { since })
        : new Refusal('refusals.probing.model', { model, since });
    if (!probe && this.#clock.now() < opening.until)
      throw model === undefined
        ? new Refusal('refusals.failing.kind', { since, until })
        : new Refusal('refusals.failing.model', { model, since, until });
    opening.probe = { id };
    return opening.probe;
  }

  /** Lets an order through or refuses it. If the order's task is not sent, the order no longer counts as the trial. */
  async run(id: string, order: OrderedRequest<TaskKind>, work: () => Promise<Task>): Promise<Task> {
    const probe = this.admit(id, order);
    let task: Task | undefined;
    try {
      task = await work();
      return task;
    } finally {
      if (probe && (!task || task.state === 'waiting')) this.#release(probe);
    }
  }

  recordRefusal(task: Task, error: unknown): void {
    if (!(error instanceof GatewayError)) return;
    if (error.refusesModel || (error.kind === 'forbidden' && error.hasKnownCode)) this.#recordFailure(task);
  }

  findFailing(order: OrderedRequest<TaskKind>): FailingModel | undefined {
    this.#removeExpired();
    const circuit = this.#circuits.get(keyOf(order));
    return circuit && failingModelOf(circuit);
  }

  get size(): number {
    return this.#circuits.size;
  }

  get allFailing(): FailingModel[] {
    this.#removeExpired();
    return [...this.#circuits.values()].flatMap((circuit) => failingModelOf(circuit) ?? []);
  }

  #recordEnd(task: Task): void {
    if (task.state === 'ready' || task.state === 'delivered') this.#circuits.delete(keyOf(task));
    else if (isModelsFault(task)) this.#recordFailure(task);
    else this.#release(task.id);
  }

  #recordFailure(task: Task): void {
    // A conversation can go on for hours, so it cannot serve as the trial.
    if (task.traits.isTalk) return;
    const now = this.#clock.now();
    const key = keyOf(task);
    const { kind, request, requesterId: memberId } = task;
    const circuit = this.#circuits.get(key) ?? { kind, model: request.model, failures: [] };
    const { opening } = circuit;
    if (opening) {
      // Only the trial counts, because other jobs were ordered before the model was known to fail.
      if (opening.probe?.id === task.id) {
        const pauseMs = Math.min(MAX_PAUSE_MS, 2 * opening.pauseMs);
        circuit.opening = { since: opening.since, until: now + pauseMs, pauseMs };
      }
      return;
    }
    const failures = [...circuit.failures.filter(({ at }) => now - at < WINDOW_MS), { at: now, memberId }];
    circuit.failures = failures;
    const members = new Set(failures.map((failure) => failure.memberId));
    if (failures.length >= MIN_FAILURES && members.size >= MIN_MEMBERS)
      circuit.opening = { since: failures[0]?.at ?? now, until: now + FIRST_PAUSE_MS, pauseMs: FIRST_PAUSE_MS };
    this.#circuits.set(key, circuit);
  }

  /** Releases a trial, given the id of its task or the probe that `admit` returned. */
  #release(trial: string | Probe): void {
    for (const { opening } of this.#circuits.values()) {
      const { probe } = opening ?? {};
      if (opening && probe && (probe === trial || probe.id === trial)) opening.probe = undefined;
    }
  }

  #removeExpired(): void {
    const now = this.#clock.now();
    for (const [key, { opening, failures }] of this.#circuits) {
      const latestFailureAt = failures.at(-1)?.at ?? 0;
      const hasExpired = opening
        ? !opening.probe && now - opening.until >= RETENTION_MS
        : now - latestFailureAt >= WINDOW_MS;
      if (hasExpired) this.#circuits.delete(key);
    }
  }
}

const keyOf = ({ kind, request: { model = '' } }: OrderedRequest<TaskKind>): string => `${kind} ${model}`;

const toSeconds = (at: number): number => Math.ceil(at / 1000);

function failingModelOf({ kind, model, opening }: Circuit): FailingModel | undefined {
  if (!opening) return undefined;
  const { since, until, probe } = opening;
  return { kind, model, since, until, isBeingProbed: probe !== undefined };
}

/** The gateway accepted the job and did not carry it out. */
const isModelsFault = ({ state, failure }: Task): boolean =>
  state === 'expired' || (state === 'failed' && failure?.cause === 'failed' && !blamesRequest(failure.code));
