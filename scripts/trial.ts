import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import packageFile from '../package.json' with { type: 'json' };
import { ruleTargets } from '../src/commands/index.ts';
import { readConfig } from '../src/config.ts';
import * as shape from '../src/config-shapes.ts';
import { roundUp } from '../src/lib/decimals.ts';
import { terminalSafe } from '../src/lib/text.ts';
import { GatewayError } from '../src/services/gateway/errors.ts';
import { decimalPrice } from '../src/services/money/price.ts';
import { explainFailure } from './deploy.ts';
import { explainGatewayError } from './setup/gateway-side.ts';
import { openTerminal, type Terminal, wrap } from './setup/terminal.ts';
import { adopt } from './trial/adopt.ts';
import { compareWithExpected, knownIn, readExpected } from './trial/expected.ts';
import type { Member } from './trial/member-steps.ts';
import { markdownOf, type TrialReport } from './trial/report.ts';
import type { Step } from './trial/run.ts';
import { costsOf, openTrial, type Trial } from './trial/trial.ts';
import { EX_CONFIG, EX_USAGE, runScript, Stop, type Values } from './usage.ts';

const DEFAULT_CAP = '1';

const FAREWELL =
  'The trial ends without a report. It removes its messages and the commands that it registered; Ctrl-C again leaves them there.';

const USAGE = 'npm run trial -- --channel <ID> [--with-me] [--max-cost <dollars>] [--out <folder>] [--yes]';

const DOES =
  'Tries a real Discord and a real gateway with the settings in .env, and compares their responses with those of the embedded sides. It first shows what it will do and what that may cost.';

const WITH_ME = 'also starts the bot and says what to type and press there;\nstop any other process of the bot first';
const MAX_COST = `most US dollars to spend, by the estimates (default: ${DEFAULT_CAP})`;
const options = {
  channel: { type: 'string', help: 'ID of the text channel for the messages of the trial' },
  'with-me': { type: 'boolean', default: false, help: WITH_ME },
  'max-cost': { type: 'string', default: DEFAULT_CAP, help: MAX_COST },
  out: { type: 'string', default: '.', help: 'folder for trial-report.md and trial-report.json (default: .)' },
  yes: { type: 'boolean', default: false, help: 'asks nothing; leaves out what has no known price' },
  adopt: { type: 'string', help: 'makes fixtures for the tests from a report, and does nothing else' },
} as const;

async function main(values: Values<typeof options>): Promise<number> {
  const { channel = '', out, yes, 'max-cost': maxCost, 'with-me': withMember } = values;
  if (values.adopt !== undefined) {
    console.log(adopt(values.adopt));
    return 0;
  }
  const problem =
    (!shape.guildId.safeParse(channel).success && '--channel should be the ID of a text channel') ||
    (!decimalPrice.safeParse(maxCost).success && '--max-cost should be an amount in US dollars, such as 0.50') ||
    (yes && withMember && '--with-me needs you, so it cannot be used with --yes');
  if (problem) throw new Stop(EX_USAGE, `${problem}. Usage: ${USAGE}`);
  const config = readConfig(process.env, ruleTargets);
  makeFolder(out);
  let trial: Trial | undefined;
  let isEnding = false;
  // The process ends once everything is removed.
  const holdIfEnding = (): Promise<void> | undefined => (isEnding ? new Promise(() => undefined) : undefined);
  const removeAll = async (): Promise<void> => {
    isEnding = true;
    const removals = trial?.steps.filter(({ name }) => name.startsWith('Removal')) ?? [];
    const outcomes = await Promise.allSettled(removals.map((step) => step.run()));
    await trial?.close();
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  };
  const terminal = openTerminal(!yes, () => FAREWELL, removeAll);
  const member = withMember ? memberAt(terminal) : undefined;
  trial = await openTrial(config, { channelId: channel, member, maxCost }).catch((error: unknown) => {
    throw error instanceof GatewayError ? explainGatewayError(error, config.gateway.baseUrl) : error;
  });
  try {
    const runsUnpriced = await agree(trial, maxCost, terminal);
    return runsUnpriced === undefined ? 0 : await run(trial, { maxCost, runsUnpriced, holdIfEnding }, out, terminal);
  } finally {
    terminal.close();
    await trial.close();
  }
}

/** A report that cannot be written must not be found out after everything was paid. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.W_OK);
  } catch {
    throw new Stop(EX_CONFIG, `No report can be written to ${path}. Name a folder that you may write to with --out.`);
  }
}

/** Tells the operator what to do, and waits for Enter. */
const memberAt =
  (terminal: Terminal): Member =>
  async ({ type, text }) => {
    const what = terminalSafe(text);
    const deeds = {
      command: `Type ${what}`,
      menu: `Open the menu of a message of the bot, and choose Apps and ${what}`,
      message: `Post "${what}"`,
      button: `Press or choose "${what || 'the button without a label'}"`,
    };
    terminal.say(`   ${deeds[type]}, and wait until the bot has responded. Fill in a form that opens.`);
    return await terminal.confirm('Done?');
  };

/** Shows the plan. Undefined if the operator does not agree, else whether steps without a known price are run. */
async function agree(
  { steps, memberCost, channel }: Trial,
  maxCost: string,
  terminal: Terminal,
): Promise<boolean | undefined> {
  terminal.title('The plan');
  for (const step of steps) terminal.say(`   ${step.side.padEnd(8)} ${step.name} (${priceText(step)})`);
  const { total, unpriced } = costsOf(steps);
  terminal.say(
    `\nMessages go to #${terminalSafe(channel.name)} and are removed at the end${memberCost ? ', but not what the bot posts when you use it' : ''}; a closed thread stays there if the bot may not delete it. The commands are registered on this server for a moment if it has none of its own.`,
  );
  const priced =
    memberCost === '0'
      ? 'The bot refuses what you order where it knows a price, since these leave nothing of that;'
      : `What you order from the bot costs at most ${roundUp(memberCost ?? '0')} more;`;
  const ordered = `${priced} where it knows no price, there is no limit: skip such a step.`;
  terminal.say(
    `Known prices add up to ${roundUp(total)} US dollars; steps that would exceed ${maxCost} are left out. ${memberCost ? ordered : ''}`,
  );
  if (!(await terminal.confirm('Run this?'))) return undefined;
  const question = `Steps without a known price, which the limit does not count: ${unpriced}. Run these too?`;
  return unpriced > 0 && (await terminal.confirm(question, false));
}

function priceText({ side, cost }: Step): string {
  if (!cost) return side === 'member' ? 'free, or at the bot’s price if it orders' : 'free';
  return cost.estimate === undefined ? 'unknown price' : `about ${roundUp(cost.estimate)} US dollars`;
}

async function run(
  trial: Trial,
  {
    holdIfEnding,
    ...limits
  }: { maxCost: string; runsUnpriced: boolean; holdIfEnding: () => Promise<void> | undefined },
  out: string,
  terminal: Terminal,
): Promise<number> {
  const expected = readExpected();
  terminal.title('The trial');
  const { results, spent } = await trial.run(trial.steps, {
    ...limits,
    known: knownIn(expected),
    onStart: ({ name }, number) => {
      terminal.say(`${number} of ${trial.steps.length}  ${name}`);
      return holdIfEnding();
    },
    onEnd: ({ outcome, reason = '', ms }) =>
      outcome === 'worked' ? terminal.good(`${ms} ms`) : terminal.bad(`${outcome}: ${reason}`),
  });
  await holdIfEnding();
  const { profile: comparedWith, differences } = compareWithExpected(results, expected);
  const { version } = packageFile;
  const report: TrialReport = { format: 1, version, comparedWith, spentAtMost: spent, differences, steps: results };
  const page = join(out, 'trial-report.md');
  writeFileSync(page, markdownOf(report));
  writeFileSync(join(out, 'trial-report.json'), `${JSON.stringify(report, null, 2)}\n`);
  terminal.title('The report');
  const named = differences.length > 0 ? `${page} names them;` : `The steps are in ${page};`;
  terminal.say(`Differences: ${differences.length}. ${named} docs/trial.md says how to send it.`);
  return results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
}

const usage = `${USAGE}\n       npm run trial -- --adopt <trial-report.json>`;
await runScript({ usage, does: DOES, options, explain: explainFailure, wrap }, main);
