/** Text of others inside code: a backtick would end it. */
export function inCode(text: string): string {
  return `\`${text.replaceAll('`', 'ˋ').replace(/\s+/g, ' ')}\``;
}

/** Text of others in running text: on one line, every sign that Discord would read as more than itself taken literally. */
export function asText(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const cut = line.length <= most ? line : `${line.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
  // An address would unfold into a preview; angle brackets around it, which nobody sees, keep it from that.
  return cut
    .split(/(https?:\/\/[^\s<>]+)/)
    .map((part, index) => (index % 2 === 1 ? `<${part}>` : literal(part)))
    .join('');
}

function literal(text: string): string {
  return text.replace(/[\\*_~`|<>[\]()]/g, '\\$&');
}
