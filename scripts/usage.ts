import { parseArgs } from 'node:util';

/** From sysexits.h: the command was used incorrectly. */
export const EX_USAGE = 64;

/** Says which argument `parseArgs` refused. Any other error is thrown again. */
export function reportWrongArguments(error: unknown, usage: string): number {
  if (!(error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))) throw error;
  console.error(`${error.message.split('. ')[0]}. Usage: ${usage}`);
  return EX_USAGE;
}

/** Runs a script whose only option is --help, and refuses everything else. */
export async function runWithoutOptions(
  usage: string,
  does: string,
  script: () => void | Promise<void>,
): Promise<void> {
  try {
    const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
    if (values.help) console.log(`${does}\n\nUsage: ${usage}\n\n  --help  shows this help`);
    else await script();
  } catch (error) {
    process.exitCode = reportWrongArguments(error, usage);
  }
}
