import packageFile from '../package.json' with { type: 'json' };

/**
 * The arguments that `npm start` gives to Node before the bot, except the operator's own settings. Read from the script itself, so the
 * measured bot runs like the real one.
 */
export const asStarted: readonly string[] = packageFile.scripts.start
  .split(' ')
  .slice(1, -1)
  .filter((word) => !word.startsWith('--env-file'))
  .map((word) => (word.startsWith('./') ? new URL(`../${word}`, import.meta.url).href : word));
