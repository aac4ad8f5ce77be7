/** Text of others inside code: a backtick would end it. */
export function inCode(text: string): string {
  return `\`${text.replaceAll('`', 'ˋ').replace(/\s+/g, ' ')}\``;
}
