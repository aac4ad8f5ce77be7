import { defaultSettings, type GatewaySettings, parseBaseUrl } from '../../src/services/gateway/settings.ts';
import type { RouteOf } from './recorder.ts';

/** All words in the paths of both interfaces. Any other part of a path is an id, a token or a name. */
const PATH_WORDS = new Set(
  `v1 v1beta v10 api pricing compat models dashboard billing usage subscription fine-tunes events images generations jobs
  imgx submit imagine describe shorten blend action change simple-change modal video videos upload-discord-images task fetch
  list-by-condition music videoa image2video text2video content responses realtime moderations audio transcriptions @me @original
  applications commands guilds channels messages threads webhooks interactions callback users gateway bot members
  thread-members roles oauth2`.split(/\s+/),
);

function routeOfPath(method: string, path: string): string {
  const [pathname = ''] = path.replaceAll('%40', '@').split('?');
  const parts = pathname.split('/').slice(1);
  return `${method} ${parts.map((part) => `/${PATH_WORDS.has(part) ? part : '{id}'}`).join('')}`;
}

/** Routes as the specification writes them, however the operator has set the paths. */
export function gatewayRoutes({ baseUrl, paths }: GatewaySettings): RouteOf {
  const prefix = parseBaseUrl(baseUrl).pathname.replace(/\/$/, '');
  const names = (['imgx', 'music', 'videoa', 'compat'] as const).map((name) => [
    paths[name],
    defaultSettings.paths[name],
  ]);
  return (method, path) => {
    const own = path.startsWith(prefix) ? path.slice(prefix.length) : path;
    const [set = '', name = ''] = names.find(([start]) => own.startsWith(`${start}/`)) ?? [];
    return routeOfPath(method, name + own.slice(set.length));
  };
}

/** The requests of this process to Discord's API and to the moderation service, and no other ones. */
export function discordRoutes(apiUrl: string): RouteOf {
  const { origin, pathname } = new URL(apiUrl);
  return (method, path, to) => {
    if (path.endsWith('/v1/moderations')) return routeOfPath(method, '/v1/moderations');
    if (to !== origin || !path.startsWith(pathname)) return undefined;
    return routeOfPath(method, path.slice(pathname.length).replace(/^\/v10/, ''));
  };
}
