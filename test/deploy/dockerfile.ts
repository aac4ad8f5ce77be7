import { readFileSync } from 'node:fs';

/**
 * The instructions in the Dockerfile's last stage that define how the image runs, and everything that it copies from
 * the project.
 */
export interface ImageFacts {
  readonly baseImages: readonly string[];
  readonly command: readonly string[];
  readonly entrypoint: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly volume: string;
  readonly port: string;
  readonly copiedPaths: readonly string[];
}

export const dockerfile = readFileSync('Dockerfile', 'utf8');

export function readImage(): ImageFacts {
  const lines = dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const allValues = (instruction: string): string[] =>
    lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1));
  const lastValue = (instruction: string): string => allValues(instruction).at(-1) ?? '';
  const pairs = (text: string): Record<string, string> =>
    Object.fromEntries(
      [...text.matchAll(/(\S+?)=(?:"([^"]*)"|(\S+))/g)].map(([, name, quoted, bare]) => [name, quoted ?? bare]),
    );
  return {
    baseImages: allValues('FROM').map((line) => line.split(' ')[0] ?? ''),
    command: JSON.parse(lastValue('CMD')),
    entrypoint: JSON.parse(lastValue('ENTRYPOINT')),
    environment: pairs(lastValue('ENV')),
    labels: pairs(lastValue('LABEL')),
    volume: lastValue('VOLUME'),
    port: lastValue('EXPOSE'),
    copiedPaths: allValues('COPY')
      .filter((line) => !line.startsWith('--from='))
      .flatMap((line) => line.split(' ').slice(0, -1)),
  };
}
