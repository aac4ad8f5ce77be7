import { customIds, type RuleSection } from '../../discord/custom-ids.ts';
import { neededPermissions } from '../../discord/guards.ts';
import { commandMention } from '../../discord/markdown.ts';
import { type ButtonPlan, buttonPlan, type Control, type MessagePlan } from '../../discord/plan.ts';
import { installLinks } from '../../discord/registration.ts';
import { truncateMarkdown } from '../../discord/truncate.ts';
import { languageName, languageOf, languages } from '../../lib/languages.ts';
import type { Say } from '../../locales/index.ts';
import { canHold, usesModeration } from '../../services/safety/server-rules.ts';
import { type SetupStep, setupSteps } from '../../services/safety/server-setup.ts';
import type { Context } from '../feature.ts';
import { limitLines, pauseLines } from '../limit-lines.ts';
import {
  alertsLines,
  logChannelWarnings,
  permissionsLine,
  ruleFacts,
  ruleLines,
  unreadableLines,
} from '../rule-lines.ts';
import { checkPermissions, doneSteps } from './done-steps.ts';

/** What a step shows, and the buttons that open the forms and pages of other commands. */
interface StepContent {
  blocks: readonly string[];
  controls: readonly Control[];
}

type Mention = (command: string) => string;
type ShowStep = (guildId: string, context: Context, mention: Mention) => StepContent | Promise<StepContent>;

/** A rule can name 25 roles and as many channels. */
const MAX_LISTED_RULES = 5;
const MAX_RULE_LENGTH = 300;

export async function setupPage(view: SetupStep | 'overview', guildId: string, context: Context): Promise<MessagePlan> {
  const registered = await context.services.discord.registeredCommands(context.facts);
  const mention: Mention = (command) => commandMention(command, registered.get(command));
  if (view === 'overview') return overviewPage(guildId, context, mention);
  const { say, services } = context;
  const { blocks, controls } = await steps[view](guildId, context, mention);
  // Without a time, **Refresh** would seem to do nothing where nothing has changed.
  const footer = say('setup.asOf', { at: Math.floor(services.clock.now() / 1000) });
  const number = setupSteps.indexOf(view) + 1;
  return {
    page: { title: say('setup.title', { number, name: say(`setup.names.${view}`) }), blocks, footer },
    controls: [...controls, ...navigation(view, say)],
  };
}

/** Where the page is, is only in the ids of its buttons. */
function navigation(step: SetupStep, say: Say): ButtonPlan[] {
  const index = setupSteps.indexOf(step);
  const [previous, next] = [setupSteps[index - 1], setupSteps[index + 1]];
  const button = (
    name: 'back' | 'next' | 'finish' | 'refresh' | 'all',
    target: Parameters<typeof customIds.setup.id>[0],
    options: Partial<ButtonPlan> = {},
  ): ButtonPlan => buttonPlan(say(`setup.buttons.${name}`), customIds.setup.id(target), options);
  const forward =
    next === undefined
      ? button('finish', { step: 'overview', finished: step }, { style: 'good', startsRow: true })
      : button('next', { step: next, finished: step }, { style: 'primary', startsRow: true });
  return [
    forward,
    ...(previous === undefined ? [] : [button('back', { step: previous })]),
    button('refresh', { step }),
    button('all', { step: 'overview' }),
  ];
}

async function overviewPage(guildId: string, context: Context, mention: Mention): Promise<MessagePlan> {
  const { say } = context;
  const done = await doneSteps(guildId, context);
  const lines = setupSteps.map((step, index) =>
    say(`setup.overview.${done.has(step) ? 'done' : 'open'}`, { number: index + 1, name: say(`setup.names.${step}`) }),
  );
  const isAllDone = done.size === setupSteps.length;
  const nextText = isAllDone
    ? say('setup.overview.allDone')
    : say('setup.overview.notDone', { command: mention('setup') });
  return {
    page: {
      title: say('setup.overview.title'),
      blocks: [lines.join('\n'), nextText, await languageLine(guildId, context)],
    },
    controls: [
      ...setupSteps.map((step) => buttonPlan(say(`setup.names.${step}`), customIds.setup.id({ step }))),
      languageChoice('overview', say),
    ],
  };
}

/** Servers that are no communities report English to bots, even if their members speak another language. */
async function languageLine(guildId: string, { services, facts, say }: Context): Promise<string> {
  const language = (await services.tasks.preferences.find({ guildId }))?.set.language;
  return language === undefined
    ? say('setup.language.fromDiscord', { language: languageName(languageOf(facts.guildLocale)) })
    : say('setup.language.chosen', { language: languageName(language) });
}

const languageChoice = (view: SetupStep | 'overview', say: Say): Control => ({
  type: 'select',
  id: customIds.setupLanguage.id(view),
  placeholder: say('setup.language.choose'),
  options: languages.map((language) => ({ value: language, label: languageName(language) })),
});

const steps: Record<SetupStep, ShowStep> = {
  async permissions(guildId, context) {
    const { facts, say, origin } = context;
    const { missingHere, named, hasMissing } = await checkPermissions(guildId, context);
    const missing = neededPermissions.filter(({ name }) => missingHere.includes(name));
    const hereLines = [
      say('setup.permissions.here', { channel: facts.channelId ?? '' }),
      ...missing.map(({ name, purpose }) =>
        say('rules.check.missing', { name: say(`permissions.${name}`), use: say(`rules.check.uses.${purpose}`) }),
      ),
      ...(missing.length === 0 ? [say('rules.check.allThere')] : []),
    ];
    const namedLines = named.map(({ channelId, use, missing }) => permissionsLine(channelId, use, missing, say));
    const { server } = installLinks(origin.route.applicationId, { userInstall: false });
    return {
      blocks: [
        hereLines.join('\n'),
        ...(namedLines.length === 0 ? [] : [[say('setup.permissions.named'), ...namedLines].join('\n')]),
        ...(hasMissing ? [say('rules.check.howTo')] : []),
      ],
      controls: hasMissing ? [{ type: 'link', address: server, label: say('rules.check.invite') }] : [],
    };
  },

  async access(guildId, context, mention) {
    const { services, say } = context;
    const facts = ruleFacts(guildId, services);
    const { access, use } = ruleLines(facts, say);
    const more = access.length - MAX_LISTED_RULES;
    const accessLines = access.slice(0, MAX_LISTED_RULES).map((line) => truncateMarkdown(line, MAX_RULE_LENGTH));
    if (more > 0) accessLines.push(say('setup.more', { count: more, command: mention('server rules') }));
    return {
      blocks: [
        ...unreadableLines(facts, say),
        await languageLine(guildId, context),
        say('setup.access.integrations'),
        ...(services.settings.discord.mentions ? [say('setup.access.mentions')] : []),
        list(say('setup.access.rules'), [
          ...accessLines,
          ...use.map((line) => truncateMarkdown(line, MAX_RULE_LENGTH)),
        ]),
      ],
      controls: [languageChoice('access', say), ...formButtons(['access', 'use'], say)],
    };
  },

  async budget(guildId, context, mention) {
    const { services, say } = context;
    const budget = services.money.budgets.get(guildId);
    const { alertsChannelId: channel } = budget;
    const alerts =
      channel === undefined ? [say('setup.budget.noAlerts')] : await alertsLines(guildId, channel, services, say);
    return {
      blocks: [
        [...pauseLines(budget, context), ...limitLines(guildId, budget, context), ...alerts].join('\n'),
        say('setup.budget.change', { set: mention('budget set'), alerts: mention('budget alerts') }),
      ],
      controls: [buttonPlan(say('setup.buttons.budget'), customIds.budget.id())],
    };
  },

  async rules(guildId, { services, say }) {
    const facts = ruleFacts(guildId, services);
    const lines = ruleLines(facts, say);
    lines.log.push(...(await logChannelWarnings(guildId, facts, services, say)));
    const sections = ['words', 'links', 'moderation', 'log'] as const;
    return {
      blocks: [
        ...unreadableLines(facts, say),
        ...sections.map((section) => list(say(`rules.section.${section}`), lines[section])),
      ],
      controls: formButtons(['words', 'links', 'moderation', 'categories', 'log'], say),
    };
  },

  async privacy(guildId, { services, say }, mention) {
    const moderation = services.safety.rules.moderationIn(guildId);
    const facts = ruleFacts(guildId, services);
    const { hasModerationService, logChannelId, alertsChannelId } = facts;
    const channel = logChannelId ?? alertsChannelId;
    return {
      blocks: [
        say('setup.privacy.stored'),
        ...(services.settings.discord.mentions ? [say('setup.privacy.mentions')] : []),
        ...(services.settings.discord.messageContent ? [say('setup.privacy.threads')] : []),
        say('setup.privacy.own', { command: mention('tasks') }),
        say('setup.privacy.admins'),
        ...(channel !== undefined && moderation.some(canHold) ? [say('setup.privacy.held', { channel })] : []),
        ...(await logChannelWarnings(guildId, facts, services, say)),
        say('setup.privacy.operator'),
        say('setup.privacy.others'),
        ...(hasModerationService && moderation.some(usesModeration) ? [say('setup.privacy.moderation')] : []),
      ],
      controls: [],
    };
  },
};

const list = (title: string, lines: readonly string[]): string =>
  [title, ...lines.map((line) => `- ${line}`)].join('\n');

const formButtons = (sections: readonly RuleSection[], say: Say): ButtonPlan[] =>
  sections.map((section) => buttonPlan(say(`rules.buttons.${section}`), customIds.rulesApart.id(section)));
