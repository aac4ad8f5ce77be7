import type { LogLine } from './protocol.ts';

const LEVELS: Readonly<Record<number, LogLine['level']>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};
const LONGEST = 4_000;

interface Defaults {
  readonly at: number;
  readonly level: LogLine['level'];
  readonly secrets: readonly string[];
}

/** Reads a line of the bot's log: JSON, or plain text such as a crash message. */
export function lineOf(text: string, { at, level, secrets }: Defaults): LogLine {
  const shown = secrets.reduce((line, secret) => line.replaceAll(secret, '…'), text);
  const facts = factsOf(shown);
  if (!facts) return { at, level, text: shown.slice(0, LONGEST) };
  const { level: number, time, msg, err, ...rest } = facts;
  const details = Object.entries(rest).map(
    ([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? `\n${String(err.stack)}` : '';
  return {
    at: typeof time === 'number' ? time : at,
    level: LEVELS[Number(number)] ?? level,
    text: `${String(msg ?? '')}${details.join('')}${stack}`.slice(0, LONGEST),
  };
}

function factsOf(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (problem) {
    if (problem instanceof SyntaxError) return undefined;
    throw problem;
  }
}
