import type { Clock } from '../../../lib/clock.ts';
import { Refusal, throwRefusal } from '../../../lib/refusal.ts';
import { type JobResult, WorkerLost, WorkerPool } from '../../../lib/worker-pool.ts';
import type { SchemaCheck } from '../../tasks/answer.ts';
import type { Gather, MemberFile } from '../../tasks/materials.ts';
import { parseSchema } from './parse.ts';
import type { SchemaJob, SchemaVerdict } from './schema.worker.ts';

interface AnswerSchemasParts {
  gather: Gather;
  timeLimitMs: number;
  /** Of the machine: the worker takes real time. */
  clock: Clock;
}

/** A schema with a hostile pattern or endless references takes longer. Includes the start of the worker on a busy machine. */
const LONGEST_MS = 5_000;
const WORKER = new URL('./schema.worker.ts', import.meta.url);

/** Schemas that members give for answers, checked in a thread that can be ended. */
export class AnswerSchemas {
  readonly #parts: AnswerSchemasParts;
  readonly #workers: WorkerPool<SchemaJob, SchemaVerdict>;

  constructor(parts: AnswerSchemasParts) {
    this.#parts = parts;
    this.#workers = new WorkerPool(WORKER, parts.clock);
  }

  /** The schema as it is stored and sent; anything else is a refusal. */
  async read(given: string | MemberFile, memberId: string): Promise<string> {
    const schema = JSON.stringify(throwRefusal(parseSchema(await this.#textOf(given, memberId))));
    const verdict = await this.#run({ schema });
    if (!verdict) throw new Refusal('refusals.schemaSlow');
    if (verdict.problem !== undefined) throw new Refusal('refusals.schemaInvalid', { at: verdict.problem || '/' });
    return schema;
  }

  /** The answer as formatted JSON, and where it does not fit; undefined where it is no JSON. */
  async check(schema: string, answer: string): Promise<{ text: string; check: SchemaCheck } | undefined> {
    const verdict = await this.#run({ schema, answer });
    return verdict ? verdict.checked : { text: answer, check: { misfits: [], count: 0, isUnfinished: true } };
  }

  close(): Promise<void> {
    return this.#workers.close();
  }

  async #textOf(given: string | MemberFile, memberId: string): Promise<string> {
    if (typeof given === 'string') return given;
    const { gather, timeLimitMs } = this.#parts;
    const { documents: [file] = [] } = await gather({ documents: [given] }, { memberId, timeLimitMs });
    if (file?.text === undefined) throw new Refusal('refusals.schemaNotJson');
    return file.text;
  }

  /** Undefined where the check took too much time or memory, or there is no room for it. */
  async #run(job: SchemaJob): Promise<SchemaVerdict | undefined> {
    try {
      const result: JobResult<SchemaVerdict> = await this.#workers.run(job, [], { longestMs: LONGEST_MS });
      return 'done' in result ? result.done : undefined;
    } catch (error) {
      if (error instanceof WorkerLost || error instanceof Refusal) return undefined;
      throw error;
    }
  }
}
