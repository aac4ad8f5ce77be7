import { ApplicationFlags } from 'discord-api-types/v10';
import type { Parts, Routes } from '../parts.ts';
import { rolePermissions } from '../permissions.ts';
import { invalidQuery, unknownUser } from '../refusal.ts';
import { ownUserPayload, userPayload } from '../wire/user.ts';

/** Routes for the application's account and the gateway's URL. */
export const accountRoutes: Routes = (server, parts) => {
  const { validator, world, account, sessionStarts } = parts;
  server.get('/gateway', { config: { isPublic: true } }, () => ({ url: parts.gatewayUrl() }));
  server.get('/gateway/bot', () =>
    validator.checkResponse('gateway-bot', {
      url: parts.gatewayUrl(),
      shards: account.recommendedShards,
      session_start_limit: sessionStarts.payload,
    }),
  );
  server.get('/users/@me', () => validator.checkResponse('user', ownUserPayload(world)));
  server.get<{ Querystring: GuildsPage }>('/users/@me/guilds', (request) =>
    validator.checkResponse('own-guilds', ownGuilds(request.query, parts)),
  );
  server.get<{ Params: { user: string } }>('/users/:user', (request) => {
    const user = world.users.get(request.params.user);
    if (!user) throw unknownUser();
    return validator.checkResponse('user', userPayload(user));
  });
  const application = () => {
    const guilds = [...world.guilds.values()].filter(({ installed }) => installed).length;
    return validator.checkResponse('application', {
      id: world.applicationId,
      name: 'Atelier',
      icon: null,
      description: '',
      type: null,
      summary: '',
      bot: userPayload(world.bot),
      bot_public: true,
      bot_require_code_grant: false,
      verify_key: '0'.repeat(64),
      // Intents enabled in the developer portal appear as flags (resources/application, "Application Flags").
      flags: parts.privilegedIntents.includes('message-content') ? ApplicationFlags.GatewayMessageContentLimited : 0,
      flags_new: '0',
      eligible_oauth2_scopes: ['bot', 'applications.commands'],
      owner: userPayload(world.user(world.ownerId)),
      team: null,
      hook: true,
      redirect_uris: [],
      interactions_endpoint_url: null,
      role_connections_verification_url: null,
      approximate_guild_count: guilds,
      approximate_user_install_count: [...world.users.values()].filter(({ hasInstalled }) => hasInstalled).length,
      approximate_user_authorization_count: 0,
      event_webhooks_url: null,
      event_webhooks_status: 1,
      event_webhooks_types: [],
      explicit_content_filter: 0,
      integration_types_config: { '0': {}, '1': {} },
      ...parts.application,
    });
  };
  server.get('/applications/@me', application);
  server.get('/oauth2/applications/@me', application);
};

interface GuildsPage {
  readonly before?: string;
  readonly after?: string;
  readonly limit?: string;
  readonly with_counts?: string;
}

const MAX_GUILDS = 200;

/** The guilds of the bot by their ids (documentation, resources/user, "Get Current User Guilds"). Permissions leave out overwrites. */
function ownGuilds(
  { before, after, limit = String(MAX_GUILDS), with_counts: withCounts }: GuildsPage,
  { world }: Parts,
) {
  const count = Number(limit);
  if (!Number.isInteger(count) || count < 1 || count > MAX_GUILDS) throw invalidQuery();
  const guilds = [...world.guilds.values()]
    .filter(({ installed }) => installed)
    .filter(({ id }) => (!before || BigInt(id) < BigInt(before)) && (!after || BigInt(id) > BigInt(after)))
    .toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
  return (before && !after ? guilds.slice(-count) : guilds.slice(0, count)).map((guild) => ({
    id: guild.id,
    name: guild.name,
    icon: null,
    banner: null,
    owner: guild.ownerId === world.bot.id,
    permissions: String(rolePermissions(guild, guild.members.get(world.bot.id))),
    features: [],
    ...(withCounts === 'true' && { approximate_member_count: guild.members.size, approximate_presence_count: 0 }),
  }));
}
