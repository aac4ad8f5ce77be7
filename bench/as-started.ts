import packageFile from '../package.json' with { type: 'json' };

/**
 * What `npm start` gives to Node before the bot, but for the operator's own settings. Read from the script itself, so that what is
 * measured is what runs.
 */
export const asStarted: readonly string[] = packageFile.scripts.start
  .split(' ')
  .slice(1, -1)
  .filter((word) => !word.startsWith('--env-file'))
  .map((word) => (word.startsWith('./') ? new URL(`../${word}`, import.meta.url).href : word));
