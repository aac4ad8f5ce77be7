import type { Inline } from './tree.ts';

interface Rule {
  /** Matched at the start of the remaining text. */
  readonly pattern: RegExp;
  readonly read: (match: RegExpExecArray, inner: (text: string) => readonly Inline[]) => Inline | undefined;
  /** Skips the rule if the preceding character matches. */
  readonly notAfter?: RegExp;
}

const wrap =
  (type: 'strong' | 'em' | 'underline' | 'strike' | 'spoiler'): Rule['read'] =>
  ([, text = ''], inner) => ({ type, inner: inner(text) });

const textNode = (value: string): Inline => ({ type: 'text', text: value });

/** In Discord's order of precedence; code spans come early, because nothing inside them is parsed. */
const rules: readonly Rule[] = [
  { pattern: /^\\([^0-9A-Za-z\s])/, read: ([, character = '']) => textNode(character) },
  { pattern: /^(`+)([\s\S]*?[^`])\1(?!`)/, read: ([, , code = '']) => ({ type: 'code', text: code.trim() || code }) },
  { pattern: /^\|\|([\s\S]+?)\|\|/, read: wrap('spoiler') },
  {
    pattern: /^\*\*\*((?:\\[\s\S]|[^\\*])+?)\*\*\*/,
    read: ([, content = ''], inner) => ({ type: 'strong', inner: [{ type: 'em', inner: inner(content) }] }),
  },
  { pattern: /^\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/, read: wrap('strong') },
  { pattern: /^__((?:\\[\s\S]|[^\\])+?)__(?!_)/, read: wrap('underline') },
  { pattern: /^\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)/, read: wrap('em') },
  { pattern: /^_((?:__|\\[\s\S]|[^\\_])+?)_(?!\w)/, read: wrap('em'), notAfter: /\w/ },
  { pattern: /^~~([\s\S]+?)~~/, read: wrap('strike') },
  {
    pattern:
      /^\[((?:\\[\s\S]|[^[\]\\]|\[[^\]]*\])+)\]\(<?(https?:\/\/(?:[^\s<>()]|\([^\s<>()]*\))+)>?(?:\s+"[^"]*")?\)/i,
    read: ([, content = '', href = ''], inner) => ({ type: 'link', href, inner: inner(content) }),
  },
  { pattern: /^<(https?:\/\/[^\s<>]+)>/i, read: ([, href = '']) => ({ type: 'link', href, inner: [textNode(href)] }) },
  {
    pattern: /^https?:\/\/[^\s<]+[^\s<.,:;"')\]*|]/i,
    read: ([href]) => ({ type: 'link', href, inner: [textNode(href)] }),
  },
  { pattern: /^<@!?(\d+)>/, read: ([, id = '']) => ({ type: 'user', id }) },
  { pattern: /^<@&(\d+)>/, read: ([, id = '']) => ({ type: 'role', id }) },
  { pattern: /^<#(\d+)>/, read: ([, id = '']) => ({ type: 'channel', id }) },
  {
    pattern: /^<\/([-\w\p{L}]+(?: [-\w\p{L}]+){0,2}):(\d+)>/u,
    read: ([, name = '', id = '']) => ({ type: 'command', name, id }),
  },
  {
    pattern: /^<t:(-?\d{1,12})(?::([tTdDfFR]))?>/,
    read: ([, seconds = '', style = 'f']) => ({ type: 'time', seconds: Number(seconds), style }),
  },
  { pattern: /^<a?:(\w+):\d+>/, read: ([, name = '']) => ({ type: 'emoji', name }) },
  { pattern: /^[0-9#*]\ufe0f?\u20e3/, read: ([keycap]) => ({ type: 'keycap', text: keycap }) },
  { pattern: /^@(?:everyone|here)\b/, read: ([content]) => ({ type: 'everyone', text: content }) },
  { pattern: /^\n/, read: () => ({ type: 'break' }) },
];

/** Text in which no rule can start. */
const PLAIN_TEXT = /^[^\\`*_~|[<h@\nH0-9#]+/;

/** Anything nested more deeply is hostile input and stays plain text. */
const MAX_DEPTH = 12;

export function parseInline(source: string, depth = 0): readonly Inline[] {
  if (depth > MAX_DEPTH) return [textNode(source)];
  const result: Inline[] = [];
  let plain = '';
  let rest = source;
  let previous = '';
  const inner = (content: string) => parseInline(content, depth + 1);
  const flush = () => {
    if (plain !== '') result.push(textNode(plain));
    plain = '';
  };
  while (rest !== '') {
    const matched = firstMatch(rest, previous, inner);
    const length = matched?.length ?? PLAIN_TEXT.exec(rest)?.[0].length ?? 1;
    if (matched) {
      flush();
      result.push(matched.node);
    } else plain += rest.slice(0, length);
    previous = rest[length - 1] ?? '';
    rest = rest.slice(length);
  }
  flush();
  return result;
}

function firstMatch(rest: string, previous: string, inner: (text: string) => readonly Inline[]) {
  for (const { pattern, read, notAfter } of rules) {
    if (notAfter?.test(previous)) continue;
    const match = pattern.exec(rest);
    const node = match ? read(match, inner) : undefined;
    if (match && node) return { node, length: match[0].length };
  }
  return undefined;
}
