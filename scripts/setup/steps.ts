import type { APIApplication } from 'discord.js';
import type { ZodType } from 'zod';
import { kindSpecs, ruleTargets } from '../../src/commands/index.ts';
import { type Config, readConfig } from '../../src/config.ts';
import * as shape from '../../src/config-shapes.ts';
import { keysOf } from '../../src/lib/entries.ts';
import { readSecret } from '../../src/lib/secret.ts';
import { terminalSafe } from '../../src/lib/text.ts';
import type { Model } from '../../src/services/gateway/endpoints/models.ts';
import { GatewayError } from '../../src/services/gateway/errors.ts';
import { guessKind, overriddenKind } from '../../src/services/gateway/model-families.ts';
import { limitsText } from '../../src/services/money/limits-text.ts';
import { explainFailure } from '../deploy.ts';
import { applicationProblems, openRest, readApplication } from './discord-side.ts';
import type { Draft } from './draft.ts';
import { examineGateway, explainGatewayError, type GatewayReport, USUAL_PRICING_PATH } from './gateway-side.ts';
import { Stop, type Terminal } from './terminal.ts';

const EX_NOPERM = 77;
const EX_CONFIG = 78;

const TOKEN_STEPS = `  1. Open https://discord.com/developers/applications and create an application.
  2. Under Installation, set Install Link to None. Then, under Bot, turn Public Bot off, so that no one else can add the bot and spend your money. It needs no privileged intent.
  3. Under Bot, click Reset Token and copy the token.`;

const GATEWAY_STEPS =
  'Atelier sends all requests to one AI gateway. Its website has its address, and lets you create a key, which starts with sk-. The checks read lists alone and cost nothing.';

export const readDraft = ({ settings }: Draft): Config => readConfig(settings, ruleTargets);

/** Takes settings from the environment into the file, where a start without this environment needs them. */
export async function takeFromEnvironment(names: readonly string[], draft: Draft, terminal: Terminal): Promise<void> {
  for (const name of names) {
    const [given, saved] = [draft.given(name), draft.saved(name)];
    if (given === undefined || given === saved) continue;
    const conflict = `.env has another ${name} than the environment.`;
    if (saved !== undefined && !terminal.canAsk)
      throw new Stop(EX_CONFIG, `${conflict} Remove one of them, and run the set-up again.`);
    if (saved === undefined || (await terminal.confirm(`${conflict} Replace the one in .env?`, false)))
      draft.decide(name, given);
  }
}

interface Question {
  expected: ZodType;
  label: string;
  isSecret: boolean;
  /** The present value has been refused, so it is not kept. */
  isRefused: boolean;
}

/** A required setting: the present value, if it is kept, or a new one. */
async function settle(name: string, question: Question, draft: Draft, terminal: Terminal): Promise<string> {
  const { value, variable, problem } = readSecret(draft.settings, name);
  if (problem !== undefined) throw new Stop(EX_CONFIG, `${variable} ${problem}.`);
  const isValid = question.expected.safeParse(value).success;
  if (value !== undefined && !isValid) terminal.bad(`${variable} should be ${question.expected.description}.`);
  const isFromElsewhere = variable !== name || draft.given(name) !== undefined;
  if (value !== undefined && isValid && !question.isRefused) {
    if (isFromElsewhere) terminal.say(`${variable} is set in the environment.`);
    if (isFromElsewhere || draft.isDecided(name) || (await terminal.confirm(`${name} is already set. Keep it?`)))
      return value;
  }
  if (value !== undefined && isFromElsewhere)
    throw new Stop(EX_CONFIG, `${variable} is set in the environment. Correct it there, and run the set-up again.`);
  for (;;) {
    const proposal = question.isSecret ? '' : (value ?? '');
    const response = await terminal.ask(question.label, { proposal, isSecret: question.isSecret });
    if (question.expected.safeParse(response).success) {
      draft.decide(name, response);
      return response;
    }
    terminal.bad(`It should be ${question.expected.description}.`);
  }
}

/** Asks for the token until Discord accepts it. */
export async function settleToken(draft: Draft, terminal: Terminal): Promise<APIApplication> {
  terminal.title('1 of 4  The bot’s token');
  if (terminal.canAsk) terminal.say(TOKEN_STEPS);
  const apiUrl = shape.discordApi.safeParse(draft.settings.DISCORD_API_URL?.trim() || undefined);
  if (!apiUrl.success) throw new Stop(EX_CONFIG, `DISCORD_API_URL should be ${shape.discordApi.description}.`);
  const label = 'Bot token (it is not shown)';
  for (let isRefused = false; ; isRefused = true) {
    const question = { expected: shape.botToken, label, isSecret: true, isRefused };
    const token = await settle('DISCORD_TOKEN', question, draft, terminal);
    try {
      const application = await readApplication(openRest(apiUrl.data, token));
      terminal.good(`Discord knows the token: it belongs to ${terminalSafe(application.name)}.`);
      const problems = applicationProblems(application, draft.settings);
      for (const problem of problems) terminal.bad(problem);
      if (problems.length === 0) terminal.good('The settings of the application are right.');
      return application;
    } catch (error) {
      const { code, sentence } = explainFailure(error);
      if (code !== EX_NOPERM || !terminal.canAsk) throw new Stop(code, sentence);
      terminal.bad(sentence);
    }
  }
}

/** Asks for the gateway's address and key until it lists its models. */
export async function settleGateway(draft: Draft, terminal: Terminal): Promise<GatewayReport> {
  terminal.title('2 of 4  The gateway');
  if (terminal.canAsk) terminal.say(GATEWAY_STEPS);
  let refused: string | undefined;
  for (;;) {
    const address = { expected: shape.gatewayBase, label: 'Address of the gateway', isSecret: false };
    const key = { expected: shape.gatewayKey, label: 'Key of the gateway (it is not shown)', isSecret: true };
    for (const [name, question] of Object.entries({ GATEWAY_BASE_URL: address, GATEWAY_API_KEY: key }))
      await settle(name, { ...question, isRefused: refused === name }, draft, terminal);
    const { gateway } = readDraft(draft);
    try {
      const report = await examineGateway(gateway, (warning) => terminal.bad(warning));
      if (report.models.length > 0) return report;
      const sentence =
        'The gateway lists no models for this key, so most commands would fail. Check on its website which models the key may use.';
      if (!terminal.canAsk) throw new Stop(EX_CONFIG, sentence);
      terminal.bad(sentence);
      if (await terminal.confirm('Go on without models?', false)) return report;
      refused = 'GATEWAY_API_KEY';
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const { code, sentence } = explainGatewayError(error, gateway.baseUrl);
      if (!terminal.canAsk) throw new Stop(code, sentence);
      terminal.bad(sentence);
      refused = code === EX_NOPERM ? 'GATEWAY_API_KEY' : 'GATEWAY_BASE_URL';
    }
  }
}

export async function reportGateway(report: GatewayReport, draft: Draft, terminal: Terminal): Promise<void> {
  const { models, families, prices } = report;
  const named = (answer: string): string => families.flatMap(([name, one]) => (one === answer ? name : [])).join(', ');
  terminal.good(`The gateway lists ${models.length} models.`);
  if (named('yes')) terminal.good(`It answers for ${named('yes')}.`);
  if (named('no')) terminal.bad(`It does not offer ${named('no')}: those commands will fail.`);
  if (named('unclear')) terminal.bad(`It gave no clear response for ${named('unclear')}.`);
  terminal.say('   /ask and /talk were not tried, because a request to them costs money.');
  const path = draft.settings.GATEWAY_PRICING_PATH?.trim();
  if (!prices)
    return terminal.say(
      `   It has no price list at ${path || USUAL_PRICING_PATH}. Limits in dollars count only tasks whose price PRICES names (docs/configuration.md); limits on numbers of tasks always count.`,
    );
  const groups = [...prices.groups.keys()].map(terminalSafe).join(', ');
  terminal.good(`Its price list has ${prices.models.length} entries${groups && `, for the groups ${groups}`}.`);
  if (!path && (await terminal.confirm('Use these prices for estimates and limits?')))
    draft.decide('GATEWAY_PRICING_PATH', USUAL_PRICING_PATH);
}

const kindByModelSetting = {
  DEFAULT_IMAGE_MODEL: ['image', '/image'],
  DEFAULT_VIDEO_MODEL: ['video', '/video'],
  DEFAULT_MUSIC_MODEL: ['music', '/music'],
  DEFAULT_TEXT_MODEL: ['text', '/ask'],
  DEFAULT_TALK_MODEL: ['voice', '/talk'],
} as const;

/** Proposes a model for each command that has none yet. */
export async function proposeModels(models: readonly Model[], draft: Draft, terminal: Terminal): Promise<void> {
  terminal.title('3 of 4  Models and limits');
  const { modelKinds } = readDraft(draft);
  const proposals = keysOf(kindByModelSetting).flatMap((name) => {
    const [kind, command] = kindByModelSetting[name];
    const present = draft.settings[name]?.trim();
    if (present) terminal.say(`   ${command} uses ${terminalSafe(present)}, as set.`);
    const model = models.find((one) => (overriddenKind(one.id, modelKinds) ?? guessKind(one)) === kind);
    return present || !model ? [] : [{ name, command, id: model.id }];
  });
  for (const { command, id } of proposals) terminal.say(`   ${command.padEnd(7)} ${terminalSafe(id)}`);
  const areAccepted = proposals.length === 0 || (await terminal.confirm('Use these models if a member names none?'));
  for (const { name, command, id } of proposals)
    draft.decide(name, areAccepted ? id : await terminal.ask(`Model for ${command}`, { proposal: id }));
}

export async function proposeLimits(draft: Draft, terminal: Terminal): Promise<void> {
  const { total, server, member, direct } = readDraft(draft).budgets;
  const limits = [
    ['TOTAL_BUDGET', 'The whole bot', limitsText(total)],
    ['DEFAULT_SERVER_BUDGET', 'Each server', limitsText(server)],
    ['DEFAULT_MEMBER_BUDGET', 'Each member', limitsText(member)],
    ['DIRECT_BUDGET', 'Direct messages', limitsText(direct)],
  ] as const;
  terminal.say('\nWhat may be spent at most:');
  for (const [, who, text] of limits) terminal.say(`   ${who.padEnd(15)} ${text}`);
  if (await terminal.confirm('Keep these limits?')) return;
  const expected = shape.usageLimits(Object.keys(kindSpecs), 'none');
  for (const [name, label, proposal] of limits) {
    let response = await terminal.ask(label, { proposal });
    while (!expected.safeParse(response).success) {
      terminal.bad(`It should be ${expected.description}.`);
      response = await terminal.ask(label, { proposal });
    }
    if (response !== proposal) draft.decide(name, response);
  }
}
