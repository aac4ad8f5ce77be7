const ELLIPSIS = '…';

/** Cuts at a word if one ends near the limit, and never within a surrogate pair. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - ELLIPSIS.length).replace(/[\uD800-\uDBFF]$/, '');
  const word = cut.slice(0, cut.search(/\s\S*$/) + 1).trimEnd().length;
  const whole = word > max * 0.6 ? cut.slice(0, word) : cut;
  return whole.trimEnd() + ELLIPSIS;
}

/** Text that must stay whole: an escaped sign, a mention, a timestamp, a link, an address, a paired mark. */
const PIECE = /\\[\s\S]|<[^<>\s]+>|\[[^\]\n]*\]\([^)\s]*\)|https?:\/\/[^\s<>]+|```|\*\*|~~|\|\||__|`|[\s\S]/gu;
/** A signed address has a few hundred characters. */
const MAX_PIECE_LENGTH = 1_000;
const PAIRED: ReadonlySet<string> = new Set(['```', '**', '~~', '||', '__', '`']);

/** Like `truncate`, for Markdown: keeps pieces whole, and closes open marks. */
export function truncateMarkdown(text: string, max: number): string {
  if (text.length <= max) return text;
  const open: string[] = [];
  let end = 0;
  let word = 0;
  for (const [piece] of text.slice(0, max + MAX_PIECE_LENGTH).matchAll(PIECE)) {
    const closing = open.at(-1) === piece;
    const marks = open.join('').length + (PAIRED.has(piece) && !closing ? piece.length : 0);
    if (end + piece.length + marks + ELLIPSIS.length > max) break;
    if (open.length === 0 && /^\s$/.test(piece)) word = end;
    if (closing) open.pop();
    else if (PAIRED.has(piece)) open.push(piece);
    end += piece.length;
  }
  if (word > max * 0.6) return text.slice(0, word).trimEnd() + ELLIPSIS;
  return text.slice(0, end).trimEnd() + ELLIPSIS + open.toReversed().join('');
}

/** Invisible, and it ends an address for everything that detects links. */
const BREAK = '\ufeff';

/** Includes all characters that browsers treat as a dot. Message links and Discord's own files stay. */
const INVITE =
  /(?<!(?:cdn|media)(?:[.\u3002\uff0e\uff61]|%2e))discord(?:app)?(?=(?:[.\u3002\uff0e\uff61]|%2e)(?:gg|new|gifts?|com(?!\/channels\/(?:@me|\d+)\/\d+(?:\/\d+)?(?![\w/.%-]))(?=\/)))/gi;
/** Longer than anything before the host of an address. */
const ADDRESS = /https?:(?=(\/\/[^\s<>]{0,300}))/gi;

/**
 * Discord's clients unfold invites, gifts, templates and applications where their address appears in a message, even
 * without a scheme or within angle brackets, and no flag prevents it. Text of a member or a model would advertise in
 * the bot's name. The address stays readable, but is no link.
 */
export function breakInvites(text: string): string {
  const withBrokenSchemes = text.replace(ADDRESS, (scheme: string, rest: string) =>
    rest.search(INVITE) < 0 ? scheme : scheme + BREAK,
  );
  return withBrokenSchemes.replace(INVITE, `$&${BREAK}`);
}
