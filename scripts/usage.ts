/** From sysexits.h: the command was used incorrectly. */
export const EX_USAGE = 64;

/** Says which argument `parseArgs` refused. Any other error is thrown again. */
export function reportWrongArguments(error: unknown, usage: string): number {
  if (!(error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))) throw error;
  console.error(`${error.message.split('. ')[0]}. Usage: ${usage}`);
  return EX_USAGE;
}
