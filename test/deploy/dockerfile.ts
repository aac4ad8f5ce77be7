import { readFileSync } from 'node:fs';

/**
 * The instructions in the Dockerfile's last stage that define how the image runs, and everything that it copies from
 * the project.
 */
export interface ImageFacts {
  readonly bases: readonly string[];
  readonly command: readonly string[];
  readonly init: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly volume: string;
  readonly port: string;
  readonly copied: readonly string[];
}

export const dockerfile = readFileSync('Dockerfile', 'utf8');

export function readImage(): ImageFacts {
  const lines = dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const all = (instruction: string): string[] =>
    lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1));
  const last = (instruction: string): string => all(instruction).at(-1) ?? '';
  const pairs = (text: string): Record<string, string> =>
    Object.fromEntries(
      [...text.matchAll(/(\S+?)=(?:"([^"]*)"|(\S+))/g)].map(([, name, quoted, bare]) => [name, quoted ?? bare]),
    );
  return {
    bases: all('FROM').map((line) => line.split(' ')[0] ?? ''),
    command: JSON.parse(last('CMD')),
    init: JSON.parse(last('ENTRYPOINT')),
    environment: pairs(last('ENV')),
    labels: pairs(last('LABEL')),
    volume: last('VOLUME'),
    port: last('EXPOSE'),
    copied: all('COPY')
      .filter((line) => !line.startsWith('--from='))
      .flatMap((line) => line.split(' ').slice(0, -1)),
  };
}
