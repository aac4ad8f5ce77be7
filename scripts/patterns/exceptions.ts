import type { Exception } from './judge.ts';

/** Each exception names a file and a pattern exactly as it is written there. An exception that is no longer needed is an error. */
export const exceptions: readonly Exception[] = [
  {
    pattern: "new RegExp(on.route.source, on.route.flags.replace(/[gy]/g, ''))",
    path: 'sandbox/discord/faults.ts',
    reason: 'A copy of a pattern that a test wrote, without its `lastIndex`.',
  },
  {
    pattern: "new RegExp(target.path.source, target.path.flags.replace(/[gy]/g, ''))",
    path: 'sandbox/gateway/faults.ts',
    reason: 'A copy of a pattern that a test wrote, without its `lastIndex`.',
  },
  {
    pattern: String.raw`/^\p{RGI_Emoji}$/v`,
    path: 'sandbox/discord/validation/emoji.ts',
    reason: 'The checker does not know the flag; a set of fixed strings cannot be matched in two ways.',
  },
  {
    pattern: String.raw`/^\p{RGI_Emoji}$/v`,
    path: 'src/messages/task-buttons.ts',
    reason: 'The checker does not know the flag; a set of fixed strings cannot be matched in two ways.',
  },
  {
    pattern: String.raw`/^(?:\p{RGI_Emoji}\s*){1,27}$/v`,
    path: 'sandbox/web/page/markdown/markdown.tsx',
    reason: 'The checker does not know the flag; at most 27 emoji, in a message of at most 4,000 characters.',
  },
  {
    pattern: String.raw`/\s*\S{1,40}\s*/g`,
    path: 'sandbox/gateway/realtime/voice.ts',
    reason: 'The text is one that the embedded gateway wrote itself.',
  },
  {
    pattern: String.raw`/[^aeiouy\s]*[aeiouy]+/g`,
    path: 'sandbox/gateway/realtime/voice.ts',
    reason: 'Sees one word of a text that the embedded gateway wrote itself, at most 40 characters.',
  },
  {
    pattern: String.raw`/\s*\S{1,24}\s*/g`,
    path: 'sandbox/gateway/wire/text-events.ts',
    reason: 'The text is one that the embedded gateway wrote itself.',
  },
  {
    pattern: String.raw`/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu`,
    path: 'sandbox/gateway/studio/shorten.ts',
    reason: 'Prompts in the sandbox come from its own page, whose messages have at most 6,000 characters.',
  },
  {
    pattern: String.raw`/[,;:.\s]+$/`,
    path: 'sandbox/gateway/studio/shorten.ts',
    reason: 'Prompts in the sandbox come from its own page, whose messages have at most 6,000 characters.',
  },
  {
    pattern: String.raw`/\bhttps?:\/\/\S+|<[^>\s]*>/gi`,
    path: 'sandbox/gateway/prompt-words.ts',
    reason: 'Sees at most the first 20,000 characters of a prompt.',
  },
  {
    pattern: '/^```(?:([\\w+#.-]*)\\n)?([\\s\\S]*?)\\n*```\\n?/',
    path: 'sandbox/web/page/markdown/blocks.ts',
    reason: 'Runs in the browser of a person who tries the bot, over messages of at most 4,000 characters.',
  },
  {
    pattern: String.raw`/^\n+|\n+$/g`,
    path: 'sandbox/web/page/markdown/blocks.ts',
    reason: 'Runs in the browser of a person who tries the bot, over messages of at most 4,000 characters.',
  },
  {
    pattern: 'new RegExp(`^(?: {${indent + 1},}\\\\S[^\\\\n]*(?:\\\\n|$))+`)',
    path: 'sandbox/web/page/markdown/blocks.ts',
    reason: 'Only a number is interpolated; each line has one beginning and one end.',
  },
  {
    pattern: "new RegExp(`^ {${minIndent}}`, 'gm')",
    path: 'sandbox/web/page/markdown/blocks.ts',
    reason: 'Only a number is interpolated; no repetition is unbounded.',
  },
  {
    pattern: '/^(`+)([\\s\\S]*?[^`])\\1(?!`)/',
    path: 'sandbox/web/page/markdown/inline.ts',
    reason: 'Runs in the browser of a person who tries the bot, over messages of at most 4,000 characters.',
  },
  {
    pattern: "new RegExp(pattern, 'u')",
    path: 'src/services/conversations/asks/mismatches.ts',
    reason:
      "A member's pattern; a worker that is ended after five seconds compiles it, and only there is it ever used.",
  },
  {
    pattern: String.raw`/<!--[\s\S]*?(?:-->|$)|<(script|style|svg|head)\b[\s\S]*?(?:<\/\1\s*>|$)/gi`,
    path: 'src/services/gateway/errors.ts',
    reason:
      'Every match that begins also ends, at the end of the text at the latest, so no character is read twice; at most 20,000 characters.',
  },
];
