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
  const redactedText = secrets.reduce((line, secret) => line.replaceAll(secret, '…'), text);
  const fields = parseFields(redactedText);
  if (!fields) return { at, level, text: redactedText.slice(0, MAX_TEXT_LENGTH) };
  const { level: levelNumber, time, msg, err, ...rest } = fields;
  const details = Object.entries(rest).map(
    ([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? `\n${String(err.stack)}` : '';
  return {
    at: typeof time === 'number' ? time : at,
    level: LEVELS[Number(levelNumber)] ?? level,
    text: `${String(msg ?? '')}${details.join('')}${stack}`.slice(0, MAX_TEXT_LENGTH),
  };
}

function parseFields(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
