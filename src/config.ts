import { z } from 'zod';
import * as file from './config-files.ts';
import * as shape from './config-shapes.ts';
import { type Frozen, withoutUndefined } from './lib/entries.ts';
import { fileVariable, readSecret } from './lib/secret.ts';
import { editDistance } from './lib/text.ts';
import { modelKinds } from './services/gateway/model-families.ts';
import { kindsIn, type RuleTargets } from './services/safety/rules-file.ts';
import { usesModeration } from './services/safety/server-rules.ts';
import { imageTransfers } from './services/tasks/materials.ts';

const discordVariables = {
  DISCORD_TOKEN: shape.botToken,
  DISCORD_GUILD_ID: shape.guildId,
  DISCORD_API_URL: shape.discordApi,
  DISCORD_GUILD_IDS: shape.guildIds,
  DISCORD_ADMIN_GUILD_IDS: shape.guildIds,
  OPERATOR_CHANNEL_ID: shape.channelId,
  OPERATOR_IDS: shape.userIds,
  OPERATOR_LANGUAGE: shape.language,
  DISCORD_USER_INSTALL: shape.onOff,
  DISCORD_MENTIONS: shape.switchedOn,
  DISCORD_MESSAGE_CONTENT: shape.onOff,
};

const gatewayVariables = {
  GATEWAY_BASE_URL: shape.gatewayBase,
  GATEWAY_API_KEY: shape.gatewayKey,
  GATEWAY_IMGX_PATH: shape.pathPrefix('/imgx'),
  GATEWAY_MUSIC_PATH: shape.pathPrefix('/music'),
  GATEWAY_VIDEOA_PATH: shape.pathPrefix('/videoa'),
  GATEWAY_COMPAT_PATH: shape.pathPrefix('/v1beta/compat'),
  // 1024 is also the usual limit on open files, so a higher number is probably a typo.
  GATEWAY_CONNECTIONS: shape.wholeNumber(1, 1_024, '32', 'connections'),
  GATEWAY_JOBS_AT_ONCE: shape.optionalNumber(1, 10_000, 'jobs'),
  // Names that the specification does not give, or for which existing gateways differ from it. The defaults follow the specification.
  GATEWAY_REFERENCE_VIDEO_FIELD: shape.referenceField.optional().describe(shape.FIELD_NAME),
  GATEWAY_REFERENCE_AUDIO_FIELD: shape.referenceField.prefault('reference_audio_urls').describe(shape.FIELD_NAME),
  GATEWAY_FACE_CHECK_FIELD: shape.flagField,
  GATEWAY_IMAGINE_REFERENCES: shape.choice(imageTransfers, 'address'),
  GATEWAY_USER_FIELD: shape.optionalField,
  GATEWAY_MUSIC_CALLBACK_FIELD: shape.optionalField,
  GATEWAY_VIDEO_CALLBACK_FIELD: shape.flagField,
  GATEWAY_DESCRIBE_FIELD: shape.choice(['base64Array', 'base64'], 'base64Array'),
  GATEWAY_VIDEOS_BODY: shape.choice(['json', 'form'], 'json'),
  GATEWAY_SIMPLE_CHANGE_ORDER: shape.choice(['action-first', 'id-first'], 'action-first'),
  GATEWAY_MODEL_SLASHES: shape.choice(['encoded', 'plain'], 'encoded'),
  GATEWAY_PRICING_PATH: shape.path,
  GATEWAY_PRICING_GROUP: shape.groupName,
  GATEWAY_USAGE_UNIT: z.enum(['cents']).optional().describe('empty, or cents'),
  GATEWAY_REALTIME_BETA: shape.onOff,
  GATEWAY_REMIX: shape.onOff,
  GATEWAY_IMGX_LISTS: shape.onOff,
  // Several hundred already require a private gateway; more than 10,000 is probably a typo.
  GATEWAY_POLLS_PER_SECOND: shape.wholeNumber(1, 10_000, '100', 'polls per second'),
};

const processVariables = {
  ATELIER_ROLE: shape.choice(['all', 'shard', 'worker'], 'all'),
  STORE_URL: shape.store,
  QUEUE_URL: shape.queue,
  // Discord starts at most a few hundred connections for the largest bots.
  SHARD_COUNT: shape.optionalNumber(1, 10_000, 'connections'),
  // Task ids can distinguish 1,024 partitions.
  PARTITIONS: shape.wholeNumber(1, 1_024, '32', 'partitions'),
  // A shorter lease would be lost in every network hiccup; a longer one would delay the restart of a killed bot.
  STORE_LEASE_SECONDS: shape.wholeNumber(5, 300, '10', 'seconds'),
  BACKUP_PASSPHRASE: shape.backupPassphrase,
  MEDIA_ALLOW_PRIVATE: shape.onOff,
  MARK_RESULTS: shape.choice(['on', 'off'], 'on'),
  // Less memory is not enough to decode an image; more is probably a typo.
  MEDIA_MEMORY_MB: shape.wholeNumber(192, 65_536, '512', 'MiB'),
  HTTP_PORT: shape.port,
  HTTP_HOST: shape.host('127.0.0.1'),
  METRICS_TOKEN: shape.metricsToken,
  CALLBACK_URL: shape.callbackBase,
  CALLBACK_PORT: shape.port,
  CALLBACK_HOST: shape.host('127.0.0.1'),
  LOG_LEVEL: shape.choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
  POLL_SCHEDULE: shape.choice(['learned', 'spec'], 'learned'),
};

/** Every variable, in the order in which problems are reported. */
const variables = (targets: RuleTargets) => {
  const kinds = kindsIn(targets);
  return z.object({
    ...discordVariables,
    ...gatewayVariables,
    ...processVariables,
    PRICES: file.prices(kinds),
    MODEL_KINDS: file.modelKindsFile(modelKinds),
    RULES: file.rules(targets),
    PRESETS: file.presets(targets),
    MODERATION_BASE_URL: shape.moderationBase,
    MODERATION_API_KEY: shape.moderationKey,
    MODERATION_MODEL: shape.moderationModel,
    TOTAL_BUDGET: shape.usageLimits(kinds, '$50 a day, 2000 tasks a day'),
    DEFAULT_SERVER_BUDGET: shape.usageLimits(kinds, '$20 a day, 500 tasks a day'),
    DEFAULT_MEMBER_BUDGET: shape.usageLimits(kinds, '$5 a day, 100 tasks a day'),
    DIRECT_BUDGET: shape.usageLimits(kinds, '$2 a day, 50 tasks a day'),
    BUDGET_TIMEZONE: shape.timeZone,
    UNCONFIRMED_RELEASE_HOURS: shape.optionalNumber(1, 8_760, 'hours'),
    MEMBER_RATE: shape.rate('20 at once, 2 a second'),
    SERVER_RATE: shape.rate('1000 at once, 200 a second'),
    MAX_ANSWERS: shape.wholeNumber(1, 10_000, '16', 'answers'),
    MAX_ANSWERS_PER_MEMBER: shape.wholeNumber(1, 10_000, '3', 'answers'),
    MAX_TALKS: shape.wholeNumber(1, 1_000, '20', 'live conversations'),
    MAX_TALKS_PER_MEMBER: shape.wholeNumber(1, 1_000, '2', 'live conversations'),

    DEFAULT_IMAGE_MODEL: shape.optionalModelId,
    DEFAULT_VIDEO_MODEL: shape.optionalModelId,
    DEFAULT_MUSIC_MODEL: shape.optionalModelId,
    DEFAULT_TEXT_MODEL: shape.optionalModelId,
    DEFAULT_TALK_MODEL: shape.optionalModelId,
    MAX_WAIT_IMAGE_SECONDS: shape.waitSeconds('300'),
    MAX_WAIT_VIDEO_SECONDS: shape.waitSeconds('900'),
    MAX_WAIT_MUSIC_SECONDS: shape.waitSeconds('300'),
    MAX_WAIT_TEXT_SECONDS: shape.waitSeconds('120'),
    FOLLOW_QUIET_SECONDS: shape.waitSeconds('600'),
  });
};

/** These names are a public interface. If one is renamed, the old name has to keep working. */
export const configVariables = Object.freeze(
  variables({ kindsByCommand: new Map(), privateCommands: [], takesOption: () => false }).keyof().options,
);

/** Variables that may instead be read from the file that `<NAME>_FILE` names. */
export const secretVariables: readonly string[] = Object.freeze([
  'DISCORD_TOKEN',
  'GATEWAY_API_KEY',
  'STORE_URL',
  'QUEUE_URL',
  'BACKUP_PASSPHRASE',
  'MODERATION_API_KEY',
  'METRICS_TOKEN',
]);

export interface ConfigProblem {
  readonly variable: string;
  /** Completes a sentence that begins with the variable's name, such as "should be on or off". Never repeats the value. */
  readonly problem: string;
}

/** Contains all problems, so that the operator can fix them in one go. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(({ variable, problem }) => `${variable} ${problem}`).join('\n'));
    this.problems = problems;
  }
}

/** `variables`: the same values by variable, to compare with those of a later reading. */
export type Config = Frozen<ReturnType<typeof configFrom>> & { readonly variables: Settings };

/** `targets`: what prices, limits and rules can name. */
export function readConfig(environment: Record<string, string | undefined>, targets: RuleTargets): Config {
  // A blank value in `.env` means "not set"; spaces and carriage returns around a value are ignored.
  const read = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const secrets = new Map(secretVariables.map((variable) => [variable, readSecret(environment, variable)]));
  const usedName = (variable: string): string => secrets.get(variable)?.variable ?? variable;
  const values = Object.fromEntries(
    configVariables.map((variable) => [variable, (secrets.get(variable) ?? { value: read(variable) }).value]),
  );
  // The settings are only parsed once, and compiling a faster parser takes zod longer than parsing without one.
  const shapes = variables(targets);
  const result = shapes.safeParse(values, { jitless: true });
  const invalidVariables = new Set(result.error?.issues.map(({ path }) => path[0]));
  const problemOf = (variable: (typeof configVariables)[number]): string | undefined => {
    const readProblem = secrets.get(variable)?.problem;
    if (readProblem !== undefined || !invalidVariables.has(variable)) return readProblem;
    const expected = shapes.shape[variable].description;
    if (values[variable] === undefined) return `is required: ${expected}`;
    const problem = `should ${usedName(variable) === fileVariable(variable) ? 'contain' : 'be'} ${expected}`;
    const hint = hintOf(result.error?.issues.find(({ path }) => path[0] === variable));
    return hint === undefined ? problem : `${problem}. See ${hint}`;
  };
  const problems = configVariables.flatMap((variable) => {
    const problem = problemOf(variable);
    return problem === undefined ? [] : [{ variable: usedName(variable), problem }];
  });
  const otherProblems = [...findMisspelledNames(environment), ...findConflicts(result.data ?? {})];
  if (!result.success || problems.length + otherProblems.length > 0)
    throw new ConfigError([...problems, ...otherProblems]);
  return configOf(result.data);
}

/** From settings of one reading, or of two, of which the later is being taken over. */
export function configOf(settings: Settings): Config {
  const problems = findConflicts(settings);
  if (problems.length > 0) throw new ConfigError(problems);
  const config = { ...configFrom(settings), variables: settings };
  deepFreeze(config);
  return config;
}

const hintOf = (issue: z.core.$ZodIssue | undefined): string | undefined =>
  issue?.code === 'custom' && typeof issue.params?.hint === 'string' ? issue.params.hint : undefined;

type Settings = Frozen<z.output<ReturnType<typeof variables>>>;

function discordFrom(settings: Settings) {
  const { DISCORD_GUILD_IDS: guildIds, DISCORD_ADMIN_GUILD_IDS: adminGuildIds } = settings;
  return {
    token: settings.DISCORD_TOKEN,
    ...withoutUndefined({ deployGuildId: settings.DISCORD_GUILD_ID }),
    apiUrl: settings.DISCORD_API_URL,
    guildIds,
    // If there are several servers, only the operator can decide whose managers may see the costs.
    adminGuildIds: adminGuildIds.length === 0 && guildIds.length === 1 ? guildIds : adminGuildIds,
    userInstall: settings.DISCORD_USER_INSTALL,
    mentions: settings.DISCORD_MENTIONS,
    messageContent: settings.DISCORD_MESSAGE_CONTENT,
  };
}

const gatewayFrom = (settings: Settings) => ({
  baseUrl: settings.GATEWAY_BASE_URL,
  apiKey: settings.GATEWAY_API_KEY,
  connections: settings.GATEWAY_CONNECTIONS,
  jobsAtOnce: settings.GATEWAY_JOBS_AT_ONCE,
  paths: {
    imgx: settings.GATEWAY_IMGX_PATH,
    music: settings.GATEWAY_MUSIC_PATH,
    videoa: settings.GATEWAY_VIDEOA_PATH,
    compat: settings.GATEWAY_COMPAT_PATH,
  },
  fields: {
    ...withoutUndefined({
      referenceVideos: settings.GATEWAY_REFERENCE_VIDEO_FIELD,
      faceCheck: settings.GATEWAY_FACE_CHECK_FIELD,
    }),
    referenceAudios: settings.GATEWAY_REFERENCE_AUDIO_FIELD,
    describeField: settings.GATEWAY_DESCRIBE_FIELD,
    user: settings.GATEWAY_USER_FIELD,
  },
  callbackFields: withoutUndefined({
    music: settings.GATEWAY_MUSIC_CALLBACK_FIELD,
    video: settings.GATEWAY_VIDEO_CALLBACK_FIELD,
  }),
  imagineReferences: settings.GATEWAY_IMAGINE_REFERENCES,
  videosBody: settings.GATEWAY_VIDEOS_BODY,
  simpleChangeOrder: settings.GATEWAY_SIMPLE_CHANGE_ORDER,
  modelSlashes: settings.GATEWAY_MODEL_SLASHES,
  realtimeBeta: settings.GATEWAY_REALTIME_BETA,
  remix: settings.GATEWAY_REMIX,
  pricing: withoutUndefined({ path: settings.GATEWAY_PRICING_PATH, group: settings.GATEWAY_PRICING_GROUP }),
  ...withoutUndefined({ usageUnit: settings.GATEWAY_USAGE_UNIT }),
});

const clusterFrom = (settings: Settings) => ({
  role: settings.ATELIER_ROLE,
  queue: settings.QUEUE_URL ?? settings.STORE_URL,
  /** If undefined, Discord recommends a number. */
  shards: settings.SHARD_COUNT,
  /** Cannot be changed after the first start with a store. */
  partitions: settings.PARTITIONS,
});

const modelsFrom = (settings: Settings) =>
  withoutUndefined({
    image: settings.DEFAULT_IMAGE_MODEL,
    video: settings.DEFAULT_VIDEO_MODEL,
    music: settings.DEFAULT_MUSIC_MODEL,
    text: settings.DEFAULT_TEXT_MODEL,
    talk: settings.DEFAULT_TALK_MODEL,
  });

const pollFrom = (settings: Settings) => ({
  schedule: settings.POLL_SCHEDULE,
  perSecond: settings.GATEWAY_POLLS_PER_SECOND,
  imgxLists: settings.GATEWAY_IMGX_LISTS,
});

const operatorFrom = (settings: Settings) => ({
  ...withoutUndefined({ channelId: settings.OPERATOR_CHANNEL_ID, language: settings.OPERATOR_LANGUAGE }),
  ids: settings.OPERATOR_IDS,
});

function configFrom(settings: Settings) {
  return {
    discord: discordFrom(settings),
    operator: operatorFrom(settings),
    gateway: gatewayFrom(settings),
    store: settings.STORE_URL,
    cluster: clusterFrom(settings),
    storeLeaseMs: settings.STORE_LEASE_SECONDS * 1000,
    /** Only the scripts use it; the log must not contain it. */
    backupPassphrase: settings.BACKUP_PASSPHRASE,
    /** In US dollars, by kind, or by `kind:model`. */
    prices: settings.PRICES,
    budgets: {
      total: settings.TOTAL_BUDGET,
      server: settings.DEFAULT_SERVER_BUDGET,
      member: settings.DEFAULT_MEMBER_BUDGET,
      direct: settings.DIRECT_BUDGET,
      timeZone: settings.BUDGET_TIMEZONE,
    },
    unconfirmedReleaseMs:
      settings.UNCONFIRMED_RELEASE_HOURS === undefined ? undefined : settings.UNCONFIRMED_RELEASE_HOURS * 3_600_000,
    rates: { member: settings.MEMBER_RATE, server: settings.SERVER_RATE },
    liveLimits: {
      ask: { all: settings.MAX_ANSWERS, perMember: settings.MAX_ANSWERS_PER_MEMBER },
      talk: { all: settings.MAX_TALKS, perMember: settings.MAX_TALKS_PER_MEMBER },
    },
    /** The operator's rules, which override those of all servers. */
    rules: settings.RULES,
    /** The operator's presets, which everyone can use. */
    presets: settings.PRESETS,
    moderation: {
      baseUrl: settings.MODERATION_BASE_URL,
      apiKey: settings.MODERATION_API_KEY,
      model: settings.MODERATION_MODEL,
    },
    /** The kinds of models, by patterns of their ids. */
    modelKinds: settings.MODEL_KINDS,
    media: {
      marksResults: settings.MARK_RESULTS === 'on',
      allowPrivate: settings.MEDIA_ALLOW_PRIVATE,
      memoryBytes: settings.MEDIA_MEMORY_MB * 2 ** 20,
    },
    /** Without a port, nothing is served and no metrics are collected. */
    http: { port: settings.HTTP_PORT, host: settings.HTTP_HOST, metricsToken: settings.METRICS_TOKEN },
    /** Callbacks need both a URL and a port. */
    callbacks: { url: settings.CALLBACK_URL, port: settings.CALLBACK_PORT, host: settings.CALLBACK_HOST },
    log: { level: settings.LOG_LEVEL },
    poll: pollFrom(settings),
    models: modelsFrom(settings),
    maxWaitMs: {
      image: settings.MAX_WAIT_IMAGE_SECONDS * 1000,
      video: settings.MAX_WAIT_VIDEO_SECONDS * 1000,
      music: settings.MAX_WAIT_MUSIC_SECONDS * 1000,
      text: settings.MAX_WAIT_TEXT_SECONDS * 1000,
    },
    followQuietMs: settings.FOLLOW_QUIET_SECONDS * 1000,
  };
}

function deepFreeze(value: object): void {
  for (const child of Object.values(value)) if (typeof child === 'object') deepFreeze(child);
  Object.freeze(value);
}

/** Finds settings that are valid individually but not together. */
function findConflicts(settings: Partial<Settings>): ConfigProblem[] {
  const { GATEWAY_FACE_CHECK_FIELD: flagField } = settings;
  const referenceFields = [settings.GATEWAY_REFERENCE_VIDEO_FIELD, settings.GATEWAY_REFERENCE_AUDIO_FIELD];
  // A flag and a list of references cannot share a field.
  const isTaken = flagField !== undefined && referenceFields.includes(flagField);
  const problem = 'should differ from the fields for reference videos and reference audio';
  const { ATELIER_ROLE: role, STORE_URL: store, RULES: rules, MODERATION_BASE_URL: moderationBase } = settings;
  const needsServer = role !== undefined && role !== 'all' && store?.scheme === 'sqlite';
  return [
    ...(isTaken ? [{ variable: 'GATEWAY_FACE_CHECK_FIELD', problem }] : []),
    ...(needsServer
      ? [{ variable: 'STORE_URL', problem: `should be a Redis or Postgres server with ATELIER_ROLE=${role}` }]
      : []),
    // Without a service, every request would be refused.
    ...(rules && usesModeration(rules.moderation) && moderationBase === undefined
      ? [{ variable: 'MODERATION_BASE_URL', problem: 'is required because RULES uses moderation' }]
      : []),
    ...(settings.MODERATION_API_KEY !== undefined && moderationBase === undefined
      ? [{ variable: 'MODERATION_BASE_URL', problem: 'is required because MODERATION_API_KEY is set' }]
      : []),
    ...(sharesPort(settings) ? [{ variable: 'CALLBACK_PORT', problem: 'is the same as HTTP_PORT' }] : []),
  ];
}

const isEveryAddress = (host: string | undefined): boolean => host === '0.0.0.0' || host === '::';

/** Whether callbacks and `/metrics` would need the same port of the same address. */
function sharesPort(settings: Partial<Settings>): boolean {
  const { HTTP_PORT: port, HTTP_HOST: host, CALLBACK_HOST: callbackHost } = settings;
  if (port === undefined || port !== settings.CALLBACK_PORT || settings.CALLBACK_URL === undefined) return false;
  return host === callbackHost || isEveryAddress(host) || isEveryAddress(callbackHost);
}

/** The largest edit distance that counts as a typo. With three, variables of other programs begin to look like ours. */
const MAX_TYPOS = 2;
/** Only names with our prefixes are checked, because an environment contains many other variables. */
const OUR_VARIABLES =
  /^(DISCORD|GATEWAY|STORE|MEDIA|POLL|DEFAULT|MAX_WAIT|MODEL|MODERATION|FOLLOW|BUDGET|TOTAL|DIRECT|OPERATOR|UNCONFIRMED|HTTP|METRICS?|BACKUPS?|CALLBACK|ATELIER|QUEUE|SHARD)_\w*$/;

/** Finds set variables that are unknown, but spelled almost like a known one. */
function findMisspelledNames(environment: Record<string, string | undefined>): ConfigProblem[] {
  const knownNames = [...configVariables, ...secretVariables.map(fileVariable)];
  const candidates = Object.keys(environment).filter((name) => OUR_VARIABLES.test(name) && environment[name]?.trim());
  return candidates.flatMap((variable) => {
    if (knownNames.includes(variable)) return [];
    const [nearest] = knownNames
      .map((knownName) => ({ meant: knownName, distance: editDistance(variable, knownName) }))
      .filter(({ distance }) => distance <= MAX_TYPOS)
      .sort((a, b) => a.distance - b.distance);
    return nearest ? [{ variable, problem: `is not an Atelier setting. Did you mean ${nearest.meant}?` }] : [];
  });
}
