const { raw } = String;

/**
 * Patterns that may take more than linear time, by the reason why that does no harm: each file, with the pattern exactly as it is
 * written there. An exception that is no longer needed is an error.
 */
const places: Readonly<Record<string, readonly string[]>> = {
  'A copy of a pattern that a test wrote, without its `lastIndex`.': [
    "sandbox/discord/faults.ts new RegExp(on.route.source, on.route.flags.replace(/[gy]/g, ''))",
    "sandbox/gateway/faults.ts new RegExp(target.path.source, target.path.flags.replace(/[gy]/g, ''))",
  ],
  'The checker does not know the flag; a set of fixed strings cannot be matched in two ways.': [
    raw`sandbox/discord/validation/emoji.ts /^\p{RGI_Emoji}$/v`,
    raw`src/messages/task-buttons.ts /^\p{RGI_Emoji}$/v`,
  ],
  'The checker does not know the flag; at most 27 emoji, in a message of at most 4,000 characters.': [
    raw`sandbox/web/page/markdown/markdown.tsx /^(?:\p{RGI_Emoji}\s*){1,27}$/v`,
  ],
  'The text is one that the embedded gateway wrote itself.': [
    raw`sandbox/gateway/realtime/voice.ts /\s*\S{1,40}\s*/g`,
    raw`sandbox/gateway/wire/text-events.ts /\s*\S{1,24}\s*/g`,
  ],
  'Sees one word of a text that the embedded gateway wrote itself, at most 40 characters.': [
    raw`sandbox/gateway/realtime/voice.ts /[^aeiouy\s]*[aeiouy]+/g`,
  ],
  'Prompts in the sandbox come from its own page, whose messages have at most 6,000 characters.': [
    raw`sandbox/gateway/studio/shorten.ts /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu`,
    raw`sandbox/gateway/studio/shorten.ts /[,;:.\s]+$/`,
  ],
  'Sees at most the first 20,000 characters of a prompt.': [
    raw`sandbox/gateway/prompt-words.ts /\bhttps?:\/\/\S+|<[^>\s]*>/gi`,
  ],
  'Runs in the browser of a person who tries the bot, over messages of at most 4,000 characters.': [
    'sandbox/web/page/markdown/blocks.ts /^```(?:([\\w+#.-]*)\\n)?([\\s\\S]*?)\\n*```\\n?/',
    raw`sandbox/web/page/markdown/blocks.ts /^\n+|\n+$/g`,
    'sandbox/web/page/markdown/inline.ts /^(`+)([\\s\\S]*?[^`])\\1(?!`)/',
  ],
  'Only a number is interpolated; each line has one beginning and one end.': [
    'sandbox/web/page/markdown/blocks.ts new RegExp(`^(?: {${indent + 1},}\\\\S[^\\\\n]*(?:\\\\n|$))+`)',
  ],
  'Only a number is interpolated; no repetition is unbounded.': [
    "sandbox/web/page/markdown/blocks.ts new RegExp(`^ {${minIndent}}`, 'gm')",
  ],
  "A member's pattern; a worker that is ended after five seconds compiles it, and only there is it ever used.": [
    "src/services/conversations/asks/mismatches.ts new RegExp(pattern, 'u')",
  ],
  'Every match that begins also ends, at the end of the text at the latest, so no character is read twice; at most 20,000 characters.':
    [raw`src/services/gateway/errors.ts /<!--[\s\S]*?(?:-->|$)|<(script|style|svg|head)\b[\s\S]*?(?:<\/\1\s*>|$)/gi`],
};

export const exceptions = Object.values(places).flat();
