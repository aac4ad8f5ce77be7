import packageFile from '../package.json' with { type: 'json' };

/**
 * The arguments that `npm start` passes to Node before the bot's entry file, except the operator's settings. Read from the script itself, so the
 * measured bot runs like the real one.
 */
export const nodeArguments: readonly string[] = packageFile.scripts.start
  .replace('--import ./scripts/env-file.mjs ', '')
  .split(' ')
  .slice(1, -1)
  .map((argument) => (argument.startsWith('./') ? new URL(`../${argument}`, import.meta.url).href : argument));
