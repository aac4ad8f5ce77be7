import { inlineCode } from '../discord/markdown.ts';
import { type Say, sayIn } from '../locales/index.ts';
import { MediaError } from '../services/media/errors.ts';
import { signatureExpiry } from '../services/media/signed-urls.ts';
import type { TaskBook } from '../services/orders/book.ts';
import type { Reference } from '../services/tasks/materials.ts';
import type { Task } from '../services/tasks/task.ts';
import { setReferenceNotes } from '../services/tasks/transitions.ts';
import type { FileSources, Result } from './results.ts';

/** Only small files are fetched completely: the beginning of a file is enough to see that it can be fetched. */
const FETCH_LIMITS = { max: 8 * 2 ** 20, timeoutMs: 15_000 };

/** Finds notes about results that differ from their request, and about references that may explain a failure. */
export function noteFinder({ media, views, log, clock }: FileSources, book: TaskBook) {
  return {
    /** Facts from the file itself take precedence over those from the gateway. */
    resultNotes(task: Task, results: readonly Result[]): string[] {
      const facts = results.map((result, index) => ({ ...task.media[index], ...('video' in result && result.video) }));
      return views[task.kind]?.notes?.(task, facts, sayIn(task.language)) ?? [];
    },

    /** Fetches each URL only once, without the API key. The attempt is stored first, so a file that crashes the bot cannot crash it again at every start. */
    async failureNotes(task: Task): Promise<readonly string[]> {
      const { references = [] } = task.request;
      if (task.failure?.cause !== 'failed' || references.length === 0) return [];
      let storedNotes: readonly string[] | undefined;
      try {
        await book.change(task.id, (storedTask) => {
          storedNotes = storedTask.referenceNotes;
          return storedNotes ? storedTask : setReferenceNotes(storedTask, []);
        });
        if (storedNotes) return storedNotes;
        const newNotes = await checkAll(references, task);
        await book.change(task.id, (storedTask) => setReferenceNotes(storedTask, newNotes));
        return newNotes ?? [];
      } catch (error) {
        // The failure itself is shown even without these notes.
        log.warn({ task: task.id, err: error }, 'The references of a failed task could not be checked.');
        return [];
      }
    },
  };

  /** Undefined if the bot is about to stop; the references are checked again after the next start. */
  async function checkAll(references: readonly Reference[], task: Task): Promise<string[] | undefined> {
    const checks = await Promise.all(
      references.map(async (one) => {
        const verdict = await check(one, task.requesterId);
        return verdict === undefined ? [] : [{ ...one, verdict }];
      }),
    );
    const checked = checks.flat();
    return checked.length < references.length ? undefined : referenceNotes(checked, sayIn(task.language));
  }

  /** Undefined if the bot is about to stop. */
  async function check({ address, medium }: Reference, givenBy: string): Promise<ReferenceVerdict | undefined> {
    try {
      const { type, release } = await media.fetch({ address }, { ...FETCH_LIMITS, givenBy });
      release();
      return medium === 'any' || type.kind === medium ? 'fine' : 'odd';
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      if (error.code === 'closed') return undefined;
      log.info({ kind: error.kind }, 'A reference of a failed task could not be fetched.');
      const until = error.kind === 'expired' ? signatureExpiry(address) : undefined;
      return until !== undefined && until <= clock.now() ? 'gone' : verdictFrom(error);
    }
  }
}

function verdictFrom({ kind, status }: MediaError): ReferenceVerdict {
  switch (kind) {
    case 'too-large':
      return 'large';
    case 'not-media':
    case 'damaged':
      return 'odd';
    case 'forbidden-address':
      return 'hidden';
    case 'expired':
    case 'unreachable':
    case 'timeout':
      return status === undefined ? 'unreachable' : { status };
  }
}

type ReferenceVerdict = 'fine' | 'large' | 'gone' | 'odd' | 'hidden' | 'unreachable' | { status: number };

const MAX_NAME_LENGTH = 100;

/** Names the references that may explain a failure. */
export function referenceNotes(
  references: readonly (Pick<Reference, 'name' | 'medium'> & { verdict: ReferenceVerdict })[],
  say: Say,
): string[] {
  const areUsable = references.every(({ verdict }) => verdict === 'fine' || verdict === 'large');
  const lines = references.map(({ name: given, medium, verdict }) => {
    const name = inlineCode(given.slice(0, MAX_NAME_LENGTH));
    if (typeof verdict === 'object')
      return `-# ${say('video.reference.status', { name, status: String(verdict.status) })}`;
    return `-# ${verdict === 'odd' ? say(`video.reference.wrongType.${medium}`, { name }) : say(`video.reference.${verdict}`, { name })}`;
  });
  // If all URLs can be reached, the model may not support the field (specification, part 7).
  return areUsable && lines.length > 0 ? [...lines, `-# ${say('video.reference.model')}`] : lines;
}
