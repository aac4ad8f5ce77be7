import { z } from 'zod';
import { languages } from './lib/languages.ts';
import { trimCharactersAtEnd } from './lib/text.ts';
import { parseLimits } from './services/money/limits-text.ts';

// The shapes, conversions and defaults of settings. Each description completes the sentence "NAME should be …" and never
// repeats the value, so a secret that was pasted into the wrong line is not revealed.

/** Hardly any job finishes within half a minute. */
const MIN_WAIT_SECONDS = 30;
/** One day; a larger number is probably a typo. */
const MAX_WAIT_SECONDS = 86_400;

const STORE_SCHEMES = ['sqlite', 'redis', 'rediss', 'postgresql', 'postgres'] as const;

export const choice = <const Value extends string>(values: readonly Value[], defaultValue: NoInfer<Value>) =>
  z
    .enum(values)
    .prefault(defaultValue)
    .describe(`one of ${values.join(', ')}`);

export const onOff = z.stringbool().prefault('off').describe('on or off');
export const switchedOn = z.stringbool().prefault('on').describe('on or off');

const integer = (min: number, max: number) =>
  z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(min).max(max));

export const wholeNumber = (min: number, max: number, defaultValue: string, unit: string) =>
  integer(min, max).prefault(defaultValue).describe(`a whole number of ${unit} from ${min} to ${max}`);

export const optionalNumber = (min: number, max: number, unit: string) =>
  integer(min, max).optional().describe(`a whole number of ${unit} from ${min} to ${max}`);

export const port = integer(1, 65_535).optional().describe('a port from 1 to 65535');

export const optionalField = z
  .string()
  .regex(/^[A-Za-z_]\w{0,39}$/)
  .optional()
  .describe('the name of a field: letters, digits and underscores');

export const host = (defaultValue: string) =>
  z
    .string()
    .regex(/^[\w.:-]{1,253}$/)
    .prefault(defaultValue)
    .describe('an IP address or a host name, such as 127.0.0.1 or 0.0.0.0');

/** A shorter token could be guessed. */
export const metricsToken = z
  .string()
  .regex(/^[\x21-\x7e]{16,500}$/)
  .optional()
  .describe('a token of 16 to 500 characters without spaces');

/** Anyone who has the backup file could guess a short passphrase. */
export const backupPassphrase = z
  .string()
  .min(12)
  .max(1_000)
  .optional()
  .describe('a passphrase of 12 to 1000 characters');

export const waitSeconds = (defaultValue: string) =>
  wholeNumber(MIN_WAIT_SECONDS, MAX_WAIT_SECONDS, defaultValue, 'seconds');

const RATE_PATTERN = /^(?<atOnce>\d{1,6}) at once, (?<count>\d{1,6}) a (?<unit>second|minute)$/;

/** How often members can send requests, or an explicit `none`. */
export const rate = (defaultValue: string) =>
  z
    .string()
    .default(defaultValue)
    .transform((text, context) => {
      if (text.toLowerCase() === 'none') return undefined;
      const { atOnce, count, unit } = RATE_PATTERN.exec(text.toLowerCase())?.groups ?? {};
      if (Number(atOnce) > 0 && Number(count) > 0)
        return { atOnce: Number(atOnce), perSecond: Number(count) / (unit === 'second' ? 1 : 60) };
      context.addIssue('not a rate');
      return z.NEVER;
    })
    .describe('a rate such as 20 at once, 2 a second; or none');

const snowflake = z.string().regex(/^\d{17,20}$/);

export const guildId = snowflake.optional().describe('a server ID of 17 to 20 digits');

export const guildIds = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .pipe(z.array(snowflake))
  .transform((ids) => [...new Set(ids)])
  .prefault('')
  .describe('server IDs of 17 to 20 digits, separated by commas or spaces');

export const channelId = snowflake.optional().describe('a channel ID of 17 to 20 digits');

export const userIds = guildIds.describe('user IDs of 17 to 20 digits, separated by commas or spaces');

export const language = z
  .enum(languages)
  .optional()
  .describe(`one of ${languages.join(', ')}`);

export const botToken = z
  .string()
  .regex(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  .describe("the bot token from Discord's developer portal (three parts separated by dots, and nothing else)");

/** The prefix is from part 5 of the specification; the rest is what an HTTP header can carry. */
export const gatewayKey = z
  .string()
  .regex(/^sk-[\x21-\x7e]+$/)
  .describe('the gateway API key (it starts with sk- and contains no spaces)');

/** Only scheme, host and path: a query, a fragment or a password would end up in every request and in logs. */
const plainUrl = z.string().transform((text, context) => {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !(url.search || url.hash || url.username || url.password)) return url;
  context.addIssue('not a plain URL');
  return z.NEVER;
});

const withoutTrailingSlash = (text: string) => trimCharactersAtEnd(text, '/');

/** The bot's token is sent to this URL, so only a server on this machine may be contacted without encryption. */
export const discordApi = plainUrl
  .refine((url) => url.protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname))
  // The Discord library appends `/v10` by itself.
  .refine((url) => !/\/v\d+\/*$/.test(url.pathname))
  .transform((url) => withoutTrailingSlash(url.origin + url.pathname))
  .prefault('https://discord.com/api')
  .describe('an https:// URL without a version, query or password (http:// for localhost only)');

/** The URL ends before `/v1`, but most programs for such gateways expect it with `/v1`, so people paste that. */
export const gatewayBase = plainUrl
  .transform((url) => withoutTrailingSlash(withoutTrailingSlash(url.origin + url.pathname).replace(/\/v1$/, '')))
  .describe('the gateway URL (http:// or https://, without a query, fragment, user name or password)');

/** Sent to the gateway with every order, followed by the token of the task. */
export const callbackBase = plainUrl
  .transform((url) => withoutTrailingSlash(url.origin + url.pathname))
  .optional()
  .describe('the public URL for callbacks (http:// or https://, without a query, fragment, user name or password)');

const PATH_PATTERN = /^(\/(?!\.{1,2}(\/|$))[\w.~@:+-]+)*\/*$/;
const PATH_DESCRIPTION = 'a path that starts with / and contains no spaces, query, empty segments or dot segments';

export const path = z
  .string()
  .regex(PATH_PATTERN)
  .transform(withoutTrailingSlash)
  .refine((text) => text !== '')
  .optional()
  .describe(PATH_DESCRIPTION);

export const groupName = z
  .string()
  .max(200)
  .regex(/^\P{Cc}+$/u)
  .optional()
  .describe('the name of a group without control characters');

/** A single `/` means that the endpoints are at the root of the gateway; the prefix becomes empty. */
export const pathPrefix = (defaultValue: string) =>
  z.string().regex(PATH_PATTERN).transform(withoutTrailingSlash).prefault(defaultValue).describe(PATH_DESCRIPTION);

/** Fields that a video request already uses for something else (specification, 4.4). */
const RESERVED_FIELDS = [
  'model',
  'prompt',
  'size',
  'duration',
  'image',
  'mode',
  'metadata',
  'aspect_ratio',
  'resolution',
];

const fieldName = z
  .string()
  .regex(/^[A-Za-z][\w.-]*$/)
  .refine((name) => !RESERVED_FIELDS.includes(name));
export const FIELD_NAME =
  'a JSON field name (a letter, then letters, digits, dots, - or _) that a video request does not already use';

export const referenceField = fieldName;

export const flagField = fieldName
  .refine((name) => name !== 'images')
  .optional()
  .describe(FIELD_NAME);

/** Model ids may contain slashes, colons and dates; only control characters are refused. */
export const optionalModelId = z
  .string()
  .regex(/^\P{Cc}+$/u)
  .optional()
  .describe('a model ID on one line');

/** The driver gets the value unchanged; only the scheme is read here. */
const storeUrl = z.string().transform((url, context) => {
  const scheme = STORE_SCHEMES.find((known) => url.startsWith(`${known}://`) && url.length > `${known}://`.length);
  // SQLite paths such as `:memory:` are not URLs, so only network addresses are parsed.
  if (scheme && (scheme === 'sqlite' || URL.canParse(url))) return { url, scheme };
  context.addIssue('not a store');
  return z.NEVER;
});

export const store = storeUrl
  .prefault('sqlite://data/atelier.sqlite')
  .describe(
    `a URL that starts with one of ${STORE_SCHEMES.map((scheme) => `${scheme}://`).join(', ')}; percent-encode special characters in the password (@ as %40)`,
  );

/** The server that holds the queues between the processes of a cluster. */
export const queue = storeUrl
  .refine(({ scheme }) => scheme !== 'sqlite')
  .optional()
  .describe('a URL that starts with one of redis://, rediss://, postgresql://, postgres://');

/** Limits as text, or an explicit `none`, so that nothing is unlimited by accident. */
export const usageLimits = (kinds: readonly string[], defaultValue: string) =>
  z
    .string()
    .default(defaultValue)
    .transform((text, context) => {
      const parsedLimits = parseLimits(text, kinds);
      if (parsedLimits) return parsedLimits;
      context.addIssue('not limits');
      return z.NEVER;
    })
    .describe('limits such as $5 a day, 100 tasks a day, 3 at once, video: 10 tasks a week; or none');

export const timeZone = z
  .string()
  .refine(isTimeZone)
  .default('UTC')
  .describe('the name of a time zone, such as UTC or Europe/Berlin');

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export const moderationBase = gatewayBase
  .optional()
  .describe('the URL of a moderation service (http:// or https://, without a query, fragment, user name or password)');

export const moderationKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,500}$/)
  .optional()
  .describe('the key of the moderation service');

export const moderationModel = z
  .string()
  .regex(/^\S{1,200}$/)
  .prefault('omni-moderation-latest')
  .describe('the ID of a model, without spaces');
