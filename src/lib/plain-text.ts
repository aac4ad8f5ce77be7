/**
 * What a terminal would obey instead of showing it: control characters, line separators, and marks that turn the direction of everything
 * behind them.
 */
const COMMANDS = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
/** The same, but for what JSON has already spelled out. */
const COMMANDS_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const spelled = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Text from outside, fit to be written to a terminal: on one line, and nothing in it is obeyed. */
export const onTerminal = (text: string): string => text.replace(COMMANDS, spelled);

/** The same for a line of JSON, which stays JSON. */
export const jsonOnTerminal = (line: string): string => line.replace(COMMANDS_IN_JSON, spelled);
