/** Removes URLs with which any reader could fetch a member's file. */
export const withoutSignedUrls = (text: string): string =>
  text.replace(/https?:\/\/\S+ ?/gi, (url) => (signatureExpiry(url.trim()) === undefined ? url : ''));

/**
 * When Discord's signed URL of a file expires; undefined for any other URL. The host does not matter, because
 * the media proxy and an embedded Discord sign URLs in the same way (reference, "Signed Attachment CDN URLs").
 */
export function signatureExpiry(address: string): number | undefined {
  const url = URL.parse(address);
  // Discord signs files in messages, including ephemeral ones.
  if (!url || !/^\/(?:ephemeral-)?attachments\//.test(url.pathname)) return undefined;
  const seconds = url.searchParams.get('ex') ?? '';
  return /^[\da-f]{1,12}$/i.test(seconds) ? Number.parseInt(seconds, 16) * 1_000 : undefined;
}
