import { escapeText, inlineCode } from '../../discord/markdown.ts';
import type { FilePlan, MessagePlan } from '../../discord/plan.ts';
import { parsePlainJson } from '../../lib/exact-json.ts';
import { listText } from '../../lib/formats.ts';
import { terminalSafe } from '../../lib/text.ts';
import type { Say } from '../../locales/index.ts';
import { answerOf, answerText } from '../../services/conversations/ask-transitions.ts';
import { isProposing, proposalsOf } from '../../services/conversations/prompt-help.ts';
import type { RefusableFeature } from '../../services/tasks/answer.ts';
import { hasEnded, type Task } from '../../services/tasks/task.ts';
import { questionFileNames, titleOf } from '../../services/tasks/task-facts.ts';
import { fileNamePrefix } from '../file-names.ts';
import { unconfirmedLines } from '../task-message.ts';
import { type AnswerFile, type AnswerPart, answerParts, REST_NAME } from './split.ts';
import { type AnswerStyle, callLines, failureText, incompleteText, proposalText } from './style.ts';

const MAX_TITLE_LENGTH = 150;
const MAX_CONTENT_LENGTH = 2_000;

/** What the message of an answer shows in addition to the task itself. */
export interface AnswerExtras {
  parentLink: string | undefined;
  /** Small lines below everything else. */
  notes: readonly string[];
}

export function answerMessages(task: Task, style: AnswerStyle, say: Say, extras?: AnswerExtras) {
  const [first, ...further] = partsOf(task);
  const isOver = hasEnded(task);
  const isSingleMessage = further.length === 0;
  const isComplete = isSingleMessage || !isOver || answerOf(task).areShown === true;
  const name = `${fileNamePrefix(task, titleOf(task))}answer.md`;
  const fullFiles = isComplete ? [] : [{ name, bytes: Buffer.from(answerText(task)) }];
  const wholeFiles = isOver && isExcerpt(first) ? first.files : fullFiles;
  const notes = [...callLines(task, say), ...noticeLines(task, style, say), ...stateLines(task, style, say)];
  const lines = [
    headline(task, style, say),
    ...asSubtext(style.facts(task, extras?.parentLink, say)),
    ...(first ? [first.text] : []),
    ...asSubtext(isSingleMessage || !isComplete ? [] : [say('ask.continuesBelow')]),
    ...asSubtext(wholeFiles.map(({ name }) => say('ask.file', { name: inlineCode(name) }))),
    ...notes,
    ...(extras?.notes ?? []),
  ];
  const files = isOver ? [...filesOf(first?.files ?? []), ...fullFiles] : [];
  return {
    first: {
      content: fitLines(lines),
      files,
      controls: style.buttons(task, say),
    } satisfies MessagePlan,
    further: further.map(({ text, files: partFiles }, index): MessagePlan => {
      const isLast = index === further.length - 1;
      const restFiles = partFiles.filter(({ name }) => name.endsWith(REST_NAME));
      const restLines = restFiles.map(({ name }) =>
        isOver ? say('ask.rest', { name: inlineCode(name) }) : say('ask.restLater'),
      );
      return {
        content: fitLines([text, ...asSubtext(restLines), ...(isLast ? stateLines(task, style, say) : [])]),
        files: isOver ? filesOf(partFiles) : [],
      };
    }),
  };
}

/** Drops the lines that do not fit. The space for the text of the answer is reserved. */
function fitLines(lines: readonly string[]): string {
  let remaining = MAX_CONTENT_LENGTH;
  const fittingLines = lines.filter((line) => {
    if (line.length + 1 > remaining) return false;
    remaining -= line.length + 1;
    return true;
  });
  return fittingLines.join('\n');
}

const asSubtext = (lines: readonly string[]): string[] => lines.map((line) => `-# ${line}`);

function headline(task: Task, style: AnswerStyle, say: Say): string {
  const prompt = style.title(task, MAX_TITLE_LENGTH, say);
  return say('task.headline', { prompt, owner: `<@${task.requesterId}>` });
}

/** What the request left out or did not follow. Only the first of several messages says it. */
function noticeLines(task: Task, style: AnswerStyle, say: Say): string[] {
  const { isMemoryCut, isQuestionEdited } = answerOf(task);
  return asSubtext([
    ...omissionLines(task, say),
    ...(isMemoryCut ? [say('ask.memoryCut')] : []),
    ...ignoredFilesLines(task, style, say),
    ...(isQuestionEdited ? [say('ask.mention.edited')] : []),
  ]);
}

/** The state of an answer, if its text does not show it. */
function stateLines(task: Task, style: AnswerStyle, say: Say): string[] {
  const { incomplete, doing } = answerOf(task);
  if (task.state === 'unconfirmed') return unconfirmedLines(task, say);
  if (task.failure) return asSubtext([failureText(task, style, say)]);
  if (!hasEnded(task)) {
    const hasNoText = shownText(task) === '' && task.state !== 'needs-input';
    const status = doing ? say(`ask.${doing}`) : say('ask.waiting');
    return hasNoText || doing ? asSubtext([status]) : [];
  }
  const text = answerText(task);
  if (text === '') return [say('ask.empty')];
  if (incomplete !== undefined) return asSubtext([incompleteText(incomplete, style, say)]);
  if (isProposing(task) && proposalsOf(task).length === 0) return [say('prompt.none')];
  if (answerOf(task).schemaCheck) return asSubtext(mismatchLines(task, say));
  const isBadJson = task.request.format === 'json' && parsePlainJson(text) === undefined;
  return asSubtext(isBadJson ? [say('ask.badJson')] : []);
}

const MAX_FILE_NAME_LENGTH = 60;

function ignoredFilesLines(task: Task, { isTalk }: AnswerStyle, say: Say): string[] {
  const { ignoredFiles: count } = task.request;
  if (!count) return [];
  if (isTalk) return [say('talk.ignoredFiles', { count })];
  const names = questionFileNames(task).map((name) => escapeText(name, MAX_FILE_NAME_LENGTH));
  return [say('ask.ignoredFiles', { count, names: listText(names, say) })];
}

/** The features without which the request was sent. Only those that the gateway named are known to be the reason. */
function omissionLines({ answer, request: { schema } }: Task, say: Say): string[] {
  const guessed = new Set(answer?.guessed);
  const named = new Set(answer?.without).difference(guessed);
  const asSchema = (part: RefusableFeature) => part === 'format' && schema !== undefined;
  const lines = [...named].map((part) => say(asSchema(part) ? 'ask.schema.asText' : `ask.without.${part}`));
  if (guessed.size === 0) return lines;
  const features = [...guessed].map((part) => say(`ask.guessed.${asSchema(part) ? 'schema' : part}`));
  return [...lines, say('ask.guessed.leftOut', { features: listText(features, say) })];
}

const filesOf = (files: readonly AnswerFile[]): FilePlan[] =>
  files.map(({ name, text }) => ({ name, bytes: Buffer.from(text) }));

/** The characters available for the answer. The first message also shows the question and the state, and the others may show a note. */
const MAX_TEXT_LENGTHS = { first: 1_100, other: 1_850 };
/** If an answer needs more messages, the rest is attached as a file. */
const MAX_MESSAGES = 10;
/** In a user install, Discord allows five further messages, and some of them have to be left for confirmations. */
const MAX_MESSAGES_FOR_USER_INSTALL = 3;

function partsOf(task: Task): AnswerPart[] {
  if (isStructured(task)) return [structuredPart(task)];
  const max = task.route.install === 'user' ? MAX_MESSAGES_FOR_USER_INSTALL : MAX_MESSAGES;
  return answerParts(shownText(task), { ...MAX_TEXT_LENGTHS, max, prefix: fileNamePrefix(task, titleOf(task)) });
}

function shownText(task: Task): string {
  const text = answerText(task);
  if (isProposing(task)) return hasEnded(task) ? proposalText(task) || text : '';
  if (task.request.format !== 'json' || text === '' || text.includes('```')) return text;
  return `\`\`\`json\n${text}\n\`\`\``;
}

/** How many characters of an answer are shown. If the answer does not match its schema, the message also has to list the mismatches. */
const MAX_SHOWN_LENGTH = { matching: 1_000, mismatching: 450 };

/** An answer with a schema is one message and a file, unless the finished answer is not JSON. */
const isStructured = (task: Task): boolean =>
  task.request.schema !== undefined &&
  answerText(task) !== '' &&
  (!hasEnded(task) || answerOf(task).schemaCheck?.isUnfinished === false);

function structuredPart(task: Task): AnswerPart {
  // While it streams, the answer may be wrapped in a code block of its own.
  const text = answerText(task).replace(/^```\w{0,20}\n/, '');
  const { count = 0 } = answerOf(task).schemaCheck ?? {};
  const excerpt = excerptOf(text, count === 0 ? MAX_SHOWN_LENGTH.matching : MAX_SHOWN_LENGTH.mismatching);
  const file = { name: `${fileNamePrefix(task, titleOf(task))}answer.json`, text };
  return { source: text, text: `\`\`\`json\n${excerpt}\n\`\`\``, files: [file] };
}

const TRUNCATION_MARK = '\n…';

const isExcerpt = (part: AnswerPart | undefined): part is AnswerPart =>
  part?.text.endsWith(`${TRUNCATION_MARK}\n\`\`\``) === true;

/** Returns whole lines if possible. In JSON a backtick is always part of a string, so it can be escaped. */
function excerptOf(text: string, max: number): string {
  const escaped = text.slice(0, max).replaceAll('``', '\\u0060\\u0060');
  if (text.length <= max && escaped.length <= max) return escaped;
  const excerpt = escaped.slice(0, max);
  const end = excerpt.lastIndexOf('\n');
  return `${excerpt.slice(0, end > max / 2 ? end : max).toWellFormed()}${TRUNCATION_MARK}`;
}

function mismatchLines(task: Task, say: Say): string[] {
  const { misfits: mismatches = [], count = 0, isUnfinished } = answerOf(task).schemaCheck ?? {};
  if (isUnfinished) return [say('ask.schema.unfinished')];
  if (mismatches.length === 0) return [];
  const lines = mismatches.map(({ at, rule, expected }) =>
    say(`ask.schema.${rule}`, {
      at: at === '' ? say('ask.schema.answer') : shortCode(at),
      expected: shortCode(expected),
    }),
  );
  const more = count - mismatches.length;
  return [say('ask.schema.mismatches'), ...lines, ...(more > 0 ? [say('ask.schema.more', { count: more })] : [])];
}

const MAX_CODE_LENGTH = 60;

function shortCode(text: string): string {
  const printable = terminalSafe(text);
  return inlineCode(
    printable.length <= MAX_CODE_LENGTH ? printable : `${printable.slice(0, MAX_CODE_LENGTH - 1).toWellFormed()}…`,
  );
}
