import { z } from 'zod';
import * as shape from './config-shapes.ts';
import { withoutUndefined } from './lib/entries.ts';
import type { Frozen } from './lib/frozen.ts';
import { fileVariable, readSecret } from './lib/secret.ts';
import { editDistance } from './lib/text.ts';
import { modelKinds } from './services/models/families.ts';
import { imagineReferences } from './services/tasks/materials.ts';

/** Every variable, in the order in which problems are reported. */
const variables = (kinds: readonly string[]) =>
  z.object({
    DISCORD_TOKEN: shape.botToken,
    DISCORD_GUILD_ID: shape.guildId,
    DISCORD_API_URL: shape.discordApi,
    DISCORD_GUILD_IDS: shape.guildIds,
    DISCORD_ADMIN_GUILD_IDS: shape.guildIds,
    OPERATOR_CHANNEL_ID: shape.channelId,
    OPERATOR_IDS: shape.userIds,
    DISCORD_USER_INSTALL: shape.onOff,
    DISCORD_MESSAGE_CONTENT: shape.onOff,

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
    GATEWAY_IMAGINE_REFERENCES: shape.choice(imagineReferences, 'address'),
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
    // Less memory is not enough to decode an image; more is probably a typo.
    MARK_RESULTS: shape.choice(['on', 'off'], 'on'),
    MEDIA_MEMORY_MB: shape.wholeNumber(192, 65_536, '512', 'MiB'),
    HTTP_PORT: shape.port,
    HTTP_HOST: shape.host('127.0.0.1'),
    METRICS_TOKEN: shape.metricsToken,
    CALLBACK_URL: shape.callbackBase,
    CALLBACK_PORT: shape.port,
    CALLBACK_HOST: shape.host('127.0.0.1'),
    LOG_LEVEL: shape.choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
    POLL_SCHEDULE: shape.choice(['learned', 'spec'], 'learned'),
    PRICES: shape.prices(kinds),
    MODEL_KINDS: shape.modelKinds(modelKinds),
    RULES: shape.rules,
    MODERATION_BASE_URL: shape.moderationBase,
    MODERATION_API_KEY: shape.moderationKey,
    MODERATION_MODEL: shape.moderationModel,
    TOTAL_BUDGET: shape.limits(kinds, '$50 a day, 2000 tasks a day'),
    DEFAULT_SERVER_BUDGET: shape.limits(kinds, '$20 a day, 500 tasks a day'),
    DEFAULT_MEMBER_BUDGET: shape.limits(kinds, '$5 a day, 100 tasks a day'),
    DIRECT_BUDGET: shape.limits(kinds, '$2 a day, 50 tasks a day'),
    BUDGET_TIMEZONE: shape.timeZone,
    UNCONFIRMED_RELEASE_HOURS: shape.optionalNumber(1, 8_760, 'hours'),
    MEMBER_RATE: shape.rate('20 at once, 2 a second'),
    SERVER_RATE: shape.rate('1000 at once, 200 a second'),
    MAX_ANSWERS: shape.wholeNumber(1, 10_000, '16', 'answers'),
    MAX_ANSWERS_PER_MEMBER: shape.wholeNumber(1, 10_000, '3', 'answers'),
    MAX_TALKS: shape.wholeNumber(1, 1_000, '20', 'live conversations'),
    MAX_TALKS_PER_MEMBER: shape.wholeNumber(1, 1_000, '2', 'live conversations'),

    DEFAULT_IMAGE_MODEL: shape.modelId,
    DEFAULT_VIDEO_MODEL: shape.modelId,
    DEFAULT_MUSIC_MODEL: shape.modelId,
    DEFAULT_TEXT_MODEL: shape.modelId,
    DEFAULT_TALK_MODEL: shape.modelId,
    MAX_WAIT_IMAGE_SECONDS: shape.waitSeconds('300'),
    MAX_WAIT_VIDEO_SECONDS: shape.waitSeconds('900'),
    MAX_WAIT_MUSIC_SECONDS: shape.waitSeconds('300'),
    MAX_WAIT_TEXT_SECONDS: shape.waitSeconds('120'),
    FOLLOW_QUIET_SECONDS: shape.waitSeconds('600'),
  });

/** These names are a public interface. If one is renamed, the old name has to keep working (`OLD_NAMES`). */
export const configVariables = Object.freeze(variables([]).keyof().options);

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

/** Old names that still work, by their new names. If both are set, the new name wins. */
const OLD_NAMES: Readonly<Record<string, string>> = { MAX_WAIT_IMAGE_SECONDS: 'MAX_WAIT_PICTURE_SECONDS' };

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

export type Config = Frozen<ReturnType<typeof arrange>>;
export type GatewayConfig = Config['gateway'];

/** `kinds`: the kinds of jobs that can have a price. */
export function readConfig(environment: Record<string, string | undefined>, kinds: readonly string[]): Config {
  // A blank value in `.env` means "not set"; spaces and carriage returns around a value are ignored.
  const read = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const secrets = new Map(secretVariables.map((variable) => [variable, readSecret(environment, variable)]));
  const usedName = (variable: string): string => {
    const old = OLD_NAMES[variable];
    if (old !== undefined && !read(variable) && read(old)) return old;
    return secrets.get(variable)?.variable ?? variable;
  };
  const given = Object.fromEntries(
    configVariables.map((variable) => [variable, (secrets.get(variable) ?? { value: read(usedName(variable)) }).value]),
  );
  // The settings are only parsed once, and compiling a faster parser takes zod longer than parsing without one.
  const shapes = variables(kinds);
  const result = shapes.safeParse(given, { jitless: true });
  const wrong = new Set(result.error?.issues.map(({ path }) => path[0]));
  const problemOf = (variable: (typeof configVariables)[number]): string | undefined => {
    const readProblem = secrets.get(variable)?.problem;
    if (readProblem !== undefined || !wrong.has(variable)) return readProblem;
    const expected = shapes.shape[variable].description;
    if (given[variable] === undefined) return `is required: ${expected}`;
    const problem = `should ${usedName(variable) === fileVariable(variable) ? 'contain' : 'be'} ${expected}`;
    const hint = hintOf(result.error?.issues.find(({ path }) => path[0] === variable));
    return hint === undefined ? problem : `${problem}. See ${hint}`;
  };
  const problems = configVariables.flatMap((variable) => {
    const problem = problemOf(variable);
    return problem === undefined ? [] : [{ variable: usedName(variable), problem }];
  });
  const others = [...misspelledNames(environment), ...conflicts(result.data ?? {})];
  if (!result.success || problems.length + others.length > 0) throw new ConfigError([...problems, ...others]);
  const config = arrange(result.data);
  freeze(config);
  return config;
}

const hintOf = (issue: z.core.$ZodIssue | undefined): string | undefined =>
  issue?.code === 'custom' && typeof issue.params?.hint === 'string' ? issue.params.hint : undefined;

function arrange(given: z.output<ReturnType<typeof variables>>) {
  const { DISCORD_GUILD_IDS: guildIds, DISCORD_ADMIN_GUILD_IDS: adminGuildIds } = given;
  return {
    discord: {
      token: given.DISCORD_TOKEN,
      ...withoutUndefined({ deployGuildId: given.DISCORD_GUILD_ID }),
      apiUrl: given.DISCORD_API_URL,
      guildIds,
      // If there are several servers, only the operator can decide whose managers may see the costs.
      adminGuildIds: adminGuildIds.length === 0 && guildIds.length === 1 ? guildIds : adminGuildIds,
      userInstall: given.DISCORD_USER_INSTALL,
      messageContent: given.DISCORD_MESSAGE_CONTENT,
    },
    operator: { ...withoutUndefined({ channelId: given.OPERATOR_CHANNEL_ID }), ids: given.OPERATOR_IDS },
    gateway: {
      baseUrl: given.GATEWAY_BASE_URL,
      apiKey: given.GATEWAY_API_KEY,
      connections: given.GATEWAY_CONNECTIONS,
      jobsAtOnce: given.GATEWAY_JOBS_AT_ONCE,
      paths: {
        imgx: given.GATEWAY_IMGX_PATH,
        music: given.GATEWAY_MUSIC_PATH,
        videoa: given.GATEWAY_VIDEOA_PATH,
        compat: given.GATEWAY_COMPAT_PATH,
      },
      fields: {
        ...withoutUndefined({
          referenceVideos: given.GATEWAY_REFERENCE_VIDEO_FIELD,
          faceCheck: given.GATEWAY_FACE_CHECK_FIELD,
        }),
        referenceAudios: given.GATEWAY_REFERENCE_AUDIO_FIELD,
        describeField: given.GATEWAY_DESCRIBE_FIELD,
        user: given.GATEWAY_USER_FIELD,
      },
      callbackFields: withoutUndefined({
        music: given.GATEWAY_MUSIC_CALLBACK_FIELD,
        video: given.GATEWAY_VIDEO_CALLBACK_FIELD,
      }),
      imagineReferences: given.GATEWAY_IMAGINE_REFERENCES,
      videosBody: given.GATEWAY_VIDEOS_BODY,
      simpleChangeOrder: given.GATEWAY_SIMPLE_CHANGE_ORDER,
      modelSlashes: given.GATEWAY_MODEL_SLASHES,
      realtimeBeta: given.GATEWAY_REALTIME_BETA,
      remix: given.GATEWAY_REMIX,
      pricing: withoutUndefined({ path: given.GATEWAY_PRICING_PATH, group: given.GATEWAY_PRICING_GROUP }),
      ...withoutUndefined({ usageUnit: given.GATEWAY_USAGE_UNIT }),
    },
    store: given.STORE_URL,
    cluster: {
      role: given.ATELIER_ROLE,
      queue: given.QUEUE_URL ?? given.STORE_URL,
      /** If undefined, Discord recommends a number. */
      shards: given.SHARD_COUNT,
      /** Cannot be changed after the first start with a store. */
      partitions: given.PARTITIONS,
    },
    storeLeaseMs: given.STORE_LEASE_SECONDS * 1000,
    /** For the backup that is made at a start before the schema changes. */
    backupPassphrase: given.BACKUP_PASSPHRASE,
    /** In US dollars, by kind, or by `kind:model`. */
    prices: given.PRICES,
    budgets: {
      total: given.TOTAL_BUDGET,
      server: given.DEFAULT_SERVER_BUDGET,
      member: given.DEFAULT_MEMBER_BUDGET,
      direct: given.DIRECT_BUDGET,
      timeZone: given.BUDGET_TIMEZONE,
    },
    unconfirmedReleaseMs:
      given.UNCONFIRMED_RELEASE_HOURS === undefined ? undefined : given.UNCONFIRMED_RELEASE_HOURS * 3_600_000,
    rates: { member: given.MEMBER_RATE, server: given.SERVER_RATE },
    liveLimits: {
      ask: { all: given.MAX_ANSWERS, perMember: given.MAX_ANSWERS_PER_MEMBER },
      talk: { all: given.MAX_TALKS, perMember: given.MAX_TALKS_PER_MEMBER },
    },
    /** The operator's rules, which override those of all servers. */
    rules: given.RULES,
    moderation: {
      baseUrl: given.MODERATION_BASE_URL,
      apiKey: given.MODERATION_API_KEY,
      model: given.MODERATION_MODEL,
    },
    /** The kinds of models, by patterns of their ids. */
    modelKinds: given.MODEL_KINDS,
    media: {
      marksResults: given.MARK_RESULTS === 'on',
      allowPrivate: given.MEDIA_ALLOW_PRIVATE,
      memoryBytes: given.MEDIA_MEMORY_MB * 2 ** 20,
    },
    /** Without a port, nothing is served and no metrics are collected. */
    http: { port: given.HTTP_PORT, host: given.HTTP_HOST, metricsToken: given.METRICS_TOKEN },
    /** Callbacks need both a URL and a port. */
    callbacks: { url: given.CALLBACK_URL, port: given.CALLBACK_PORT, host: given.CALLBACK_HOST },
    log: { level: given.LOG_LEVEL },
    poll: {
      schedule: given.POLL_SCHEDULE,
      perSecond: given.GATEWAY_POLLS_PER_SECOND,
      imgxLists: given.GATEWAY_IMGX_LISTS,
    },
    models: withoutUndefined({
      image: given.DEFAULT_IMAGE_MODEL,
      video: given.DEFAULT_VIDEO_MODEL,
      music: given.DEFAULT_MUSIC_MODEL,
      text: given.DEFAULT_TEXT_MODEL,
      talk: given.DEFAULT_TALK_MODEL,
    }),
    maxWaitMs: {
      image: given.MAX_WAIT_IMAGE_SECONDS * 1000,
      video: given.MAX_WAIT_VIDEO_SECONDS * 1000,
      music: given.MAX_WAIT_MUSIC_SECONDS * 1000,
      text: given.MAX_WAIT_TEXT_SECONDS * 1000,
    },
    followQuietMs: given.FOLLOW_QUIET_SECONDS * 1000,
  };
}

function freeze(value: object): void {
  for (const inner of Object.values(value)) if (typeof inner === 'object') freeze(inner);
  Object.freeze(value);
}

/** Finds settings that are valid individually but not together. */
function conflicts(given: Partial<z.output<ReturnType<typeof variables>>>): ConfigProblem[] {
  const { GATEWAY_FACE_CHECK_FIELD: flag, GATEWAY_REFERENCE_VIDEO_FIELD, GATEWAY_REFERENCE_AUDIO_FIELD } = given;
  // A flag and a list of references cannot share a field.
  const isTaken = flag !== undefined && [GATEWAY_REFERENCE_VIDEO_FIELD, GATEWAY_REFERENCE_AUDIO_FIELD].includes(flag);
  const problem = 'should differ from the fields for reference videos and reference audio';
  const { ATELIER_ROLE: role, STORE_URL: store } = given;
  const needsServer = role !== undefined && role !== 'all' && store?.scheme === 'sqlite';
  return [
    ...(isTaken ? [{ variable: 'GATEWAY_FACE_CHECK_FIELD', problem }] : []),
    ...(needsServer
      ? [{ variable: 'STORE_URL', problem: `should be a Redis or Postgres server with ATELIER_ROLE=${role}` }]
      : []),
  ];
}

/** The largest edit distance that counts as a typo. With three, variables of other programs begin to look like ours. */
const MAX_TYPOS = 2;
/** Only names with our prefixes are checked, because an environment contains many other variables. */
const OURS =
  /^(DISCORD|GATEWAY|STORE|MEDIA|POLL|DEFAULT|MAX_WAIT|BUDGET|TOTAL|DIRECT|OPERATOR|UNCONFIRMED|HTTP|METRICS?|BACKUPS?|CALLBACK|ATELIER|QUEUE|SHARD)_\w*$/;

/** Finds set variables that are unknown, but spelled almost like a known one. */
function misspelledNames(environment: Record<string, string | undefined>): ConfigProblem[] {
  const known = [...configVariables, ...secretVariables.map(fileVariable), ...Object.values(OLD_NAMES)];
  const candidates = Object.keys(environment).filter((name) => OURS.test(name) && environment[name]?.trim());
  return candidates.flatMap((variable) => {
    if (known.includes(variable)) return [];
    const [nearest] = known
      .map((meant) => ({ meant, slips: editDistance(variable, meant) }))
      .filter(({ slips }) => slips <= MAX_TYPOS)
      .sort((a, b) => a.slips - b.slips);
    return nearest ? [{ variable, problem: `is not an Atelier setting. Did you mean ${nearest.meant}?` }] : [];
  });
}
