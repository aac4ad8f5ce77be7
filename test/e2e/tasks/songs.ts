import type { EmbeddedGateway } from '../../../sandbox/gateway/gateway.ts';
import { GATEWAY_API_KEY } from '../bot.ts';

/** Orders songs as another client with the same key would; returns their ids in the order of the titles. */
export async function orderSongs({ url }: Pick<EmbeddedGateway, 'url'>, ...titles: string[]): Promise<string[]> {
  return Promise.all(
    titles.map(async (title) => {
      const response = await fetch(`${url}/music/submit/music`, {
        method: 'POST',
        headers: { authorization: `Bearer ${GATEWAY_API_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ prompt: `Words of ${title}`, tags: 'folk', title }),
      });
      if (!response.ok) throw new Error(`The song was not accepted: ${await response.text()}`);
      const { id, data } = (await response.json()) as { id?: string; data?: string };
      return String(id ?? data);
    }),
  );
}

/** The polls for several songs at a time; `singlePolls` are those for one song. */
export const batchPolls = ({ requests }: Pick<EmbeddedGateway, 'requests'>) =>
  requests.filter(({ method, path }) => method === 'POST' && path === '/music/fetch');
export const singlePolls = ({ requests }: Pick<EmbeddedGateway, 'requests'>) =>
  requests.filter(({ method, path }) => method === 'GET' && path.startsWith('/music/fetch/'));
