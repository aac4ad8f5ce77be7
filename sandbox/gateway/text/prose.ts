import { isStopWord, wordsOf } from '../prompt-words.ts';
import { randomOf, seedFrom } from '../random.ts';
import type { Conversation } from './conversation.ts';

const FALLBACK_SUBJECTS = ['sand', 'water', 'morning', 'harbour'];
/** Quotes are truncated, because a question may be as long as a book. */
const MAX_QUOTE_LENGTH = 120;
const MAX_WORDS = 100_000;
const LONG_ANSWER_WORDS = 2_000;

const SENTENCES = [
  (a: string, b: string) => `Where there is ${a}, there is ${b} not far away.`,
  (a: string, b: string) => `It is not known how often ${a} comes before ${b}.`,
  (a: string, b: string) => `Of ${a} it is said that it needs ${b}, though no model has thought about it.`,
  (a: string, b: string) => `Look at **${a}** first, and at *${b}* afterwards.`,
  (a: string, b: string) => `Between ${a} and ${b} lies what you asked for.`,
];

/** The text of a response, made from the words of the question; the same question always results in the same text. */
export function proseFor(conversation: Conversation, instructions: string | undefined): string {
  const subjects = subjectsOf(conversation.question);
  const { words } = conversation;
  const paragraphs = [
    introduction(conversation, instructions),
    ...conversation.outputs.map(({ name, output }) => `${name} answered: ${quoted(output)}`),
  ];
  const minWords = requestedWordCount(conversation.question);
  const random = randomOf(seedFrom('text', conversation.question));
  const sentence = () => {
    const [a = '', b = ''] = [subjects[random.integer(subjects.length)], subjects[random.integer(subjects.length)]];
    return SENTENCES[random.integer(SENTENCES.length)]?.(a, b) ?? a;
  };
  paragraphs.push([sentence(), sentence(), sentence()].join(' '));
  if (words.has('list')) paragraphs.push(subjects.map((subject) => `- ${subject}`).join('\n'));
  if (words.has('code')) paragraphs.push(codeAbout(subjects, minWords));
  if (words.has('table')) paragraphs.push(tableOf(subjects));
  let count = countWords(paragraphs.join(' '));
  for (let index = 1; count < minWords; index++) {
    const isHeading = index % 5 === 0;
    const paragraph = isHeading ? `## Part ${index / 5}` : [sentence(), sentence(), sentence(), sentence()].join(' ');
    count += countWords(paragraph);
    paragraphs.push(paragraph);
  }
  return paragraphs.join('\n\n');
}

/** The distinctive words of the question, each once. */
export function subjectsOf(question: string): readonly string[] {
  const distinctiveWords = [...new Set(wordsOf(question).filter((word) => !isStopWord(word) && word.length > 2))];
  return distinctiveWords.length > 0 ? distinctiveWords.slice(0, 40) : FALLBACK_SUBJECTS;
}

export const quoted = (text: string): string => {
  const characters = [...text.replace(/\s+/g, ' ').trim()];
  return characters.length > MAX_QUOTE_LENGTH
    ? `“${characters.slice(0, MAX_QUOTE_LENGTH).join('')}…”`
    : `“${characters.join('')}”`;
};

function introduction(
  { question, earlierMessages, imageCount, audioFileCount, files }: Conversation,
  instructions: string | undefined,
): string {
  const previousMessage = earlierMessages.at(-1);
  return [
    `This is the sandbox speaking, and no model has thought about this. You said: ${quoted(question)}.`,
    ...(previousMessage === undefined
      ? []
      : [
          `Before that, in the last of ${earlierMessages.length} earlier messages, you said: ${quoted(previousMessage)}.`,
        ]),
    ...(imageCount === 0 ? [] : [`You showed ${imageCount === 1 ? 'an image' : `${imageCount} images`}.`]),
    ...(audioFileCount === 0
      ? []
      : [`You sent ${audioFileCount === 1 ? 'a recording' : `${audioFileCount} recordings`}.`]),
    ...(files.length === 0 ? [] : [`You sent ${files.join(', ')}.`]),
    ...(instructions === undefined ? [] : [`I was told: ${quoted(instructions)}.`]),
  ].join(' ');
}

/** The number of words that a question requests, as in "400 words"; "long" requests 2,000. Otherwise 0. */
function requestedWordCount(question: string): number {
  const [, number, unit] = /\b(\d{1,6})\s+(words|paragraphs|lines)\b/i.exec(question) ?? [];
  if (number !== undefined)
    return Math.min(MAX_WORDS, Number(number) * (unit?.toLowerCase() === 'paragraphs' ? 40 : 1));
  return /\blong\b/i.test(question) ? LONG_ANSWER_WORDS : 0;
}

const MIN_CODE_LINES = 4;

function codeAbout(subjects: readonly string[], minWords: number): string {
  const lines = Array.from(
    { length: Math.max(MIN_CODE_LINES, Math.ceil(minWords / 10)) },
    (_, index) => `const part${index} = '${subjects[index % subjects.length]}'; // ${index}`,
  );
  return ['```ts', ...lines, '```'].join('\n');
}

function tableOf(subjects: readonly string[]): string {
  const rows = subjects.map((subject, index) => `| ${index + 1} | ${subject} | ${subject.length} |`);
  return ['| no. | word | letters |', '| ---: | --- | ---: |', ...rows].join('\n');
}

const countWords = (text: string) => text.split(/\s+/).length;
