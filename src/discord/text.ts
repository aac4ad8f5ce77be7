const ELLIPSIS = '…';

/** Cut at a word where there is one near the end, and never through a letter. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most - ELLIPSIS.length).replace(/[\uD800-\uDBFF]$/, '');
  const word = cut.slice(0, cut.search(/\s\S*$/) + 1).trimEnd().length;
  const whole = word > most * 0.6 ? cut.slice(0, word) : cut;
  return whole.trimEnd() + ELLIPSIS;
}

/** What means something only as a whole: an escaped sign, a mention or a time, a link, an address; and the marks that come in pairs. */
const PIECE = /\\[\s\S]|<[^<>\s]+>|\[[^\]\n]*\]\([^)\s]*\)|https?:\/\/[^\s<>]+|```|\*\*|~~|\|\||__|`|[\s\S]/gu;
/** A signed address has some hundred letters. */
const LONGEST_PIECE = 1_000;
const PAIRED: ReadonlySet<string> = new Set(['```', '**', '~~', '||', '__', '`']);

/** The same for text that Discord reads as more than letters: nothing of that is cut in two, and what was opened is closed. */
export function beginning(text: string, most: number): string {
  if (text.length <= most) return text;
  const open: string[] = [];
  let end = 0;
  let word = 0;
  for (const [piece] of text.slice(0, most + LONGEST_PIECE).matchAll(PIECE)) {
    const closing = open.at(-1) === piece;
    const marks = open.join('').length + (PAIRED.has(piece) && !closing ? piece.length : 0);
    if (end + piece.length + marks + ELLIPSIS.length > most) break;
    if (open.length === 0 && /^\s$/.test(piece)) word = end;
    if (closing) open.pop();
    else if (PAIRED.has(piece)) open.push(piece);
    end += piece.length;
  }
  if (word > most * 0.6) return text.slice(0, word).trimEnd() + ELLIPSIS;
  return text.slice(0, end).trimEnd() + ELLIPSIS + open.toReversed().join('');
}

/** Nobody sees it, and everything that looks for links takes it for white space, where an address ends. */
const BREAK = '\ufeff';

/** With whatever a browser takes for a dot. Links to messages stay: the bot makes them itself; and so do Discord's own files. */
const INVITING =
  /(?<!(?:cdn|media)(?:[.\u3002\uff0e\uff61]|%2e))discord(?:app)?(?=(?:[.\u3002\uff0e\uff61]|%2e)(?:gg|new|gifts?|com(?!\/channels\/(?:@me|\d+)\/\d+(?:\/\d+)?(?![\w/.%-]))(?=\/)))/gi;
/** What stands before the host of an address is shorter. */
const ADDRESS = /https?:(?=(\/\/[^\s<>]{0,300}))/gi;

/**
 * Discord's clients unfold invites, gifts, templates and applications wherever their address stands in a message, without a scheme and
 * within angle brackets too, and no flag keeps them from it. Words of a member or a model would advertise in the bot's name. The address
 * stays readable, and leads nowhere.
 */
export function withoutInvites(text: string): string {
  const withoutSchemes = text.replace(ADDRESS, (scheme: string, rest: string) =>
    rest.search(INVITING) < 0 ? scheme : scheme + BREAK,
  );
  return withoutSchemes.replace(INVITING, `$&${BREAK}`);
}
