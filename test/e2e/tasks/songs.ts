import type { EmbeddedGateway } from '../../../sandbox/gateway/gateway.ts';
import { key } from '../bot.ts';

/** Orders songs as another client with the same key would; returns their ids in the order of the titles. */
export async function orderSongs({ url }: Pick<EmbeddedGateway, 'url'>, ...titles: string[]): Promise<string[]> {
  return Promise.all(
    titles.map(async (title) => {
      const answer = await fetch(`${url}/music/submit/music`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ prompt: `Words of ${title}`, tags: 'folk', title }),
      });
      if (!answer.ok) throw new Error(`The song was not accepted: ${await answer.text()}`);
      const { id, data } = (await answer.json()) as { id?: string; data?: string };
      return String(id ?? data);
    }),
  );
}

/** The number of batch polls and of single polls. */
export const batchPolls = ({ heard }: Pick<EmbeddedGateway, 'heard'>) =>
  heard.filter(({ method, path }) => method === 'POST' && path === '/music/fetch');
export const singlePolls = ({ heard }: Pick<EmbeddedGateway, 'heard'>) =>
  heard.filter(({ method, path }) => method === 'GET' && path.startsWith('/music/fetch/'));
