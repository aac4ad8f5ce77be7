import type { Job, JobsOptions, Queue, Worker, WorkerOptions } from 'bullmq';
import { type Clock, pause } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';

/** An event from Discord, on its way to the partition that handles it. */
export interface Packet {
  /** Discord's id of the event. A packet with the same id is not queued again for a while. */
  readonly id: string;
  readonly content: unknown;
}

export interface TakenPacket extends Packet {
  /** Whether another process may have begun to handle this packet. One that declined it has not. */
  readonly isRepeated: boolean;
}

/** Must not throw. A packet that was declined returns to the queue, and another process takes it. */
export type HandlePacket = (packet: TakenPacket) => Promise<'declined' | undefined>;

/** How long an id is remembered after its packet was handled: as long as interaction tokens are valid. Discord resends nothing older. */
const RETENTION_SECONDS = 15 * 60;
/** How many packets of one partition are handled at the same time; some stream an answer for minutes. */
const MAX_CONCURRENT_PACKETS = 500;
/** How often owners check for packets whose process has ended. */
const STALLED_CHECK_MS = 2_000;
/** The pause before an owner that cannot reach the server tries again, and before a worker is replaced. */
const RETRY_MS = 1_000;
/** While the server is away, every queue and every consumer fails again and again. */
const WARNING_INTERVAL_MS = 10_000;
/** How often a packet may be reassigned after the process that handled it has ended. */
const MAX_TAKEOVERS = 20;
const JOB_NAME = 'packet';

const jobOptions: JobsOptions = {
  removeOnComplete: { age: RETENTION_SECONDS },
  removeOnFail: { age: RETENTION_SECONDS },
};

type Content = Packet['content'];
/** The content of a handled packet, of which only the id is kept. */
const HANDLED_CONTENT = null;

type PacketWorker = Pick<Worker, 'waitUntilReady' | 'run' | 'close'>;
type PacketQueue = Pick<Queue<Content>, 'waitUntilReady' | 'add' | 'getJob' | 'getWaitingCount' | 'close'>;

/** Creates BullMQ's queues and workers over shared connections to one kind of server. The workers do not run yet. */
export interface QueueServer {
  queue(name: string, onError: (error: Error) => void): PacketQueue;
  worker(
    name: string,
    handle: (job: Job<Content>, token: string | undefined) => Promise<void>,
    options: Omit<WorkerOptions, 'connection'>,
    onError: (error: Error) => void,
  ): PacketWorker;
  close(): Promise<void>;
}

/**
 * The durable queues from the processes that receive packets to those that handle them, one for each partition. BullMQ stores packets, gives each to one
 * process, and gives it to another if that one ends.
 */
export class Inbox {
  readonly #server: QueueServer;
  readonly #lockMs: number;
  readonly #clock: Clock;
  readonly #log: PlainLog;
  readonly #queues = new Map<number, PacketQueue>();
  /** Each ends a consumer. */
  readonly #consumers = new Set<() => Promise<void>>();
  #warnedAt = Number.NEGATIVE_INFINITY;

  /** `lockMs`: how long a packet stays assigned to a process that no longer renews its lock. */
  constructor(server: QueueServer, lockMs: number, { clock, log }: { clock: Clock; log: PlainLog }) {
    this.#server = server;
    this.#lockMs = lockMs;
    this.#clock = clock;
    this.#log = log;
  }

  /** The packet survives a crash once this resolves. */
  async put(partition: number, { id, content }: Packet): Promise<void> {
    await this.#queue(partition).add(JOB_NAME, content, { ...jobOptions, jobId: jobIdOf(id) });
  }

  /** Whether no process has taken a packet yet. */
  async isWaiting(partition: number, id: string): Promise<boolean> {
    const job = await this.#queue(partition).getJob(jobIdOf(id));
    return (await job?.isWaiting()) ?? false;
  }

  /** Removes a packet; false if a process has taken it already, or it was never queued. */
  async withdraw(partition: number, id: string): Promise<boolean> {
    const job = await this.#queue(partition).getJob(jobIdOf(id));
    if (!job || !(await job.isWaiting())) return false;
    try {
      await job.remove();
      return true;
    } catch {
      // A process has just taken the packet, and holds its lock.
      return false;
    }
  }

  /** Handles a partition's packets until the consumer is closed. Closing waits for packets that are being handled. */
  consume(partition: number, handle: HandlePacket): { close(): Promise<void> } {
    const running = new Map<string, Promise<void>>();
    const onError = this.#onError(partition);
    const handleAndMark = async (job: Job<Content>, token: string | undefined): Promise<void> => {
      // The progress of a job is the number of processes that have declined its packet: they have not begun to handle it.
      const declinedCount = Number(job.progress);
      const isRepeated = job.attemptsStarted > declinedCount + 1;
      if ((await handle({ id: packetIdOf(job.id), content: job.data, isRepeated })) !== 'declined')
        return void (await job.updateData(HANDLED_CONTENT));
      // If the queue cannot be told, another process takes the packet when its lock expires.
      await job
        .updateProgress(declinedCount + 1)
        .then(() => job.moveToWait(token))
        .catch(onError);
      throw new PacketReturned();
    };
    const run = async (job: Job<Content>, token: string | undefined): Promise<void> => {
      // It was handled, but the queue could not be told.
      if (job.data === HANDLED_CONTENT) return;
      const id = packetIdOf(job.id);
      // If this process could not renew its lock in time, it receives a packet again that it is still handling.
      const handling = running.get(id) ?? handleAndMark(job, token);
      running.set(id, handling);
      await handling.finally(() => running.delete(id));
    };
    const options = {
      concurrency: MAX_CONCURRENT_PACKETS,
      lockDuration: this.#lockMs,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: MAX_TAKEOVERS,
      runRetryDelay: RETRY_MS,
    };
    const createWorker = () => this.#server.worker(nameOf(partition), run, options, onError);
    const stop = runWorker(createWorker, onError, this.#clock);
    this.#consumers.add(stop);
    return {
      close: async () => {
        this.#consumers.delete(stop);
        await stop();
      },
    };
  }

  /** How many packets no process has taken yet. */
  waitingCount(partition: number): Promise<number> {
    return this.#queue(partition).getWaitingCount();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#consumers].map((stop) => stop()));
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
    await this.#server.close();
  }

  #queue(partition: number): PacketQueue {
    const existing = this.#queues.get(partition);
    if (existing) return existing;
    const queue = this.#server.queue(nameOf(partition), this.#onError(partition));
    this.#queues.set(partition, queue);
    // A queue whose connection failed while it started never recovers.
    queue.waitUntilReady().catch(() => {
      this.#queues.delete(partition);
      void queue.close().catch(() => undefined);
    });
    return queue;
  }

  #onError(partition: number): (error: Error) => void {
    return (error) => {
      if (Math.abs(this.#clock.now() - this.#warnedAt) < WARNING_INTERVAL_MS) return;
      this.#warnedAt = this.#clock.now();
      this.#log.warn({ partition, err: error }, 'A packet queue failed; retrying.');
    };
  }
}

/**
 * Takes packets once the connections of its worker work. If one of them fails while it starts, BullMQ's worker never recovers, and tries again without a pause; so it is
 * replaced. The returned function ends this.
 */
function runWorker(
  createWorker: () => PacketWorker,
  onError: (error: Error) => void,
  clock: Clock,
): () => Promise<void> {
  const closing = new AbortController();
  const { signal } = closing;
  let worker = createWorker();
  const start = async (): Promise<void> => {
    while (!(await isReady(worker))) {
      await pause(clock, RETRY_MS, signal);
      if (signal.aborted) return;
      await worker.close().catch(onError);
      if (signal.aborted) return;
      worker = createWorker();
    }
    if (!signal.aborted) await worker.run().catch(onError);
  };
  void start();
  return async () => {
    closing.abort();
    await worker.close();
  };
}

async function isReady(worker: PacketWorker): Promise<boolean> {
  try {
    await worker.waitUntilReady();
    return true;
  } catch {
    // The worker has reported the error.
    return false;
  }
}

/** BullMQ leaves the packets alone whose handler fails with an error of this name. */
class PacketReturned extends Error {
  override readonly name = 'WaitingError';
}

const nameOf = (partition: number): string => `atelier-inbox-${partition}`;

/** BullMQ does not allow an id that consists only of digits. */
const jobIdOf = (id: string): string => `i${id}`;
const packetIdOf = (jobId = ''): string => jobId.slice(1);
