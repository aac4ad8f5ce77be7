import type { LogLine } from './protocol.ts';

const LEVELS: Readonly<Record<number, LogLine['level']>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};
const MAX_TEXT_LENGTH = 4_000;

interface Defaults {
  readonly at: number;
  readonly level: LogLine['level'];
  readonly secrets: readonly string[];
}

/** Reads a line of the bot's log: JSON, or plain text such as a crash message. */
export function parseLogLine(text: string, { at, level, secrets }: Defaults): LogLine {
  const redacted = secrets.reduce((line, secret) => line.replaceAll(secret, '…'), text);
  const fields = parseFields(redacted);
  if (!fields) return { at, level, text: redacted.slice(0, MAX_TEXT_LENGTH) };
  const { level: number, time, msg, err, ...rest } = fields;
  const details = Object.entries(rest).map(
    ([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? `\n${String(err.stack)}` : '';
  return {
    at: typeof time === 'number' ? time : at,
    level: LEVELS[Number(number)] ?? level,
    text: `${String(msg ?? '')}${details.join('')}${stack}`.slice(0, MAX_TEXT_LENGTH),
  };
}

function parseFields(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (problem) {
    if (problem instanceof SyntaxError) return undefined;
    throw problem;
  }
}
