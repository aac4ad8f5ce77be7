const LONGEST_MESSAGE = 500;
const HIDDEN = '[hidden]';

/** Keys and tokens as they appear in messages of gateways that quote what they were sent. */
const SECRET_SHAPES = [/\bsk-[A-Za-z0-9_*.-]{3,}/g, /\bBearer\s+[^\s"',;]+/gi];

/** Elements whose content is never prose. */
const UNREADABLE = /<(script|style|svg|head)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;
const TITLE = /<title[^>]*>([^<]*)/i;

/** Makes a gateway's words fit to be shown: no markup, no secrets, one line, not endless. */
export function cleanMessage(text: string, secrets: readonly string[]): string {
  let clean = looksLikeHtml(text) ? proseOf(text) : text;
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, HIDDEN);
  for (const shape of SECRET_SHAPES) clean = clean.replace(shape, HIDDEN);
  // Control characters would break a log line or a terminal.
  clean = clean.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return clean.length > LONGEST_MESSAGE ? `${clean.slice(0, LONGEST_MESSAGE - 1).trimEnd()}…` : clean;
}

function looksLikeHtml(text: string): boolean {
  return /<(?:!doctype|html|head|body|title|center|h1|p|div|br|hr|span|a)\b/i.test(text);
}

function proseOf(html: string): string {
  const title = TITLE.exec(html)?.[1]?.trim();
  return title || html.replace(UNREADABLE, ' ').replace(/<[^>]*>?/g, ' ');
}
