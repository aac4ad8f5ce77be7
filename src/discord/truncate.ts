const ELLIPSIS = '…';

/** Cuts at a word boundary if there is one near the limit, and never within a surrogate pair. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  const excerpt = text.slice(0, max - ELLIPSIS.length).replace(/[\uD800-\uDBFF]$/, '');
  const wordEnd = excerpt.slice(0, excerpt.search(/\s\S*$/) + 1).trimEnd().length;
  const shortened = wordEnd > max * 0.6 ? excerpt.slice(0, wordEnd) : excerpt;
  return shortened.trimEnd() + ELLIPSIS;
}

/** Text that must not be split: an escaped character, a mention, a timestamp, a link, a URL, a paired delimiter. */
const PIECE = /\\[\s\S]|<[^<>\s]+>|\[[^\]\n]*\]\([^)\s]*\)|https?:\/\/[^\s<>]+|```|\*\*|~~|\|\||__|`|[\s\S]/gu;
/** A signed URL is a few hundred characters long. */
const MAX_PIECE_LENGTH = 1_000;
const PAIRED_DELIMITERS: ReadonlySet<string> = new Set(['```', '**', '~~', '||', '__', '`']);

/** Like `truncate`, for Markdown: does not split pieces, and closes open delimiters. */
export function truncateMarkdown(text: string, max: number): string {
  if (text.length <= max) return text;
  const openDelimiters: string[] = [];
  let end = 0;
  let wordEnd = 0;
  for (const [piece] of text.slice(0, max + MAX_PIECE_LENGTH).matchAll(PIECE)) {
    const isClosing = openDelimiters.at(-1) === piece;
    const delimiterLength =
      openDelimiters.join('').length + (PAIRED_DELIMITERS.has(piece) && !isClosing ? piece.length : 0);
    if (end + piece.length + delimiterLength + ELLIPSIS.length > max) break;
    if (openDelimiters.length === 0 && /^\s$/.test(piece)) wordEnd = end;
    if (isClosing) openDelimiters.pop();
    else if (PAIRED_DELIMITERS.has(piece)) openDelimiters.push(piece);
    end += piece.length;
  }
  if (wordEnd > max * 0.6) return text.slice(0, wordEnd).trimEnd() + ELLIPSIS;
  return text.slice(0, end).trimEnd() + ELLIPSIS + openDelimiters.toReversed().join('');
}

/** Invisible; link detectors treat it as the end of a URL. */
const LINK_BREAKER = '\ufeff';

/** Includes all characters that browsers treat as a dot. Message links and links to Discord's own CDN are left alone. */
const INVITE =
  /(?<!(?:cdn|media)(?:[.\u3002\uff0e\uff61]|%2e))discord(?:app)?(?=(?:[.\u3002\uff0e\uff61]|%2e)(?:gg|new|gifts?|com(?!\/channels\/(?:@me|\d+)\/\d+(?:\/\d+)?(?![\w/.%-]))(?=\/)))/gi;
/** 300 characters cover anything that can precede the host of a URL. */
const URL_START = /https?:(?=(\/\/[^\s<>]{0,300}))/gi;

/** Clients embed invites, gifts and more, even without a scheme or in angle brackets, so a text could advertise under the bot's name. The URL stays readable, but is not a link. */
export function breakInvites(text: string): string {
  const withBrokenSchemes = text.replace(URL_START, (scheme: string, rest: string) =>
    rest.search(INVITE) < 0 ? scheme : scheme + LINK_BREAKER,
  );
  return withBrokenSchemes.replace(INVITE, `$&${LINK_BREAKER}`);
}
