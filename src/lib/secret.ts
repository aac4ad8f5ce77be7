import { readFileSync, statSync } from 'node:fs';

/** Far more than a token, a key or a URL needs. A larger file must be the wrong one. */
const MAX_BYTES = 64 * 1024;

export interface Secret {
  /** The variable that was read: the secret's own, or the one that names its file. */
  readonly variable: string;
  readonly value?: string | undefined;
  /** Completes a sentence that begins with the variable's name. Never repeats the value or the content of the file. */
  readonly problem?: string;
}

export const fileVariable = (name: string): string => `${name}_FILE`;

/** Reads a secret from the environment, or from the file that `<name>_FILE` names, as containers and systemd provide it. */
export function readSecret(environment: Readonly<Record<string, string | undefined>>, name: string): Secret {
  const value = environment[name]?.trim() || undefined;
  const variable = fileVariable(name);
  const path = environment[variable]?.trim();
  if (!path) return { variable: name, value };
  if (value !== undefined) return { variable, problem: `and ${name} are both set: remove one of them` };
  try {
    return { variable, ...readSecretFile(path) };
  } catch {
    // The system's error message would repeat the path, which is the secret itself if someone put it into the wrong variable.
    return { variable, problem: 'should be the path of a file that the bot can read' };
  }
}

function readSecretFile(path: string): Pick<Secret, 'value' | 'problem'> {
  const stats = statSync(path);
  // A device or a pipe may never end.
  if (!stats.isFile()) return { problem: 'should be the path of a regular file' };
  if (stats.size > MAX_BYTES) return { problem: `names a file larger than ${MAX_BYTES / 1024} KiB` };
  const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)).replace(/\r?\n$/, '');
  if (text.trim() === '') return { problem: 'names an empty file' };
  // Drivers would remove a line break from a URL, or send it to the server.
  if (/[\r\n]/.test(text)) return { problem: 'names a file with more than one line' };
  return { value: text };
}
