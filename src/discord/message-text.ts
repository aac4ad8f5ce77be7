const ELLIPSIS = '…';

/** Cuts at a word boundary if there is one near the limit, and never within a surrogate pair. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - ELLIPSIS.length).replace(/[\uD800-\uDBFF]$/, '');
  const word = cut.slice(0, cut.search(/\s\S*$/) + 1).trimEnd().length;
  const whole = word > max * 0.6 ? cut.slice(0, word) : cut;
  return whole.trimEnd() + ELLIPSIS;
}

/** Text that must not be split: an escaped character, a mention, a timestamp, a link, a URL, a paired delimiter. */
const PIECE = /\\[\s\S]|<[^<>\s]+>|\[[^\]\n]*\]\([^)\s]*\)|https?:\/\/[^\s<>]+|```|\*\*|~~|\|\||__|`|[\s\S]/gu;
/** A signed URL is a few hundred characters long. */
const MAX_PIECE_LENGTH = 1_000;
const PAIRED: ReadonlySet<string> = new Set(['```', '**', '~~', '||', '__', '`']);

/** Like `truncate`, for Markdown: does not split pieces, and closes open delimiters. */
export function truncateMarkdown(text: string, max: number): string {
  if (text.length <= max) return text;
  const open: string[] = [];
  let end = 0;
  let word = 0;
  for (const [piece] of text.slice(0, max + MAX_PIECE_LENGTH).matchAll(PIECE)) {
    const closing = open.at(-1) === piece;
    const delimiters = open.join('').length + (PAIRED.has(piece) && !closing ? piece.length : 0);
    if (end + piece.length + delimiters + ELLIPSIS.length > max) break;
    if (open.length === 0 && /^\s$/.test(piece)) word = end;
    if (closing) open.pop();
    else if (PAIRED.has(piece)) open.push(piece);
    end += piece.length;
  }
  if (word > max * 0.6) return text.slice(0, word).trimEnd() + ELLIPSIS;
  return text.slice(0, end).trimEnd() + ELLIPSIS + open.toReversed().join('');
}

/** Invisible; link detectors treat it as the end of a URL. */
const BREAK = '\ufeff';

/** Includes all characters that browsers treat as a dot. Message links and links to Discord's own CDN are left alone. */
const INVITE =
  /(?<!(?:cdn|media)(?:[.\u3002\uff0e\uff61]|%2e))discord(?:app)?(?=(?:[.\u3002\uff0e\uff61]|%2e)(?:gg|new|gifts?|com(?!\/channels\/(?:@me|\d+)\/\d+(?:\/\d+)?(?![\w/.%-]))(?=\/)))/gi;
/** 300 characters cover anything that can precede the host of a URL. */
const URL_START = /https?:(?=(\/\/[^\s<>]{0,300}))/gi;

/**
 * Discord's clients embed invites, gifts, templates and applications if their URL appears in a message, even without a
 * scheme or within angle brackets, and no flag prevents it. Text from a member or a model could otherwise advertise
 * under the bot's name. The URL stays readable, but is not a link.
 */
export function breakInvites(text: string): string {
  const withBrokenSchemes = text.replace(URL_START, (scheme: string, rest: string) =>
    rest.search(INVITE) < 0 ? scheme : scheme + BREAK,
  );
  return withBrokenSchemes.replace(INVITE, `$&${BREAK}`);
}
