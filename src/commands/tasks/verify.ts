import { customIds } from '../../discord/custom-ids.ts';
import type { Menu } from '../../discord/handlers.ts';
import { inlineCode, messageLink } from '../../discord/markdown.ts';
import type { Attachment } from '../../discord/options.ts';
import type { Control, MessagePlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Say } from '../../locales/index.ts';
import { MediaError, type MediaErrorKind } from '../../services/media/errors.ts';
import { withRelease } from '../../services/orders/member-files.ts';
import type { Task } from '../../services/tasks/task.ts';
import { summaryOf } from '../../services/tasks/task-summary.ts';
import type { Context, Services } from '../feature.ts';
import { maySeeTask } from './access.ts';
import { taskOption } from './list.ts';

/** The most files that can be attached to a message. */
const MAX_FILES = 10;
/** The limit for all files of a message together, because members can use this as often as they like. */
const MAX_BYTES = 100 * 2 ** 20;
/** The limit for an image in an embed, whose size Discord does not report. */
const MAX_EMBEDDED_BYTES = 20 * 2 ** 20;
const FILE_LIMIT_MS = 45_000;

/** `same`: byte for byte; `alike`: an image that looks the same. `task` is only set if the member can see the task. */
type Verdict =
  | { verdict: 'same' | 'alike'; task: Task | undefined }
  | { verdict: 'unknown' | 'notMedia' | 'tooLarge' | 'unreachable' };

type VerifiedFile = Verdict & { name: string };

/** Reports whether the files of any message were made with this bot. The reply is private, because it may name a task. */
export const verifyMenu: Menu<Services> = {
  name: 'verify',
  isPrivate: true,
  async run({ files }, context) {
    if (files.length === 0) throw new Refusal('refusals.noFileInMessage');
    const verifiedFiles: VerifiedFile[] = [];
    let remainingBytes = MAX_BYTES;
    for (const file of files.slice(0, MAX_FILES)) {
      const { bytes, ...verdict } = await verifyFile(file, remainingBytes, context);
      remainingBytes -= bytes;
      verifiedFiles.push({ ...verdict, name: file.name });
    }
    return verifiedPlan(verifiedFiles, { leftOut: Math.max(0, files.length - MAX_FILES) }, context.say);
  },
};

async function verifyFile(
  { address, size }: Attachment,
  remainingBytes: number,
  context: Context,
): Promise<Verdict & { bytes: number }> {
  const { services, facts } = context;
  const max = size > 0 ? size : Math.min(remainingBytes, MAX_EMBEDDED_BYTES);
  if (max > remainingBytes || max === 0) return { verdict: 'tooLarge', bytes: 0 };
  try {
    const file = await services.media.fetch({ address }, { max, timeoutMs: FILE_LIMIT_MS, givenBy: facts.userId });
    const verdict = await withRelease(file, async () => recognise(await services.media.fingerprint(file), context));
    return { ...verdict, bytes: file.size };
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    // A failed download counts as the largest size that it may have had.
    return { verdict: failureVerdicts.get(error.kind) ?? 'unreachable', bytes: max };
  }
}

const failureVerdicts = new Map<MediaErrorKind, 'notMedia' | 'tooLarge'>([
  ['too-large', 'tooLarge'],
  ['not-media', 'notMedia'],
  ['damaged', 'notMedia'],
]);

async function recognise(
  file: Parameters<Services['tasks']['fingerprints']['recognise']>[0],
  context: Context,
): Promise<Verdict> {
  const match = await context.services.tasks.fingerprints.recognise(file);
  if (!match) return { verdict: 'unknown' };
  for (const task of match.tasks) if (await maySeeTask(task, context)) return { verdict: match.how, task };
  return { verdict: match.how, task: undefined };
}

function verifiedPlan(verifiedFiles: readonly VerifiedFile[], { leftOut }: { leftOut: number }, say: Say): MessagePlan {
  const tasks = new Map(verifiedFiles.flatMap((one) => ('task' in one && one.task ? [[one.task.id, one.task]] : [])));
  const hasVerdict = (verdict: Verdict['verdict']): boolean => verifiedFiles.some((one) => one.verdict === verdict);
  const lines = [
    ...verifiedFiles.map((one) => lineOf(one, say)),
    ...(leftOut > 0 ? [say('verify.leftOut', { count: leftOut })] : []),
    ...(hasVerdict('alike') ? [`-# ${say('verify.aboutAlike')}`] : []),
    ...(hasVerdict('unknown') ? [`-# ${say('verify.aboutUnknown')}`] : []),
  ];
  const options = [...tasks.values()].map((task) => taskOption(summaryOf(task), say));
  const select: Control = {
    type: 'select',
    id: customIds.task.id({ whose: 'mine' }),
    placeholder: say('tasks.choose'),
    options,
  };
  return { content: lines.join('\n'), controls: options.length === 0 ? [] : [select] };
}

const MAX_NAME_LENGTH = 60;

function lineOf(file: VerifiedFile, say: Say): string {
  const { verdict } = file;
  const name = inlineCode(file.name.slice(0, MAX_NAME_LENGTH));
  if (verdict !== 'same' && verdict !== 'alike') return say(`verify.${verdict}`, { name });
  const { task } = file;
  if (!task) return say(`verify.${verdict}`, { name });
  const reference = inlineCode(task.id);
  const link = messageLink(task);
  return link === undefined
    ? say(`verify.task.${verdict}`, { name, reference })
    : say(`verify.linked.${verdict}`, { name, reference, link });
}
