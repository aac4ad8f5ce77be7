/** What Discord signs: files of messages, and those that only one member sees. */
const OF_DISCORD = /^\/(?:ephemeral-)?attachments\//;

/**
 * Until when Discord's own address of a file leads to it; undefined for any other address. Its host does not matter, for the media
 * proxy and an embedded Discord sign alike (reference, "Signed Attachment CDN URLs").
 */
export function signedUntil(address: string): number | undefined {
  const url = URL.parse(address);
  if (!url || !OF_DISCORD.test(url.pathname)) return undefined;
  const seconds = url.searchParams.get('ex') ?? '';
  return /^[\da-f]{1,12}$/i.test(seconds) ? Number.parseInt(seconds, 16) * 1_000 : undefined;
}
