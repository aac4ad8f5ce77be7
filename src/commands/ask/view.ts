import type { Filled } from '../../discord/form.ts';
import { asText, inCode } from '../../discord/markdown.ts';
import type { FormPlan, MessagePlan } from '../../discord/plan.ts';
import type { Say } from '../../locales/index.ts';
import { answerOf, wordsOf } from '../../services/asks/transitions.ts';
import type { Task } from '../../services/tasks/task.ts';

const LONGEST_MODEL = 200;

/** What an answer took. What the gateway has not told is not guessed. */
export function answerDetails(task: Task, turns: number, say: Say): MessagePlan {
  const { request, times } = task;
  const { rounds } = answerOf(task);
  const seconds = Math.max(1, Math.round(((times.ended ?? times.created) - times.created) / 1000));
  const tools = rounds.reduce((sum, { calls }) => sum + calls.length, 0);
  const blocks = [
    say('ask.details.model', { model: inCode(asText(task.model ?? '', LONGEST_MODEL)) }),
    ...(request.effort !== undefined ? [say('ask.details.effort', { effort: request.effort })] : []),
    ...tokenLines(task, say),
    ...(times.ended === undefined ? [] : [say('ask.details.seconds', { seconds: String(seconds) })]),
    say('ask.details.characters', { count: wordsOf(task).length }),
    ...(tools === 0 ? [] : [say('ask.details.tools', { count: tools })]),
    ...(turns === 0 ? [] : [say('ask.details.turns', { count: turns })]),
    ...(request.instructions === undefined ? [] : [say('ask.details.instructions')]),
  ];
  return { page: { title: say('ask.details.title'), blocks: [blocks.join('\n')] } };
}

function tokenLines(task: Task, say: Say): string[] {
  const { input, cached, output, reasoning } = answerOf(task).tokens ?? {};
  if (input === undefined && output === undefined) return [say('ask.details.noTokens')];
  return [
    say('ask.details.tokens', { input: String(input ?? '?'), output: String(output ?? '?') }),
    ...(cached ? [say('ask.details.cached', { cached: String(cached) })] : []),
    ...(reasoning ? [say('ask.details.reasoning', { reasoning: String(reasoning) })] : []),
  ];
}

export function goOnForm(id: string, say: Say): FormPlan {
  return {
    id,
    title: say('ask.form.title'),
    fields: [
      { type: 'text', name: 'words', label: say('ask.form.words'), long: true, required: true },
      { type: 'file', name: 'file', label: say('ask.form.file'), hint: say('ask.form.fileHint') },
    ],
  };
}

/** A form does not tell what a file is; what is in it is looked at before it is sent. */
const PICTURE = /\.(?:png|jpe?g|webp|gif|avif)$/i;

/** What came back of such a form. */
export function goneOnIn({ fields, files: { file } }: Filled) {
  const isPicture = file !== undefined && PICTURE.test(file.name);
  return {
    prompt: (fields.words ?? '').trim(),
    ...(file && (isPicture ? { image: file } : { file })),
  };
}
