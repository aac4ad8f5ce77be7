import type { Clock } from '../../../lib/clock.ts';
import { Refusal, throwIfRefusal } from '../../../lib/refusal.ts';
import { type JobResult, WorkerLost, WorkerPool } from '../../../lib/worker-pool.ts';
import type { SchemaCheck } from '../../tasks/answer.ts';
import type { Gather, MemberFile } from '../../tasks/materials.ts';
import { parseSchema } from './parse.ts';
import type { SchemaJob, SchemaVerdict } from './schema.worker.ts';

interface AnswerSchemasParts {
  gather: Gather;
  timeLimitMs: number;
  /** The real clock, because the worker takes real time. */
  clock: Clock;
}

/** Only a schema with a hostile pattern or endless references takes longer. The time includes starting the worker on a busy machine. */
const MAX_DURATION_MS = 5_000;
const WORKER = new URL('./schema.worker.ts', import.meta.url);

/** Checks answers against the schemas of members, in a thread that can be terminated. */
export class AnswerSchemas {
  readonly #parts: AnswerSchemasParts;
  readonly #workers: WorkerPool<SchemaJob, SchemaVerdict>;

  constructor(parts: AnswerSchemasParts) {
    this.#parts = parts;
    this.#workers = new WorkerPool(WORKER, parts.clock);
  }

  /** Returns the schema as it is stored and sent; refuses an invalid one. */
  async read(source: string | MemberFile, memberId: string): Promise<string> {
    const schema = JSON.stringify(throwIfRefusal(parseSchema(await this.#textOf(source, memberId))));
    const verdict = await this.#run({ schema });
    if (!verdict) throw new Refusal('refusals.schemaSlow');
    if (verdict.problem !== undefined) throw new Refusal('refusals.schemaInvalid', { at: verdict.problem || '/' });
    return schema;
  }

  /** Returns the answer as formatted JSON and the places that do not match, or undefined if it is not JSON. */
  async check(schema: string, answer: string): Promise<{ text: string; check: SchemaCheck } | undefined> {
    const verdict = await this.#run({ schema, answer });
    return verdict ? verdict.checked : { text: answer, check: { misfits: [], count: 0, isUnfinished: true } };
  }

  close(): Promise<void> {
    return this.#workers.close();
  }

  async #textOf(source: string | MemberFile, memberId: string): Promise<string> {
    if (typeof source === 'string') return source;
    const { gather, timeLimitMs } = this.#parts;
    const { documents: [file] = [] } = await gather({ documents: [source] }, { memberId, timeLimitMs });
    if (file?.text === undefined) throw new Refusal('refusals.schemaNotJson');
    return file.text;
  }

  /** Undefined if the check took too much time or memory, or if the queue is full. */
  async #run(job: SchemaJob): Promise<SchemaVerdict | undefined> {
    try {
      const result: JobResult<SchemaVerdict> = await this.#workers.run(job, [], { longestMs: MAX_DURATION_MS });
      return 'done' in result ? result.done : undefined;
    } catch (error) {
      if (error instanceof WorkerLost || error instanceof Refusal) return undefined;
      throw error;
    }
  }
}
