import { z } from 'zod';
import * as shape from './config/shapes.ts';
import { definedIn } from './lib/entries.ts';
import { editDistance } from './lib/text.ts';

/** Every variable, in the order in which problems are told. */
const variables = (kinds: readonly string[]) =>
  z.object({
    DISCORD_TOKEN: shape.botToken,
    DISCORD_GUILD_ID: shape.guildId,
    DISCORD_API_URL: shape.discordApi,
    DISCORD_GUILD_IDS: shape.guildIds,
    DISCORD_ADMIN_GUILD_IDS: shape.guildIds,
    DISCORD_USER_INSTALL: shape.onOff,
    DISCORD_MESSAGE_CONTENT: shape.onOff,

    GATEWAY_BASE_URL: shape.gatewayBase,
    GATEWAY_API_KEY: shape.gatewayKey,
    GATEWAY_IMGX_PATH: shape.pathPrefix('/imgx'),
    GATEWAY_MUSIC_PATH: shape.pathPrefix('/music'),
    GATEWAY_VIDEOA_PATH: shape.pathPrefix('/videoa'),
    GATEWAY_COMPAT_PATH: shape.pathPrefix('/v1beta/compat'),
    GATEWAY_CONNECTIONS: shape.connections,
    // The specification hides these names or is contradicted by the wild: its word is the default, the rest a setting.
    GATEWAY_REFERENCE_VIDEO_FIELD: shape.requestField('reference_video_urls'),
    GATEWAY_REFERENCE_AUDIO_FIELD: shape.requestField('reference_audio_urls'),
    GATEWAY_FACE_CHECK_FIELD: shape.optionalField,
    GATEWAY_DESCRIBE_FIELD: shape.choice(['base64Array', 'base64'], 'base64Array'),
    GATEWAY_SIMPLE_CHANGE_ORDER: shape.choice(['action-first', 'id-first'], 'action-first'),
    GATEWAY_MODEL_SLASHES: shape.choice(['encoded', 'plain'], 'encoded'),
    GATEWAY_USAGE_UNIT: shape.usageUnit,
    GATEWAY_REALTIME_BETA: shape.onOff,
    GATEWAY_REMIX: shape.onOff,
    GATEWAY_IMGX_LISTS: shape.onOff,
    GATEWAY_POLLS_PER_SECOND: shape.pollsPerSecond,

    STORE_URL: shape.store,
    STORE_LEASE_SECONDS: shape.leaseSeconds,
    MEDIA_ALLOW_PRIVATE: shape.onOff,
    MEDIA_MEMORY_MB: shape.mediaMemory,
    LOG_LEVEL: shape.logLevel,
    POLL_SCHEDULE: shape.choice(['learned', 'spec'], 'learned'),
    PRICES: shape.prices(kinds),

    DEFAULT_IMAGE_MODEL: shape.modelId,
    DEFAULT_VIDEO_MODEL: shape.modelId,
    DEFAULT_MUSIC_MODEL: shape.modelId,
    DEFAULT_TEXT_MODEL: shape.modelId,
    DEFAULT_TALK_MODEL: shape.modelId,
    MAX_WAIT_PICTURE_SECONDS: shape.waitSeconds('300'),
    MAX_WAIT_VIDEO_SECONDS: shape.waitSeconds('900'),
    MAX_WAIT_MUSIC_SECONDS: shape.waitSeconds('300'),
    MAX_WAIT_TEXT_SECONDS: shape.waitSeconds('120'),
    FOLLOW_QUIET_SECONDS: shape.waitSeconds('600'),
  });

/** These names are public interface: none is renamed or taken away. */
export const configVariables = Object.freeze(variables([]).keyof().options);

export interface ConfigProblem {
  readonly variable: string;
  /** Reads on from the variable's name, "should be on or off" for example, and never repeats the value. */
  readonly problem: string;
}

/** Everything that is wrong at once, so that nobody has to start the bot once per mistake. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(({ variable, problem }) => `${variable} ${problem}`).join('\n'));
    this.problems = problems;
  }
}

type Frozen<T> = { readonly [Key in keyof T]: Frozen<T[Key]> };
export type Config = Frozen<ReturnType<typeof arrange>>;
export type GatewayConfig = Config['gateway'];

/** Prices are given by kinds of jobs. */
export function readConfig(environment: Record<string, string | undefined>, kinds: readonly string[]): Config {
  // A blank line in `.env` means "not set", and a space or a carriage return at its end means nothing.
  const given = Object.fromEntries(configVariables.map((name) => [name, environment[name]?.trim() || undefined]));
  // Read once: code that zod would make for reading it faster takes longer to make than to do without.
  const shapes = variables(kinds);
  const result = shapes.safeParse(given, { jitless: true });
  const wrong = new Set(result.error?.issues.map(({ path }) => path[0]));
  const refused = configVariables.filter((variable) => wrong.has(variable));
  const problems = refused.map((variable) => {
    const expected = shapes.shape[variable].description;
    return { variable, problem: given[variable] === undefined ? `is required: ${expected}` : `should be ${expected}` };
  });
  const slips = nearMisses(environment);
  if (!result.success || slips.length > 0) throw new ConfigError([...problems, ...slips]);
  const config = arrange(result.data);
  freeze(config);
  return config;
}

function arrange(given: z.output<ReturnType<typeof variables>>) {
  const { DISCORD_GUILD_IDS: guildIds, DISCORD_ADMIN_GUILD_IDS: adminGuildIds } = given;
  return {
    discord: {
      token: given.DISCORD_TOKEN,
      ...definedIn({ deployGuildId: given.DISCORD_GUILD_ID }),
      apiUrl: given.DISCORD_API_URL,
      guildIds,
      // With several servers only the operator can say whose managers may see what was spent.
      adminGuildIds: adminGuildIds.length === 0 && guildIds.length === 1 ? guildIds : adminGuildIds,
      userInstall: given.DISCORD_USER_INSTALL,
      messageContent: given.DISCORD_MESSAGE_CONTENT,
    },
    gateway: {
      baseUrl: given.GATEWAY_BASE_URL,
      apiKey: given.GATEWAY_API_KEY,
      connections: given.GATEWAY_CONNECTIONS,
      paths: {
        imgx: given.GATEWAY_IMGX_PATH,
        music: given.GATEWAY_MUSIC_PATH,
        videoa: given.GATEWAY_VIDEOA_PATH,
        compat: given.GATEWAY_COMPAT_PATH,
      },
      fields: {
        referenceVideos: given.GATEWAY_REFERENCE_VIDEO_FIELD,
        referenceAudios: given.GATEWAY_REFERENCE_AUDIO_FIELD,
        ...definedIn({ faceCheck: given.GATEWAY_FACE_CHECK_FIELD }),
        describePictures: given.GATEWAY_DESCRIBE_FIELD,
      },
      simpleChangeOrder: given.GATEWAY_SIMPLE_CHANGE_ORDER,
      modelSlashes: given.GATEWAY_MODEL_SLASHES,
      realtimeBeta: given.GATEWAY_REALTIME_BETA,
      remix: given.GATEWAY_REMIX,
      ...definedIn({ usageUnit: given.GATEWAY_USAGE_UNIT }),
    },
    store: given.STORE_URL,
    storeLeaseMs: given.STORE_LEASE_SECONDS * 1000,
    /** Decimal text by kind, or by `kind:model`. */
    prices: given.PRICES,
    media: { allowPrivate: given.MEDIA_ALLOW_PRIVATE, memoryBytes: given.MEDIA_MEMORY_MB * 2 ** 20 },
    log: { level: given.LOG_LEVEL },
    poll: {
      schedule: given.POLL_SCHEDULE,
      perSecond: given.GATEWAY_POLLS_PER_SECOND,
      imgxLists: given.GATEWAY_IMGX_LISTS,
    },
    models: definedIn({
      image: given.DEFAULT_IMAGE_MODEL,
      video: given.DEFAULT_VIDEO_MODEL,
      music: given.DEFAULT_MUSIC_MODEL,
      text: given.DEFAULT_TEXT_MODEL,
      talk: given.DEFAULT_TALK_MODEL,
    }),
    maxWaitMs: {
      picture: given.MAX_WAIT_PICTURE_SECONDS * 1000,
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

/** Two slips of the finger. At three, variables of other programs begin to look like ours. */
const MOST_SLIPS = 2;
/** Only names in our own neighbourhood are looked at: an environment is full of variables that are nobody's mistake. */
const OURS = /^(DISCORD|GATEWAY|STORE|MEDIA|POLL|DEFAULT|MAX_WAIT)_\w*$/;

/** Finds variables that are set, are none of the known ones, and are spelled almost like one. */
function nearMisses(environment: Record<string, string | undefined>): ConfigProblem[] {
  const known: readonly string[] = configVariables;
  const odd = Object.keys(environment).filter((name) => OURS.test(name) && environment[name]?.trim());
  return odd.flatMap((variable) => {
    if (known.includes(variable)) return [];
    const [nearest] = known
      .map((meant) => ({ meant, slips: editDistance(variable, meant) }))
      .filter(({ slips }) => slips <= MOST_SLIPS)
      .sort((a, b) => a.slips - b.slips);
    return nearest ? [{ variable, problem: `is not an Atelier setting. Did you mean ${nearest.meant}?` }] : [];
  });
}
