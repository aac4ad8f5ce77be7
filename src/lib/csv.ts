/** Writes comma-separated values (RFC 4180) for a spreadsheet. */
export const csv = (rows: readonly (readonly string[])[]): Buffer =>
  Buffer.from(rows.map((row) => `${row.map(field).join(',')}\r\n`).join(''));

/**
 * A spreadsheet would evaluate text that starts like a formula, which could send data elsewhere. An apostrophe makes it plain text. A signed
 * number stays a number.
 */
function field(text: string): string {
  const isFormula = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/.test(text) && !/^[+-]?[\d.]+(?:[eE][+-]?\d+)?$/.test(text);
  const escaped = isFormula ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
}
