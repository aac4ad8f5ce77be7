import type { Target } from '../discord/target.ts';

const ALONE = 'alone';

/** What the custom id of a form says that was opened from the menu on a message: nothing, or that only its member sees that message. */
export const fromMenu = ({ isPrivate }: Target): readonly string[] => (isPrivate ? [ALONE] : []);

export const isFromPrivate = ([first]: readonly string[]): boolean => first === ALONE;

/** A form stands on a task's message, or comes from the menu on any other. */
export const isFromMenu = (args: readonly string[]): boolean => args.length === 0 || isFromPrivate(args);
