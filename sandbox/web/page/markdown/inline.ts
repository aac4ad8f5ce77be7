import type { Inline } from './tree.ts';

interface Rule {
  /** Matched at the start of the remaining text. */
  readonly at: RegExp;
  readonly read: (match: RegExpExecArray, inner: (text: string) => readonly Inline[]) => Inline | undefined;
  /** Skips the rule if the preceding character matches. */
  readonly unless?: RegExp;
}

const wrap =
  (type: 'strong' | 'em' | 'underline' | 'strike' | 'spoiler'): Rule['read'] =>
  ([, text = ''], inner) => ({ type, inner: inner(text) });

const text = (value: string): Inline => ({ type: 'text', text: value });

/** In Discord's order of precedence; code spans come early, because nothing inside them is parsed. */
const rules: readonly Rule[] = [
  { at: /^\\([^0-9A-Za-z\s])/, read: ([, letter = '']) => text(letter) },
  { at: /^(`+)([\s\S]*?[^`])\1(?!`)/, read: ([, , code = '']) => ({ type: 'code', text: code.trim() || code }) },
  { at: /^\|\|([\s\S]+?)\|\|/, read: wrap('spoiler') },
  {
    at: /^\*\*\*((?:\\[\s\S]|[^\\*])+?)\*\*\*/,
    read: ([, content = ''], inner) => ({ type: 'strong', inner: [{ type: 'em', inner: inner(content) }] }),
  },
  { at: /^\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/, read: wrap('strong') },
  { at: /^__((?:\\[\s\S]|[^\\])+?)__(?!_)/, read: wrap('underline') },
  { at: /^\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)/, read: wrap('em') },
  { at: /^_((?:__|\\[\s\S]|[^\\_])+?)_(?!\w)/, read: wrap('em'), unless: /\w/ },
  { at: /^~~([\s\S]+?)~~/, read: wrap('strike') },
  {
    at: /^\[((?:\\[\s\S]|[^[\]\\]|\[[^\]]*\])+)\]\(<?(https?:\/\/(?:[^\s<>()]|\([^\s<>()]*\))+)>?(?:\s+"[^"]*")?\)/i,
    read: ([, content = '', href = ''], inner) => ({ type: 'link', href, inner: inner(content) }),
  },
  { at: /^<(https?:\/\/[^\s<>]+)>/i, read: ([, href = '']) => ({ type: 'link', href, inner: [text(href)] }) },
  {
    at: /^https?:\/\/[^\s<]+[^\s<.,:;"')\]*|]/i,
    read: ([href]) => ({ type: 'link', href, inner: [text(href)] }),
  },
  { at: /^<@!?(\d+)>/, read: ([, id = '']) => ({ type: 'user', id }) },
  { at: /^<@&(\d+)>/, read: ([, id = '']) => ({ type: 'role', id }) },
  { at: /^<#(\d+)>/, read: ([, id = '']) => ({ type: 'channel', id }) },
  {
    at: /^<\/([-\w\p{L}]+(?: [-\w\p{L}]+){0,2}):(\d+)>/u,
    read: ([, name = '', id = '']) => ({ type: 'command', name, id }),
  },
  {
    at: /^<t:(-?\d{1,12})(?::([tTdDfFR]))?>/,
    read: ([, seconds = '', style = 'f']) => ({ type: 'time', seconds: Number(seconds), style }),
  },
  { at: /^<a?:(\w+):\d+>/, read: ([, name = '']) => ({ type: 'emoji', name }) },
  { at: /^[0-9#*]\ufe0f?\u20e3/, read: ([keycap]) => ({ type: 'keycap', text: keycap }) },
  { at: /^@(?:everyone|here)\b/, read: ([content]) => ({ type: 'everyone', text: content }) },
  { at: /^\n/, read: () => ({ type: 'break' }) },
];

/** Text in which no rule can start. */
const PLAIN = /^[^\\`*_~|[<h@\nH0-9#]+/;

/** Deeper nesting is hostile input and stays text. */
const MAX_DEPTH = 12;

export function inline(source: string, depth = 0): readonly Inline[] {
  if (depth > MAX_DEPTH) return [text(source)];
  const found: Inline[] = [];
  let plain = '';
  let rest = source;
  let previous = '';
  const inner = (content: string) => inline(content, depth + 1);
  const flush = () => {
    if (plain !== '') found.push(text(plain));
    plain = '';
  };
  while (rest !== '') {
    const matched = first(rest, previous, inner);
    const length = matched?.length ?? PLAIN.exec(rest)?.[0].length ?? 1;
    if (matched) {
      flush();
      found.push(matched.node);
    } else plain += rest.slice(0, length);
    previous = rest[length - 1] ?? '';
    rest = rest.slice(length);
  }
  flush();
  return found;
}

function first(rest: string, previous: string, inner: (text: string) => readonly Inline[]) {
  for (const { at, read, unless } of rules) {
    if (unless?.test(previous)) continue;
    const match = at.exec(rest);
    const node = match ? read(match, inner) : undefined;
    if (match && node) return { node, length: match[0].length };
  }
  return undefined;
}
