import pino, { type Logger } from 'pino';

export type Log = Logger;

export interface LogOptions {
  level: string;
  /** Never written, wherever they turn up. */
  secrets: readonly string[];
  /** Lines for a person at a terminal instead of JSON for a machine. */
  readable: boolean;
  write(line: string): void;
}

const HIDDEN = '[hidden]';
/** Addresses that end in an interaction's own token, which lets anybody answer in the bot's name. */
const TOKEN_ADDRESS = /(\/(?:webhooks|interactions)\/\d{5,}\/)[^/\s"'?\\]+/g;

/** Every finished line is searched for secrets, so that none slips out inside an error, an address or a nested object. */
export function openLog({ level, secrets, readable, write }: LogOptions): Log {
  const spellings = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]).filter(Boolean);
  const hide = (line: string): string =>
    spellings.reduce((text, secret) => text.replaceAll(secret, HIDDEN), line.replace(TOKEN_ADDRESS, `$1${HIDDEN}`));
  const options = { level, base: null, serializers: { err: pino.stdSerializers.err } };
  return pino(options, { write: (line) => write(hide(readable ? readableLine(line) : line)) });
}

const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

function readableLine(line: string): string {
  const { level, time, msg, err, ...facts } = JSON.parse(line) as Record<string, unknown>;
  const clock = new Date(Number(time)).toISOString().slice(11, 19);
  const details = Object.entries(facts).map(
    ([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? `\n${String(err.stack)}` : '';
  return `${clock} ${(LEVELS[Number(level)] ?? '').padEnd(5)} ${String(msg ?? '')}${details.join('')}${stack}\n`;
}
