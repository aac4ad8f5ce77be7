import type { APIApplication } from 'discord-api-types/v10';
import type { ZodType } from 'zod';
import { kindSpecs, ruleTargets } from '../../src/commands/index.ts';
import { type Config, readConfig } from '../../src/config.ts';
import * as shape from '../../src/config-shapes.ts';
import { readSecret } from '../../src/lib/secret.ts';
import { terminalSafe } from '../../src/lib/text.ts';
import { GatewayError } from '../../src/services/gateway/errors.ts';
import { limitsText } from '../../src/services/money/limits-text.ts';
import { explainFailure, readApplication } from '../deploy.ts';
import { EX_CONFIG, EX_NOPERM, Stop } from '../usage.ts';
import { applicationProblems, openRest } from './discord-side.ts';
import type { Draft } from './draft.ts';
import {
  examineGateway,
  explainGatewayError,
  type GatewayReport,
  modelsOfKind,
  USUAL_PRICING_PATH,
} from './gateway-side.ts';
import { counted, type Terminal } from './terminal.ts';

const TOKEN_STEPS = `  1. Open https://discord.com/developers/applications and create an application.
  2. Under Installation, set Install Link to None. Then, under Bot, turn Public Bot off, so that no one else can add the bot and spend your money. The bot needs no privileged intent.
  3. Under Bot, click Reset Token and copy the token.`;

const GATEWAY_STEPS =
  'All requests go to one AI gateway. Its website has its address, and creates keys, which start with sk-. What is checked here costs nothing.';

const NO_MODELS = 'The gateway lists no models for this key. Check on its website which models the key may use.';

export const readDraft = ({ settings }: Draft): Config => readConfig(settings, ruleTargets);

/** A required setting: the present value, if it is kept and was not refused, or a new one. */
async function settle(
  { name, label, expected, isSecret = false }: { name: string; label: string; expected: ZodType; isSecret?: boolean },
  isRefused: boolean,
  draft: Draft,
  terminal: Terminal,
): Promise<string> {
  const { value, variable, problem } = readSecret(draft.settings, name);
  const isInvalid = value !== undefined && !expected.safeParse(value).success;
  if (problem !== undefined) throw new Stop(EX_CONFIG, `${variable} ${problem}.`);
  if (isInvalid) terminal.bad(`${variable} should be ${expected.description}.`);
  const origin = draft.originOf(name);
  const isElsewhere = variable !== name || origin === 'environment';
  if (value !== undefined && !isInvalid && !isRefused) {
    if (isElsewhere) terminal.say(`${variable} is set, and stays.`);
    if (isElsewhere || origin === 'decided' || (await terminal.confirm(`${name} is set. Keep it?`))) return value;
  }
  if (value !== undefined && isElsewhere)
    throw new Stop(EX_CONFIG, `Correct ${variable} where it is set (the environment, or its file), and try again.`);
  // A refused address is often right up to its path.
  const proposal = isSecret ? '' : (URL.parse(value ?? '')?.origin ?? '');
  const response = await terminal.ask(label, { proposal, isSecret, expected });
  draft.decide(name, response);
  return response;
}

/** Asks for the token until Discord accepts it. */
export async function settleToken(draft: Draft, terminal: Terminal): Promise<APIApplication> {
  terminal.title('1 of 4  The bot’s token');
  if (terminal.canAsk && draft.get('DISCORD_TOKEN') === undefined) terminal.say(TOKEN_STEPS);
  const api = shape.discordApi.safeParse(draft.get('DISCORD_API_URL'));
  if (!api.success) throw new Stop(EX_CONFIG, `DISCORD_API_URL should be ${shape.discordApi.description}.`);
  const question = { name: 'DISCORD_TOKEN', label: 'Bot token (not shown)', expected: shape.botToken, isSecret: true };
  for (let isRefused = false; ; isRefused = true) {
    const token = await settle(question, isRefused, draft, terminal);
    try {
      const application = await readApplication(openRest(api.data, token));
      const access = application.bot_public ? 'public' : 'private';
      terminal.good(`The token belongs to ${terminalSafe(application.name)}, a ${access} bot.`);
      for (const problem of applicationProblems(application, draft)) terminal.bad(problem);
      return application;
    } catch (error) {
      const refusal = explainFailure(error);
      if (refusal.code !== EX_NOPERM || !terminal.canAsk) throw refusal;
      terminal.bad(refusal.message);
    }
  }
}

/** Asks for the gateway's address and key until it lists its models. */
export async function settleGateway(draft: Draft, terminal: Terminal): Promise<GatewayReport> {
  terminal.title('2 of 4  The gateway');
  if (terminal.canAsk && draft.get('GATEWAY_BASE_URL') === undefined) terminal.say(GATEWAY_STEPS);
  const address = { name: 'GATEWAY_BASE_URL', label: 'Address of the gateway', expected: shape.gatewayBase };
  const key = { name: 'GATEWAY_API_KEY', label: 'Key (not shown)', expected: shape.gatewayKey, isSecret: true };
  let refused: string | undefined;
  for (;;) {
    for (const question of [address, key]) await settle(question, refused === question.name, draft, terminal);
    const { gateway } = readDraft(draft);
    let refusal = new Stop(EX_CONFIG, NO_MODELS);
    try {
      const report = await examineGateway(gateway, terminal.bad);
      if (report.models.length > 0) return report;
      refused = key.name;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      refusal = explainGatewayError(error, gateway.baseUrl);
      refused = refusal.code === EX_NOPERM ? key.name : address.name;
    }
    if (!terminal.canAsk) throw refusal;
    terminal.bad(refusal.message);
  }
}

export async function reportGateway(report: GatewayReport, draft: Draft, terminal: Terminal): Promise<void> {
  const { models, families, prices } = report;
  const named = (answer: boolean | undefined): string =>
    families.flatMap(({ name, isOffered }) => (isOffered === answer ? name : [])).join(', ');
  terminal.good(`The gateway lists ${counted(models.length, 'model')}.`);
  if (named(true)) terminal.good(`It has endpoints for ${named(true)}.`);
  if (named(false)) terminal.bad(`It has no endpoint for ${named(false)}. Requests there will fail.`);
  if (named(undefined)) terminal.bad(`Its endpoints for ${named(undefined)} do not work at the moment.`);
  terminal.say('   /ask and /talk were not tried, because each request to them costs money.');
  if (!prices)
    return terminal.say(
      `   It has no price list at ${draft.get('GATEWAY_PRICING_PATH') ?? USUAL_PRICING_PATH}. Without the prices in a file (PRICES in docs/configuration.md), only limits on numbers of tasks count.`,
    );
  const groups = [...prices.groups.keys()].map(terminalSafe);
  terminal.good(`It lists ${counted(prices.models.length, 'price')}, for the groups: ${groups.join(', ') || 'none'}.`);
  if (draft.get('GATEWAY_PRICING_PATH')) return;
  if (await terminal.confirm('Use these prices for estimates and limits?'))
    draft.decide('GATEWAY_PRICING_PATH', USUAL_PRICING_PATH);
}

const modelSettings = [
  ['DEFAULT_IMAGE_MODEL', 'image', '/image'],
  ['DEFAULT_VIDEO_MODEL', 'video', '/video'],
  ['DEFAULT_MUSIC_MODEL', 'music', '/music'],
  ['DEFAULT_TEXT_MODEL', 'text', '/ask'],
  ['DEFAULT_TALK_MODEL', 'voice', '/talk'],
] as const;

/** Proposes a model for each command that has none yet. */
export async function proposeModels({ models }: GatewayReport, draft: Draft, terminal: Terminal): Promise<void> {
  terminal.title('3 of 4  Models and limits');
  const { modelKinds } = readDraft(draft);
  const proposals = modelSettings.flatMap(([name, kind, command]) => {
    const present = draft.get(name);
    const fitting = modelsOfKind(kind, models, modelKinds);
    const id = present ?? fitting.find((one) => terminalSafe(one.id) === one.id)?.id;
    const none = kind === 'music' ? 'none found: the gateway chooses one' : 'none found: members have to name one';
    terminal.say(`   ${command.padEnd(7)} ${id === undefined ? none : terminalSafe(id)}`);
    if (present && models.every((one) => one.id !== present))
      terminal.bad(`The gateway does not list this model. Correct ${name}.`);
    return present || id === undefined ? [] : [{ name, command, id }];
  });
  if (proposals.length === 0) return;
  const areAccepted = await terminal.confirm('Use these models where a member names none?');
  for (const { name, command, id } of proposals)
    draft.decide(name, areAccepted ? id : await terminal.ask(`Model for ${command}`, { proposal: id }));
}

export async function proposeLimits(draft: Draft, terminal: Terminal): Promise<void> {
  const { budgets, discord } = readDraft(draft);
  const { total, server, member, direct } = budgets;
  const limits = [
    ['TOTAL_BUDGET', 'Whole bot', limitsText(total)],
    ['DEFAULT_SERVER_BUDGET', 'Each server', limitsText(server)],
    ['DEFAULT_MEMBER_BUDGET', 'Each member on a server', limitsText(member)],
    ['DIRECT_BUDGET', 'Each member in direct messages', limitsText(direct)],
  ] as const;
  terminal.say('\nThe limits, of which those in dollars count where prices are known:');
  for (const [, who, text] of limits) terminal.say(`   ${who.padEnd(30)} ${text}`);
  if (discord.mentions && discord.guildIds.length === 0)
    terminal.say('The bot answers direct messages. To turn that off, set DISCORD_MENTIONS=off.');
  if (await terminal.confirm('Keep these limits?')) return;
  const expected = shape.usageLimits(Object.keys(kindSpecs), 'none');
  for (const [name, label, proposal] of limits) {
    const response = await terminal.ask(label, { proposal, expected });
    if (response !== proposal) draft.decide(name, response);
  }
}
