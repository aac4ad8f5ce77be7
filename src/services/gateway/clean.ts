const LONGEST_MESSAGE = 500;
const HIDDEN = '[hidden]';

/** Keys and tokens as they appear in messages of gateways that quote what they were sent. */
const SECRET_SHAPES = [/\bsk-[A-Za-z0-9_*.-]{3,}/g, /\bBearer\s+["']?[^\s"',;]+/gi];

/** Elements whose content is never prose, and what is no element at all. */
const UNREADABLE = /<!--[\s\S]*?(?:-->|$)|<(script|style|svg|head)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;
/** HTML's own names alone: a gateway may well write "<width>x<height>". */
const TAG =
  /<\/?(?:!doctype|html|head|body|title|meta|link|center|h[1-6]|p|div|section|br|hr|span|a|b|i|u|em|strong|small|pre|code|font|ul|ol|li|table|thead|tbody|tr|td|th|img|svg|script|style)\b[^<>]*>?/gi;
/** More than this of a page is never looked at. */
const LONGEST_PAGE = 20_000;

/** Makes a gateway's words fit to be shown: no markup, no secrets, one line, not endless. */
export function cleanMessage(text: string, secrets: readonly string[]): string {
  // Secrets go first: half of one, cut at the end, would no longer be known for what it is.
  let clean = text;
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, HIDDEN);
  clean = proseOf(clean.slice(0, LONGEST_PAGE));
  for (const shape of SECRET_SHAPES) clean = clean.replace(shape, HIDDEN);
  // Control characters would break a log line or a terminal.
  clean = clean.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  if (clean.length <= LONGEST_MESSAGE) return clean;
  // A letter of two halves is not cut in two.
  return `${clean
    .slice(0, LONGEST_MESSAGE - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`;
}

/** A page is best told by its title. */
function proseOf(text: string): string {
  return titleOf(text) || text.replace(UNREADABLE, ' ').replace(TAG, ' ');
}

function titleOf(text: string): string {
  const start = text.search(/<title\b/i);
  if (start < 0) return '';
  const title = text.slice(text.indexOf('>', start) + 1);
  return title.slice(0, Math.max(0, title.indexOf('<'))).trim();
}
