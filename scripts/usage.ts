import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util';

// Exit codes from sysexits.h.
export const EX_USAGE = 64;
export const EX_DATAERR = 65;
export const EX_NOINPUT = 66;
export const EX_SOFTWARE = 70;
export const EX_IOERR = 74;
export const EX_TEMPFAIL = 75;
export const EX_NOPERM = 77;
export const EX_CONFIG = 78;

/** Ends a script. The message says what is wrong and what to do. */
export class Stop extends Error {
  override readonly name = 'Stop';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Says which argument `parseArgs` refused. Any other error is thrown again. */
export function reportWrongArguments(error: unknown, usage: string): number {
  if (!(error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))) throw error;
  console.error(`${error.message.split('. ')[0]}. Usage: ${usage}`);
  return EX_USAGE;
}

/** The options of a script, and what its help says of each. */
type OptionList = Readonly<Record<string, ParseArgsOptionDescriptor & { help: string }>>;

export type Values<Options extends OptionList> = ReturnType<typeof parseArgs<{ options: Options }>>['values'];

interface Script<Options extends OptionList> {
  usage: string;
  /** What the script does. */
  does: string;
  options?: Options;
  /** What the help says of arguments and of variables of the environment. */
  inputs?: Readonly<Record<string, string>>;
  /** Whether there are arguments without a name. */
  allowPositionals?: boolean;
  /** What a failure means. Undefined if it is an error of the script. */
  explain?: (error: unknown) => Stop | undefined;
  /** Breaks the lines of sentences. */
  wrap?: (sentence: string) => string;
}

const asIs = (sentence: string): string => sentence;

function helpOf({ usage, does, options, inputs, wrap = asIs }: Script<OptionList>): string {
  const all = Object.entries({ ...options, help: { help: 'shows this help' } });
  const rows = [...Object.entries(inputs ?? {}), ...all.map(([name, { help }]) => [`--${name}`, help] as const)];
  const width = 2 + Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, text]) => name.padEnd(width) + text.replaceAll('\n', `\n${' '.repeat(width + 2)}`));
  return `${wrap(does)}\n\nUsage: ${usage}\n\n  ${lines.join('\n  ')}`;
}

/** Runs a script, which may return its exit code; with --help, shows its help instead. */
export async function runScript<const Options extends OptionList>(
  script: Script<Options>,
  run: (values: Values<Options>, positionals: string[]) => unknown,
): Promise<void> {
  const { usage, options, allowPositionals = false, explain, wrap = asIs } = script;
  try {
    const all = { ...options, help: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ options: all, allowPositionals });
    if ('help' in values) return console.log(helpOf(script));
    const code = await run(values as Values<Options>, positionals);
    if (typeof code === 'number') process.exitCode = code;
  } catch (error) {
    const stop = error instanceof Stop ? error : explain?.(error);
    if (stop && !(error instanceof TypeError)) console.error(wrap(stop.message));
    process.exitCode = error instanceof TypeError || !stop ? reportWrongArguments(error, usage) : stop.code;
  }
}

/** Runs a check, which returns what it found wrong, and what to say if that is nothing. */
export const runCheck = (name: string, does: string, check: () => Promise<CheckResult> | CheckResult): Promise<void> =>
  runWithoutOptions(`npm run check:${name}`, does, async () => {
    const { problems, advice, summary } = await check();
    for (const problem of problems) console.error(problem);
    if (problems.length > 0 && advice) console.error(advice);
    if (problems.length === 0) console.log(summary);
    return problems.length > 0 ? 1 : 0;
  });

interface CheckResult {
  problems: readonly string[];
  advice?: string;
  summary: string;
}

/** Runs a script whose only option is --help. */
export const runWithoutOptions = (usage: string, does: string, run: () => unknown): Promise<void> =>
  runScript({ usage, does }, run);
