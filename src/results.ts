import type { Log } from './lib/log.ts';
import { GatewayError } from './services/gateway/index.ts';
import type { Medium } from './services/gateway/read/snapshot.ts';
import { type Media, MediaError, type MediaErrorKind, type MediaSource, type MediaType } from './services/media/index.ts';
import type { Task } from './services/tasks/task.ts';
import type { Tasks } from './services/tasks/tasks.ts';

export interface Results {
  media: Media;
  tasks: Pick<Tasks, 'look'>;
  log: Log;
}

/** What became of one result: a file to attach, or where it is; else it is gone, or not what it should be. */
export type Result =
  | { as: 'file'; bytes: Buffer; type: MediaType; release(): void }
  | { as: 'link'; address: string; expiresAt?: number | undefined }
  | { as: 'gone' }
  | { as: 'odd' };

const GONE: Result = { as: 'gone' };
const ODD: Result = { as: 'odd' };

/** Where a result is, as the task keeps it or as a new answer says it. */
interface Place {
  address?: string | undefined;
  expiresAt?: number | undefined;
}

/** The results of a task, each on its own: one that cannot be fetched does not hide the others. */
export async function resultsOf(task: Task, parts: Results): Promise<Result[]> {
  let asked: Promise<readonly Medium[]> | undefined;
  // However many results need it, the gateway is asked once more and no oftener.
  const freshAt = async (index: number): Promise<Medium | undefined> => {
    asked ??= fresh(task, parts);
    return (await asked)[index];
  };
  return Promise.all(task.media.map((medium, index) => resultFrom(medium, () => freshAt(index), task, parts)));
}

async function resultFrom(
  known: Place,
  again: () => Promise<Medium | undefined>,
  task: Task,
  parts: Results,
): Promise<Result> {
  const first = known.address === undefined ? GONE : await fitted({ address: known.address }, task, parts);
  if (first === 'elsewhere') return linkTo(known);
  if (first.as !== 'gone') return first;
  // It came inside an answer, or its address has run out: a new answer has it, if there is one.
  const medium = await again();
  const source = medium && sourceOf(medium);
  if (!source) return GONE;
  const second = await fitted(source, task, parts);
  return second === 'elsewhere' ? linkTo(medium) : second;
}

function sourceOf({ address, base64 }: Medium): MediaSource | undefined {
  if (address !== undefined) return { address };
  return base64 === undefined ? undefined : { base64 };
}

function linkTo({ address, expiresAt }: Place): Result {
  return address === undefined ? ODD : { as: 'link', address, expiresAt };
}

/** Those that say nothing against opening it in a browser. */
const ELSEWHERE: ReadonlySet<MediaErrorKind> = new Set(['too-large', 'unreachable', 'timeout']);

async function fitted(source: MediaSource, task: Task, { media, log }: Results): Promise<Result | 'elsewhere'> {
  try {
    const fetched = await media.fetch(source);
    const fitting = await media.fit(fetched, task.route.uploadLimit).catch((error: unknown) => {
      fetched.release();
      throw error;
    });
    const { release } = fetched;
    if (fitting.how !== 'none') return { as: 'file', bytes: fitting.bytes, type: fitting.type, release };
    release();
    return 'elsewhere';
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    log.warn({ task: task.id, kind: error.kind, reason: error.message }, 'A result could not be fetched.');
    if (ELSEWHERE.has(error.kind)) return 'elsewhere';
    return error.kind === 'expired' ? GONE : ODD;
  }
}

async function fresh(task: Task, { tasks, log }: Results): Promise<readonly Medium[]> {
  try {
    return (await tasks.look(task)).media;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    log.warn({ task: task.id, kind: error.kind, reason: error.message }, 'A result could not be asked for once more.');
    return [];
  }
}
